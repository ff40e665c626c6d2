"""The sentences under examples/kitchen are those that its program writes, and what its README counts."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

KITCHEN = Path(__file__).parents[1] / "examples" / "kitchen"
PARTS = ("train", "dev")


def read(part: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (KITCHEN / f"{part}.jsonl").read_text("utf-8").splitlines()]


def inside(mention: dict[str, Any], other: dict[str, Any]) -> bool:
    return other is not mention and other["start"] <= mention["start"] and mention["end"] <= other["end"]


def test_the_program_writes_these_sentences(tmp_path: Path) -> None:
    runpy.run_path(str(KITCHEN / "make.py"))["main"](tmp_path)
    for part in PARTS:
        assert (tmp_path / f"{part}.jsonl").read_bytes() == (KITCHEN / f"{part}.jsonl").read_bytes()


def test_the_readme_counts_right() -> None:
    rows = re.findall(r"^\| ([\w ]+) \| (\d+) \| (\d+) \|$", (KITCHEN / "README.md").read_text("utf-8"), re.M)
    for column, part in enumerate(PARTS, start=1):
        sentences = read(part)
        mentions = [mention for sentence in sentences for mention in sentence["mentions"]]
        counted = {
            "sentences": len(sentences),
            "without a mention": sum(not sentence["mentions"] for sentence in sentences),
            "mentions": len(mentions),
            "inside another mention": sum(
                any(inside(mention, other) for other in sentence["mentions"])
                for sentence in sentences
                for mention in sentence["mentions"]
            ),
            **{
                type: sum(mention["type"] == type for mention in mentions)
                for type in ("DISH", "INGREDIENT", "TOOL")
            },
        }
        assert {row[0]: int(row[column]) for row in rows} == counted


@pytest.mark.parametrize("part", PARTS)
def test_mentions_are_whole_words_without_articles(part: str) -> None:
    for sentence in read(part):
        for mention in sentence["mentions"]:
            text = sentence["text"]
            words = text[mention["start"] : mention["end"]]
            assert re.fullmatch(r"(?!(an?|the) )\w[\w -]*\w", words), words
            assert not text[mention["end"]].isalnum()
            assert not mention["start"] or not text[mention["start"] - 1].isalnum()


def test_no_sentence_stands_twice() -> None:
    texts = [sentence["text"] for part in PARTS for sentence in read(part)]
    assert len(set(texts)) == len(texts)
