"""The corpus under examples/ keeps what its README promises."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

CORPUS = Path(__file__).parents[1] / "examples" / "corpus"
PARTS = ("train", "dev")
TYPES = ("PER", "ORG", "GPE", "LOC", "FAC")
KINDS = ("NAM", "NOM")
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
SOMETIMES_NO_MENTION = {"party"}
"""Nominals that are an ordinary word elsewhere in the corpus, as the README says."""


class Mention(NamedTuple):
    start: int
    end: int
    type: str
    kind: str

    def holds(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.end


class Sentence(NamedTuple):
    id: str
    text: str
    mentions: list[Mention]

    def words(self, mention: Mention) -> str:
        return self.text[mention.start : mention.end]

    def pairs(self) -> Iterator[tuple[Mention, Mention]]:
        """Every mention with every mention that comes after it."""
        for position, first in enumerate(self.mentions):
            for second in self.mentions[position + 1 :]:
                yield first, second


def read(part: str) -> list[Sentence]:
    lines = (CORPUS / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Sentence(row["id"], row["text"], [Mention(**mention) for mention in row["mentions"]])
        for row in map(json.loads, lines)
    ]


def counts(sentences: list[Sentence]) -> dict[str, int]:
    """What the table of the README counts, row by row."""
    labels = Counter(f"{m.type} {m.kind}" for sentence in sentences for m in sentence.mentions)
    inner = {
        (sentence.id, second)
        for sentence in sentences
        for first, second in sentence.pairs()
        if first.holds(second.start, second.end)
    }
    return {
        "sentences": len(sentences),
        "without a mention": sum(not sentence.mentions for sentence in sentences),
        "mentions": labels.total(),
        "inside another mention": len(inner),
        **{f"{type} {kind}": labels[f"{type} {kind}"] for type in TYPES for kind in KINDS},
    }


@pytest.mark.parametrize("part", PARTS)
def test_ids_are_numbered_in_order(part: str) -> None:
    sentences = read(part)
    assert [sentence.id for sentence in sentences] == [f"{part}-{n + 1:03}" for n in range(len(sentences))]


@pytest.mark.parametrize("part", PARTS)
def test_texts_are_single_clean_lines(part: str) -> None:
    for sentence in read(part):
        assert sentence.text == " ".join(sentence.text.split()), sentence.id
        assert 5 <= len(sentence.text.split()) <= 30, sentence.id


@pytest.mark.parametrize("part", PARTS)
def test_mentions_cover_whole_words_of_the_text(part: str) -> None:
    for sentence in read(part):
        for mention in sentence.mentions:
            assert 0 <= mention.start < mention.end <= len(sentence.text), sentence.id
            before, after = sentence.text[: mention.start], sentence.text[mention.end :]
            assert not re.search(r"\w$", before), (sentence.id, mention)
            assert not re.match(r"\w", after), (sentence.id, mention)
            assert re.fullmatch(r"\w(.*\w)?", sentence.words(mention)), (sentence.id, mention)


@pytest.mark.parametrize("part", PARTS)
def test_mentions_are_sorted_and_each_stands_once(part: str) -> None:
    for sentence in read(part):
        order = [(mention.start, -mention.end) for mention in sentence.mentions]
        assert order == sorted(set(order)), sentence.id


@pytest.mark.parametrize("part", PARTS)
def test_mentions_nest_but_never_cross(part: str) -> None:
    for sentence in read(part):
        for first, second in sentence.pairs():
            assert second.start >= first.end or first.holds(second.start, second.end), sentence.id


@pytest.mark.parametrize("part", PARTS)
def test_labels_are_the_five_types_and_two_kinds(part: str) -> None:
    labels = {(m.type, m.kind) for sentence in read(part) for m in sentence.mentions}
    assert labels == {(type, kind) for type in TYPES for kind in KINDS}


@pytest.mark.parametrize("part", PARTS)
def test_nominals_are_one_word_and_only_names_of_three_types_hold_others(part: str) -> None:
    for sentence in read(part):
        for mention in sentence.mentions:
            if mention.kind == "NOM":
                assert WORD.fullmatch(sentence.words(mention)), (sentence.id, mention)
        for outer, inner in sentence.pairs():
            if outer.holds(inner.start, inner.end):
                assert outer.kind == inner.kind == "NAM", sentence.id
                assert outer.type in {"ORG", "FAC", "LOC"}, sentence.id


@pytest.mark.parametrize("part", PARTS)
def test_names_leave_out_articles_titles_and_possessives(part: str) -> None:
    left_out = {"The", "the", "Dr.", "Mrs.", "President", "Captain", "Professor"}
    names = [s.words(m).split() for s in read(part) for m in s.mentions if m.kind == "NAM"]
    assert [name for name in names if name[0] in left_out or name[-1].endswith("'s")] == []


def test_a_nominal_is_annotated_wherever_it_stands() -> None:
    sentences = read("train") + read("dev")
    nominals = {s.words(m).lower() for s in sentences for m in s.mentions if m.kind == "NOM"}
    missed = [
        (sentence.id, word.group())
        for sentence in sentences
        for word in WORD.finditer(sentence.text)
        if word.group().lower() in nominals - SOMETIMES_NO_MENTION
        and not any(mention.holds(*word.span()) for mention in sentence.mentions)
    ]
    assert missed == []


def test_a_nominal_has_the_same_type_everywhere() -> None:
    types: dict[str, set[str]] = {}
    for sentence in read("train") + read("dev"):
        for mention in sentence.mentions:
            if mention.kind == "NOM":
                types.setdefault(sentence.words(mention).lower(), set()).add(mention.type)
    assert {word: found for word, found in types.items() if len(found) > 1} == {}


def test_no_sentence_stands_twice() -> None:
    texts = [sentence.text.casefold() for part in PARTS for sentence in read(part)]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


def test_every_label_is_frequent_enough_to_learn() -> None:
    found = counts(read("train"))
    assert all(found[f"{type} NAM"] >= 60 for type in TYPES)
    assert all(found[f"{type} NOM"] >= 40 for type in TYPES)
    assert found["inside another mention"] >= 60


def test_the_readme_states_the_counts() -> None:
    readme = (CORPUS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Za-z ]+) \| (\d+) \| (\d+) \|$", readme, flags=re.MULTILINE)
    train, dev = counts(read("train")), counts(read("dev"))
    assert {name: (int(a), int(b)) for name, a, b in rows} == {
        name: (train[name], dev[name]) for name in train
    }
    assert f"{train['sentences'] + dev['sentences']} English sentences" in readme
