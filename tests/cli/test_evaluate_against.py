"""`fofe evaluate --against` on small files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fofe.base.errors import InputError
from fofe.cli import make_parser

TEXT = "Ann met Bob ."
ANN = {"start": 0, "end": 3, "type": "PER", "kind": "NAM"}
BOB = {"start": 8, "end": 11, "type": "PER", "kind": "NAM"}


def write(path: Path, documents: list[list[dict[str, object]]]) -> str:
    lines = [json.dumps({"text": TEXT, "mentions": mentions}) for mentions in documents]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Gold, a prediction that misses every second Bob, and a perfect one."""
    return [
        write(tmp_path / "gold.jsonl", [[ANN, BOB]] * 20),
        write(tmp_path / "a.jsonl", [[ANN, BOB], [ANN]] * 10),
        write(tmp_path / "b.jsonl", [[ANN, BOB]] * 20),
    ]


def run(gold: str, a: str, b: str, *options: str) -> int:
    args = make_parser(["evaluate"]).parse_args(["evaluate", gold, b, "--against", a, *options])
    result = args.run(args) or 0
    assert isinstance(result, int)
    return result


def test_json(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*files, "--bootstrap", "500", "--json") == 0
    data = json.loads(capsys.readouterr().out)["comparison"]
    assert data["samples"] == 500
    assert (data["recall"]["a"], data["recall"]["b"], data["recall"]["difference"]) == (75, 100, 25)
    assert 0 < data["f1"]["low"] < data["f1"]["difference"] < data["f1"]["high"]
    assert data["f1"]["p"] < 0.01
    assert data["precision"]["p"] == 1


def test_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(*files, "--bootstrap", "100")
    lines = capsys.readouterr().out.splitlines()
    (recall,) = [line for line in lines if line.startswith("recall") and "+" in line]
    assert recall.split()[1:4] == ["75.00", "100.00", "+25.00"]
    assert "100 samples of documents" in lines[-1]


def test_the_seed_decides(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    def result(seed: str) -> str:
        run(*files, "--bootstrap", "50", "--seed", seed, "--json")
        return capsys.readouterr().out

    assert result("1") == result("1") != result("2")


def test_corpora_of_no_document_are_named(files: list[str], tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl", [])
    gold, a, b = files
    for paths in ([empty, empty, empty], [gold, empty, b], [gold, a, empty]):
        with pytest.raises(InputError, match=r"empty\.jsonl: holds no document"):
            run(*paths)


def test_one_document_is_too_few(tmp_path: Path) -> None:
    path = write(tmp_path / "one.jsonl", [[ANN]])
    with pytest.raises(InputError, match="only one document"):
        run(path, path, path)
