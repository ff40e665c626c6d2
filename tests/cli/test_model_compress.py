"""`fofe model compress`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fofe.cli import main
from fofe.model.storage import Storage, load_model


def compressed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["model", "compress", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["compression"]


@pytest.fixture
def dev(tiny_config: Path) -> str:
    return str(tiny_config.parent / "dev.jsonl")


@pytest.fixture
def train(tiny_config: Path) -> str:
    return str(tiny_config.parent / "train.jsonl")


def test_sizes_and_scores_side_by_side(
    tiny_path: Path, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = tmp_path / "small"
    report = compressed(capsys, str(tiny_path), "-o", str(small), "--corpus", dev)
    before, after = report["before"], report["after"]
    assert load_model(small).storage == Storage("int8", "float16")
    assert after["megabytes"] < 0.7 * before["megabytes"]
    assert before["words"] == after["words"]
    assert before["corpus"]["unknown"] == after["corpus"]["unknown"]
    assert after["corpus"]["f1"] == pytest.approx(before["corpus"]["f1"], abs=2)
    assert main(["evaluate", dev, "--model", str(small), "--json"]) == 0
    evaluated = json.loads(capsys.readouterr().out)["scores"]["overall"]
    assert after["corpus"]["f1"] == evaluated["f1"]
    assert after["corpus"]["tokens_per_second"] > 0


def test_a_table_for_eyes(
    tiny_path: Path, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(tiny_path), "-o", str(tmp_path / "small"), "--corpus", dev, "--words", "25"]
    assert main(["model", "compress", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["before", "after"]
    rows = {line.rsplit(maxsplit=2)[0]: line.rsplit(maxsplit=2)[1:] for line in lines[1:]}
    assert list(rows) == [
        "megabytes on disk",
        "CPU seconds to load",
        "words of cased",
        "words of uncased",
        "% of tokens unknown to cased",
        "% of tokens unknown to uncased",
        "tokens a CPU second",
        "precision",
        "recall",
        "F1",
    ]
    assert rows["words of cased"][1] == "25"
    unknown = [float(share) for share in rows["% of tokens unknown to cased"]]
    assert unknown[0] < unknown[1] < 100


def test_words_of_a_corpus_are_kept(
    tiny_path: Path, train: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["-o", str(tmp_path / "small"), "--words", "1", "--keep", train, "--tables", "float32"]
    report = compressed(capsys, str(tiny_path), *options)
    assert report["after"]["words"] == report["before"]["words"], "every word comes from that corpus"
    assert report["after"]["corpus"] is None


def test_inspect_tells_how_weights_are_stored(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compressed(capsys, str(tiny_path), "-o", str(tmp_path / "small"), "--tables", "float16")
    assert main(["model", "inspect", str(tmp_path / "small"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["storage"] == "word tables float16, other weights float16"
    assert facts["dev"].endswith("(before compression)")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "MODEL"], "is the model itself (choose another directory)"),
        (["-o", "MODEL/config.json/x"], "cannot be written: "),
        (["-o", "OUT", "--keep", "MODEL"], "--keep goes with --words: without it all words are kept"),
        (["-o", "OUT", "--words", "0"], "--words 0 leaves no word that has a vector: give a number, or"),
        (["-o", "OUT", "--words", "-3"], "the number of words to keep cannot be -3"),
        (["-o", "OUT", "--corpus", "none.conll"], "none.conll: there is no such file or directory"),
    ],
)
def test_mistakes_are_told(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    paths = {"MODEL": str(tiny_path), "OUT": str(tmp_path / "out")}
    given = [option.replace("MODEL", paths["MODEL"]).replace("OUT", paths["OUT"]) for option in options]
    assert main(["model", "compress", str(tiny_path), *given]) == 2
    error = capsys.readouterr().err
    assert error.startswith("fofe: ")
    assert message in error
    assert not (tmp_path / "out").exists()


def test_what_is_there_is_not_replaced(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "small"
    assert main(["model", "compress", str(tiny_path), "-o", str(output)]) == 0
    before = (output / "config.json").read_bytes()
    assert main(["model", "compress", str(tiny_path), "-o", str(output), "--tables", "float16"]) == 2
    assert f"{output}: exists already (choose another directory, or remove it)" in capsys.readouterr().err
    assert (output / "config.json").read_bytes() == before
