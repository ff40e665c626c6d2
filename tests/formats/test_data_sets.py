"""Prodigy, Hugging Face and GLiNER: their files are read, recognised and written."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities

from fofe.base.errors import InputError
from fofe.cli import main
from fofe.formats import Report, guess_format, read_corpus, write_corpus
from fofe.text.document import Document, Mention
from fofe.text.tokenise import tokeniser

TEXT = "🙂 Anna Berg met the mayor."
TASK = {
    "text": TEXT,
    "tokens": [{"text": "🙂", "start": 0, "end": 1, "id": 0, "ws": True}],
    "spans": [
        {"start": 2, "end": 11, "label": "PER", "token_start": 1, "token_end": 2, "text": "Anna Berg"},
        {"start": 20, "end": 25, "label": "PER_NOM", "score": 0.5},
    ],
    "_input_hash": 17,
    "answer": "accept",
}
WORDS = ["Anna", "Berg", "left", "Oslo"]
ROW = {"id": "7", "tokens": WORDS, "ner_tags": ["B-PER", "I-PER", "O", "B-GPE"], "pos_tags": [1, 1, 2, 1]}
NAMES = ["O", "B-PER", "I-PER", "B-GPE"]
NUMBERS = {**ROW, "ner_tags": [1, 2, 0, 3]}
ITEM = {"tokenized_text": WORDS, "ner": [[0, 1, "person"], [3, 3, "city"], [1, 3, "x"]], "source": "news"}


def read(path: Path, *values: object, **options: Any) -> tuple[list[Document], Report]:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    report = Report()
    return list(read_corpus(path, report=report, **options)), report


def spans(document: Document) -> list[tuple[int, int, str, str]]:
    return [(m.start, m.end, m.label, m.text) for m in document.mentions]


def test_prodigy(tmp_path: Path) -> None:
    path = tmp_path / "annotations.jsonl"
    others = [{**TASK, "answer": "reject"}, {**TASK, "answer": "ignore"}, {"text": "It rained.\r\n"}]
    (document, last), report = read(path, TASK, *others)
    assert guess_format(path) == "prodigy"
    assert spans(document) == [(2, 11, "PER", "Anna Berg"), (20, 25, "PER_NOM", "mayor")]
    assert document.mentions[1].score == 0.5
    assert document.meta == {"_input_hash": 17}
    assert (last.text, last.mentions) == ("It rained.\r\n", [])
    assert report.counts == {f"tasks with the answer {given!r} left out": 1 for given in ("reject", "ignore")}


def test_prodigy_gets_tokens_and_what_is_to_be_reviewed_has_no_answer(tmp_path: Path) -> None:
    document = tokeniser("en").document("Anna Berg left.\nIt rained.")
    document.mentions = [Mention(0, 9, "PER", score=0.75), Mention(2, 3, "X", score=0.5)]
    path = tmp_path / "tasks.jsonl"
    write_corpus([document, Document("Oslo", mentions=[Mention(0, 4, "GPE")])], path, "prodigy")
    task, other = map(json.loads, path.read_text("utf-8").splitlines())
    assert task["tokens"][1:5] == [
        {"text": "Berg", "start": 5, "end": 9, "id": 1, "ws": True},
        {"text": "left", "start": 10, "end": 14, "id": 2, "ws": False},
        {"text": ".", "start": 14, "end": 15, "id": 3, "ws": True},
        {"text": "It", "start": 16, "end": 18, "id": 4, "ws": True},
    ]
    assert task["spans"] == [
        {"start": 0, "end": 9, "label": "PER", "token_start": 0, "token_end": 1, "score": 0.75},
        {"start": 2, "end": 3, "label": "X", "score": 0.5},
    ]
    assert "answer" not in task
    assert other == {"text": "Oslo", "spans": [{"start": 0, "end": 4, "label": "GPE"}], "answer": "accept"}


@pytest.mark.parametrize(("row", "options"), [(ROW, {}), (NUMBERS, {"tag_names": NAMES})])
def test_hugging_face_rows(tmp_path: Path, row: dict[str, object], options: dict[str, Any]) -> None:
    path = tmp_path / "train.jsonl"
    (document, other), report = read(path, row, {**row, "tokens": [], "ner_tags": []}, row, **options)
    assert guess_format(path) == "hugging-face"
    assert spans(document) == [(0, 9, "PER", "Anna Berg"), (15, 19, "GPE", "Oslo")]
    assert [token.text for token in document.tokens] == WORDS
    assert (document.id, document.meta) == ("7", {"pos_tags": [1, 1, 2, 1]})
    assert other == document
    assert report.counts == {"empty sentences left out": 1}
    assert report.facts == {"tag scheme": ["IOB2"]}


@pytest.mark.parametrize("kind", ["Sequence", "List", "list", "names", "none"])
def test_hugging_face_parquet(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow", reason="parquet needs fofe[parquet]")
    parquet = pytest.importorskip("pyarrow.parquet")
    label = {"names": NAMES, "_type": "ClassLabel"}
    feature = [label] if kind == "list" else {"feature": label, "_type": kind}
    table = pa.Table.from_pylist([ROW if kind == "names" else NUMBERS] * 2)
    if kind in ("Sequence", "List", "list"):
        info = json.dumps({"info": {"features": {"tokens": {}, "ner_tags": feature}}})
        table = table.replace_schema_metadata({"huggingface": info})
    path = tmp_path / "train.parquet"
    parquet.write_table(table, path)
    assert guess_format(path) == "hugging-face"
    options: dict[str, Any] = {"tag_names": NAMES} if kind == "none" else {}
    documents = list(read_corpus(path, **options))
    assert [spans(document) for document in documents] == [
        [(0, 9, "PER", "Anna Berg"), (15, 19, "GPE", "Oslo")]
    ] * 2
    assert documents[0].id == "7"


def test_broken_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="parquet needs fofe[parquet]")
    path = tmp_path / "train.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match=r"train\.parquet: is no parquet file that can be read"):
        list(read_corpus(path))
    with pytest.raises(InputError, match=r"train\.parquet: parquet is not written \(name a \.jsonl file"):
        write_corpus([], path)


@pytest.mark.parametrize("content", [json.dumps([ITEM], indent=1), json.dumps(ITEM)])
def test_gliner(tmp_path: Path, content: str) -> None:
    path = tmp_path / "train.json"
    path.write_text(content, "utf-8")
    assert guess_format(path) == "gliner"
    (document,) = read_corpus(path)
    assert document.text == "Anna Berg left Oslo"
    expected = [(0, 9, "person", "Anna Berg"), (15, 19, "city", "Oslo"), (5, 19, "x", "Berg left Oslo")]
    assert spans(document) == expected
    assert document.meta == {"source": "news"}


@pytest.mark.parametrize(
    ("format", "line", "problem"),
    [
        ("prodigy", {"spans": []}, '"text" is missing'),
        (
            "prodigy",
            {"text": "Oslo", "spans": [{"start": 0, "end": 5, "label": "X"}]},
            "span 0:5 lies outside",
        ),
        ("prodigy", {"text": "Oslo", "spans": [{"start": 0, "end": 2}]}, '"label" is missing'),
        (
            "prodigy",
            {"text": "🙂 Oslo", "spans": [{"start": 3, "end": 6, "text": "Oslo", "label": "X"}]},
            "\"text\" is 'Oslo' but the span covers 'slo' .offsets count code points",
        ),
        ("hugging-face", {"tokens": ["a"]}, '"ner_tags" is missing'),
        ("hugging-face", {"tokens": ["a"], "ner_tags": ["O", "O"]}, '"ner_tags" has 2 tags for 1 word'),
        (
            "hugging-face",
            {"tokens": ["a"], "ner_tags": ["PER"]},
            "'PER' is not a tag .a tag is O or like B-PER",
        ),
        (
            "hugging-face",
            {"tokens": ["a"], "ner_tags": [0]},
            "the tag 0 is a number without a name .*--tag-names",
        ),
        ("hugging-face", {"tokens": ["a"], "ner_tags": [None]}, "None is not a tag"),
        ("gliner", {"tokenized_text": ["a"], "ner": [[0, 1, "X"]]}, "span 0:2 lies outside the 1 token"),
        (
            "gliner",
            {"tokenized_text": ["a"], "ner": [[1, 0, "X"]]},
            "span 1:0 is empty .* .the end is inclusive",
        ),
        ("gliner", {"tokenized_text": ["a"]}, '"ner" is missing'),
    ],
)
def test_mistakes(tmp_path: Path, format: str, line: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=rf"x\.jsonl:1: .*{problem}"):
        read(tmp_path / "x.jsonl", line, format=format)


def test_numbers_beyond_the_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the tag 3 is not one of the 3 that have names, from 0"):
        read(tmp_path / "x.jsonl", NUMBERS, tag_names=NAMES[:3])


@pytest.mark.parametrize(
    "line",
    [
        {"text": "Oslo", "mentions": [], "spans": [], "ner_tags": []},
        {"text": "Oslo", "tags": ["news"]},
        {"text": "Oslo", "spans": None},
        {"tokens": ["Oslo"], "entities": [], "tags": ["O"]},
    ],
)
def test_json_lines_with_such_keys_of_their_own_stay_json_lines(
    tmp_path: Path, line: dict[str, object]
) -> None:
    (document,), _ = read(tmp_path / "x.jsonl", line)
    assert guess_format(tmp_path / "x.jsonl") == "jsonl"
    assert document.text == "Oslo"


def test_a_directory_of_them_is_recognised_file_by_file(tmp_path: Path) -> None:
    for name, line in (("a.jsonl", TASK), ("b.jsonl", ROW), ("c.json", ITEM)):
        read(tmp_path / name, line)
    assert [len(document.mentions) for document in read_corpus(tmp_path)] == [2, 2, 3]


ALPHABET = st.sampled_from(
    ["a", "B", "🙂", "👩\u200d🚀", "e\u0301", "\r\n", "\n", " ", "\u3000", "\ufeff", "北", '"', "\\"]
)
texts = st.lists(ALPHABET, max_size=12).map("".join)


@st.composite
def texts_with_mentions(draw: st.DrawFn) -> Document:
    document = Document(draw(texts), id=draw(st.sampled_from(["", "d 1"])), meta={"genre": "news"})
    for _ in range(draw(st.integers(0, 3)) if document.text else 0):
        start = draw(st.integers(0, len(document.text) - 1))
        end = draw(st.integers(start + 1, len(document.text)))
        kind, score = draw(st.sampled_from(["NAM", "NOM"])), draw(st.sampled_from([1.0, 0.25]))
        document.mentions.append(Mention(start, end, "PER", kind, score, document.text[start:end]))
    return document


@st.composite
def sentences(draw: st.DrawFn, *, nested: bool) -> Document:
    """A sentence with mentions of tokens, which overlap if they may."""
    words = draw(st.lists(texts.filter(bool), min_size=1, max_size=5))
    document = Document.from_words([words], id=draw(st.sampled_from(["", "d 1"])), meta={"genre": "news"})
    tokens, position = document.sentences[0].tokens, 0
    for _ in range(draw(st.integers(0, 3))):
        if position < len(words):
            first = draw(st.integers(position, len(words) - 1))
            last = draw(st.integers(first, len(words) - 1))
            start, end = tokens[first].start, tokens[last].end
            kind, type = (
                draw(st.sampled_from(["NAM", "NOM"])),
                draw(st.sampled_from(["PER", "creative-work"])),
            )
            document.mentions.append(Mention(start, end, type, kind, text=document.text[start:end]))
            position = 0 if nested else last + 1
    return document


def check_round_trip(written: list[Document], format: str) -> list[str]:
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.json")
        write_corpus(written, path, format, report)
        again = list(read_corpus(path, format, report))
        lines = path.read_text("utf-8").split("\n")[:-1]
    assert again == written
    assert not set(report.counts) - {"files without a document"}
    return lines


@given(st.lists(texts_with_mentions(), max_size=3))
def test_prodigy_round_trip(written: list[Document]) -> None:
    check_round_trip(written, "prodigy")


@given(st.lists(sentences(nested=True), max_size=3))
def test_gliner_round_trip(written: list[Document]) -> None:
    items = json.loads("\n".join(check_round_trip(written, "gliner")))
    for item, document in zip(items, written, strict=True):
        covered = [" ".join(item["tokenized_text"][first : last + 1]) for first, last, _ in item["ner"]]
        assert covered == [mention.text for mention in document.mentions]


@given(st.lists(sentences(nested=False), max_size=3))
def test_hugging_face_round_trip(written: list[Document]) -> None:
    for line, document in zip(check_round_trip(written, "hugging-face"), written, strict=True):
        row = json.loads(line)
        found = [
            (label, " ".join(row["tokens"][first : last + 1]))
            for label, first, last in get_entities(row["ner_tags"])
        ]
        assert found == [(mention.label, mention.text) for mention in document.mentions]


@pytest.mark.parametrize("format", ["hugging-face", "gliner"])
def test_sentences_are_written_one_by_one(tmp_path: Path, format: str) -> None:
    document = tokeniser("en").document("Anna left. Oslo sleeps.")
    document.mentions = [Mention(0, 4, "PER"), Mention(11, 15, "GPE"), Mention(0, 15, "X")]
    report = Report()
    write_corpus([document], tmp_path / "x.json", format, report)
    again = list(read_corpus(tmp_path / "x.json"))
    assert [[mention.text for mention in one.mentions] for one in again] == [["Anna"], ["Oslo"]]
    assert report.counts["documents of several sentences written as one for each"] == 1
    assert sum(count for note, count in report.counts.items() if note.startswith("mentions left out")) == 1


def test_the_commands_take_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tagged, plain = tmp_path / "numbers.jsonl", tmp_path / "plain.jsonl"
    read(tagged, NUMBERS, tag_names=NAMES)
    names = ["--tag-names", ",".join(NAMES)]
    assert main(["corpus", "convert", str(tagged), str(plain), *names]) == 0
    assert main(["corpus", "check", str(tagged), *names, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mentions"] == 2
    for format in ("prodigy", "hugging-face", "gliner"):
        other = tmp_path / f"{format}.json"
        assert main(["corpus", "convert", str(plain), str(other), "--to", format]) == 0
        capsys.readouterr()
        assert main(["evaluate", str(plain), str(other), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["scores"]["overall"]["f1"] == 100
    assert main(["corpus", "check", str(tagged)]) == 2
    assert "numbers.jsonl:1: row 1: the tag 1 is a number without a name" in capsys.readouterr().err
