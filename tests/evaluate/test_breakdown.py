"""Groups of mentions, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fofe.base.errors import InputError
from fofe.evaluate.breakdown import by_depth, by_length, by_seen, window_ceilings
from fofe.evaluate.scores import Counts, score_documents
from fofe.text.document import Document, Mention

WORDS = ["the", "University", "of", "British", "Columbia", "in", "Vancouver", "hired", "Ann"]


def document(*mentions: tuple[str, str]) -> Document:
    """The sentence of `WORDS` with mentions given by their string and type."""
    built = Document.from_words([WORDS])
    for string, type in mentions:
        start = built.text.index(string)
        built.mentions.append(Mention(start, start + len(string), type))
    return built


GOLD = document(
    ("University of British Columbia", "ORG"),
    ("British Columbia", "GPE"),
    ("British", "LOC"),
    ("Vancouver", "GPE"),
    ("the University of British Columbia in Vancouver hired", "X"),
)
PREDICTED = document(
    ("University of British Columbia", "ORG"),
    ("British Columbia", "ORG"),
    ("Vancouver", "GPE"),
    ("hired Ann", "PER"),
)


def test_by_length_in_tokens() -> None:
    assert by_length([GOLD], [PREDICTED]) == {
        "1": Counts(tp=1, fn=1),
        "2": Counts(fp=2, fn=1),
        "4": Counts(tp=1),
        "8+": Counts(fn=1),
    }


def test_by_length_counts_every_token_that_is_touched() -> None:
    part = replace(GOLD, mentions=[Mention(6, 18, "X")])
    assert GOLD.text[6:18] == "iversity of "
    assert list(by_length([part], [part])) == ["2"]


def test_by_length_needs_tokens() -> None:
    bare = Document("Ann", mentions=[Mention(0, 3, "PER")])
    with pytest.raises(InputError, match="document 1 of the gold has no tokens"):
        by_length([bare], [bare])


def test_by_depth_counts_the_gold_mentions_around() -> None:
    assert by_depth([GOLD], [PREDICTED]) == {
        "0": Counts(fp=1, fn=1),
        "1": Counts(tp=2),
        "2": Counts(fp=1, fn=1),
        "3+": Counts(fn=1),
    }


def test_by_seen_goes_by_string_and_label() -> None:
    train = Document("Vancouver , British \n Columbia")
    train.mentions = [Mention(0, 9, "GPE"), Mention(12, 30, "GPE")]
    assert by_seen([GOLD], [PREDICTED], [train]) == {
        "seen": Counts(tp=1, fn=1),
        "seen with another label": Counts(fp=1),
        "unseen": Counts(tp=1, fp=1, fn=2),
    }


def test_groups_add_up_to_the_whole() -> None:
    whole = score_documents([GOLD], [PREDICTED]).overall
    for groups in (
        by_length([GOLD], [PREDICTED]),
        by_depth([GOLD], [PREDICTED]),
        by_seen([GOLD], [PREDICTED], []),
    ):
        assert sum(groups.values(), Counts()) == whole


def test_window_ceilings_are_shares_of_gold_mentions() -> None:
    ceilings = window_ceilings([GOLD])
    assert [ceilings[n] for n in (1, 2, 3, 4, 7, 8)] == [40, 60, 60, 80, 80, 100]
    assert set(window_ceilings([document()]).values()) == {0}
