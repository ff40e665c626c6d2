"""`fofe suggest`: what is chosen, and how it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fofe.base.report import Report
from fofe.cli import main
from fofe.evaluate.suggest import suggest, unsure
from fofe.formats import read_corpus
from fofe.tagging.model import Model
from fofe.text.document import Document
from fofe.text.tokenise import tokeniser

PLAIN = "Omar Haddad left for Lima."
TEXTS = [
    PLAIN,
    "Vex Qorl zum Brandt Tarn.",
    "It rained. It was the end.",
    PLAIN,
    "Vex Qorl zum Brandt Tarn again.",
]


def documents() -> list[Document]:
    return [tokeniser("en").document(text) for text in TEXTS]


def test_uncertain_and_different_sentences_come_first_and_only_once(tiny_model: Model) -> None:
    order = [document.text for document in suggest(tiny_model, documents(), 10)]
    assert sorted(order) == sorted({PLAIN, TEXTS[1], TEXTS[4], "It rained.", "It was the end."})
    totals = {one.document.text: one.uncertainty for text in documents() for one in unsure(tiny_model, text)}
    assert totals[order[0]] == max(totals.values())
    alike = sorted(order.index(text) for text in (TEXTS[1], TEXTS[4]))
    by_total = sorted(totals, key=totals.__getitem__, reverse=True)
    assert alike[1] >= max(by_total.index(text) for text in (TEXTS[1], TEXTS[4]))


def test_entropy_of_each_fragment_is_what_counts(tiny_model: Model) -> None:
    """A sentence of one word has one fragment: its uncertainty is that of a plain formula."""
    from math import log

    document = tokeniser("en").document("Qorl")
    (row,) = tiny_model.score(document).probabilities.tolist()
    entropy = -sum(value * log(value) for value in row) / log(len(row))
    (one,) = unsure(tiny_model, document)
    assert one.uncertainty == pytest.approx(entropy if entropy >= 0.05 else 0, abs=1e-5)


@pytest.mark.parametrize("format", ["label-studio", "doccano", "jsonl"])
def test_sentences_are_written_as_the_model_tags_them(
    format: str, tiny_path: Path, tiny_model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, output = tmp_path / "pool.txt", tmp_path / "tasks.json"
    pool.write_text("".join(f"{text}\n" for text in TEXTS), "utf-8")
    command = ["suggest", str(pool), "-m", str(tiny_path), "-n", "4", "--to", format, "-o", str(output)]
    assert main(command) == 0
    told = capsys.readouterr().err
    assert "4 sentences chosen" in told
    assert "label-studio" not in told
    found = list(read_corpus(output, format, Report()))
    assert len(found) == 4
    for document in found:
        own = tiny_model(document.text).mentions
        assert [(one.start, one.end, one.label) for one in document.mentions] == [
            (one.start, one.end, one.label) for one in own
        ]
        assert float(str(document.meta["uncertainty"])) >= 0
    if format == "label-studio":
        tasks = json.loads(output.read_text("utf-8"))
        assert not any("annotations" in task for task in tasks), "nobody has annotated them yet"


@pytest.mark.parametrize(("name", "format"), [("tasks.json", "label-studio"), ("tasks.jsonl", "jsonl")])
def test_the_suffix_says_which_format_is_written(
    name: str, format: str, tiny_path: Path, tmp_path: Path
) -> None:
    (tmp_path / "pool.txt").write_text(TEXTS[0] + "\n", "utf-8")
    output = tmp_path / name
    assert main(["suggest", str(tmp_path / "pool.txt"), "-m", str(tiny_path), "-o", str(output)]) == 0
    assert [one.text for one in read_corpus(output, format, Report())] == [TEXTS[0]]


def test_an_unknown_suffix_is_refused(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pool.txt").write_text(TEXTS[0] + "\n", "utf-8")
    output = tmp_path / "tasks.conll"
    assert main(["suggest", str(tmp_path / "pool.txt"), "-m", str(tiny_path), "-o", str(output)]) == 2
    assert (
        "tasks.conll: has a suffix that names no format (call it .json or .jsonl, or"
        in capsys.readouterr().err
    )


def test_texts_may_stand_in_any_column_of_a_table(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pool.csv").write_text(f"body\n{TEXTS[0]}\n", "utf-8")
    command = ["suggest", str(tmp_path / "pool.csv"), "-m", str(tiny_path), "--to", "doccano", "-o", "-"]
    assert main([*command, "--text-column", "body"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == TEXTS[0]


def test_what_is_annotated_is_not_replaced(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, done = tmp_path / "pool.txt", tmp_path / "done.jsonl"
    pool.write_text(TEXTS[0] + "\n", "utf-8")
    done.write_text('{"text": "Lima"}\n', "utf-8")
    assert main(["suggest", str(pool), "-m", str(tiny_path), "--done", str(done), "-o", str(done)]) == 2
    assert "done.jsonl: is the input itself" in capsys.readouterr().err


def test_what_is_annotated_is_left_out(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, done = tmp_path / "pool.txt", tmp_path / "done.jsonl"
    pool.write_text("".join(f"{text}\n" for text in TEXTS), "utf-8")
    done.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS[:3]), "utf-8")
    command = ["suggest", str(pool), "-m", str(tiny_path), "--to", "doccano", "-o", "-", "--done", str(done)]
    assert main(command) == 0
    assert [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()] == [TEXTS[4]]
    done.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), "utf-8")
    assert main(command) == 2
    assert "has no sentence, or only annotated ones" in capsys.readouterr().err
    assert main([*command[:-2], "--to", "nothing"]) == 2
    assert "unknown format 'nothing'" in capsys.readouterr().err
