"""`fofe tag --format html` and `--redact`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fofe.cli import main

TEXT = "Anna Berg met the mayor of Bergen."


def tag(model: Path, *arguments: str) -> int:
    return main(["tag", "--model", str(model), *arguments])


def test_html_is_one_page_with_every_document(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text(f"{TEXT}\n5 < 6 & 7\n", "utf-8")
    assert tag(tiny_path, str(texts), "--format", "html") == 0
    page = capsys.readouterr().out
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert page.count("<article>") == 2
    assert "5 &lt; 6 &amp; 7" in page
    assert ">Anna Berg<small>PER " in page


def test_several_workers_write_the_same_page(tiny_path: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text(f"{TEXT}\n" * 3, "utf-8")
    for workers in "1", "2":
        tag(
            tiny_path, str(texts), "-f", "html", "--workers", workers, "-o", str(tmp_path / f"{workers}.html")
        )
    assert (tmp_path / "1.html").read_text("utf-8") == (tmp_path / "2.html").read_text("utf-8")


def test_redaction_writes_text_with_types(tiny_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tag(tiny_path, "--text", TEXT, "--redact") == 0
    assert capsys.readouterr().out == "[PER] met the [PER_NOM] of [GPE].\n"


def test_redacted_json_lines_keep_ids_and_nothing_else(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "letters.csv"
    table.write_text(f"id,sender,text\n7,Anna Berg,{TEXT}\n", "utf-8")
    assert tag(tiny_path, str(table), "--redact", "--format", "jsonl") == 0
    expected = {"id": "7", "text": "[PER] met the [PER_NOM] of [GPE].", "mentions": []}
    captured = capsys.readouterr()
    assert json.loads(captured.out) == expected
    assert "1 document whose metadata redaction left out (first: 7)" in captured.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-f", "html"], "--redact writes no html: give --format text or jsonl"),
        (["-o", "x.tsv"], "--redact writes no tsv: give --format text or jsonl"),
        (["-f", "tsv", "--alternatives", "1"], "--alternatives is about mentions, which --redact does not"),
        (["--offsets", "utf16"], "--offsets is about mentions, which --redact does not write: leave it out"),
    ],
)
def test_redaction_refuses_formats_and_options_of_mentions(
    arguments: list[str], problem: str, tiny_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tag(tiny_path, "--text", TEXT, "--redact", *arguments) == 2
    assert problem in capsys.readouterr().err
