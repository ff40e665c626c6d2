"""`fofe tag` on the files of other tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fofe.cli import main

TEXT = "Omar Haddad left."
WORDS = ["Omar", "Haddad", "left", "."]


@pytest.mark.parametrize(
    ("name", "format", "content"),
    [
        ("tasks.json", "label-studio", json.dumps([{"id": 1, "data": {"text": TEXT}}])),
        ("export.jsonl", "doccano", json.dumps({"id": 1, "text": TEXT, "label": []}) + "\n"),
        ("tasks.jsonl", "prodigy", json.dumps({"id": 1, "text": TEXT, "spans": []}) + "\n"),
        ("train.json", "gliner", json.dumps([{"id": 1, "tokenized_text": WORDS, "ner": []}])),
        ("train.jsonl", "hugging-face", json.dumps({"id": 1, "tokens": WORDS, "tags": ["O"] * 4})),
        ("news.data", "csv", f"id,text\n1,{TEXT}\n"),
    ],
)
def test_tasks_are_tagged(
    tiny_path: Path, tmp_path: Path, name: str, format: str, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    arguments = ["tag", "-m", str(tiny_path), "--input", format, "-f", "tsv", str(tmp_path / name)]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("1\t0\t11\tPER\t")


def test_a_docbin_is_tagged_by_its_own_tokens(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spacy = pytest.importorskip("spacy", reason="DocBin needs fofe[spacy]")
    from spacy.tokens import DocBin

    DocBin(docs=[spacy.blank("en")(TEXT)]).to_disk(tmp_path / "a.spacy")
    assert main(["tag", "-m", str(tiny_path), str(tmp_path / "a.spacy"), "--redact"]) == 0
    assert capsys.readouterr().out == "[PER] left.\n"
