"""Agreement between mentions of the same text."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.arrays import FloatArray
from fofe.decode.agree import NEAR, SLIPS, SURE, WORTH_IT, agreed
from fofe.features.fragments import Fragments, all_fragments

CITY_OR_CLUB = [0.1, 0.5, 0.4]
"""NONE, LOC, ORG: a guess."""
CLUB = [0.02, 0.01, 0.97]
NO_MENTION = [0.98, 0.01, 0.01]


def single_words(sentences: list[list[str]]) -> Fragments:
    """A fragment for every word."""
    lengths = [len(sentence) for sentence in sentences]
    return all_fragments(np.cumsum([0, *lengths]), 1)


def judged(
    sentences: list[list[str]],
    rows: list[list[float]],
    *,
    opens: list[bool] | None = None,
    weight: float = 1.0,
) -> FloatArray:
    if opens is None:
        opens = [not number for number in range(len(sentences))]
    own = np.array(rows, dtype=np.float32)
    return agreed(own, single_words(sentences), sentences, opens, weight)


def test_a_plain_mention_tells_what_a_doubtful_one_is() -> None:
    made = judged([["Barcelona"], ["BARCELONA"]], [CITY_OR_CLUB, CLUB])
    assert made[0].argmax() == 2
    assert made[0, 0] == pytest.approx(0.1), "whether it is a mention stays"
    assert made.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize(
    ("sentences", "opens", "other"),
    [
        ([["Barcelona"], ["Barcelona"]], [True, True], CLUB),
        ([["Barcelona"], ["Madrid"]], [True, False], CLUB),
        ([["Barcelona", "Barcelona"]], [True], CLUB),
        ([["Barcelona"], ["Barcelona"]], [True, False], NO_MENTION),
    ],
    ids=["another document", "another text", "the same sentence", "no mention"],
)
def test_what_does_not_count(sentences: list[list[str]], opens: list[bool], other: list[float]) -> None:
    assert judged(sentences, [CITY_OR_CLUB, other], opens=opens)[0] == pytest.approx(CITY_OR_CLUB, abs=2e-3)


def test_what_is_far_away_does_not_count() -> None:
    for apart, label in ((NEAR, 2), (NEAR + 1, 1)):
        sentences = [["Barcelona"], ["."] * (apart - 1), ["Barcelona"]]
        made = judged(sentences, [CITY_OR_CLUB, *[NO_MENTION] * (apart - 1), CLUB])
        assert made[0].argmax() == label


def test_a_text_that_is_repeated_without_end_takes_little_memory() -> None:
    sentences = [["Paris"] * 10] * 3000
    rows = np.tile(np.array([CITY_OR_CLUB], dtype=np.float32), (30_000, 1))
    tracemalloc.start()
    agreed(rows, single_words(sentences), sentences, [True] + [False] * 2999, 1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000_000


def test_without_weight_nothing_changes() -> None:
    own = np.array([CITY_OR_CLUB, CLUB], dtype=np.float32)
    sentences = [["a"], ["a"]]
    assert agreed(own, single_words(sentences), sentences, [True, False], 0.0) is own


@given(
    st.lists(st.lists(st.sampled_from("aAb"), min_size=1, max_size=3), min_size=1, max_size=6),
    st.floats(0.1, 2),
    st.data(),
)
def test_types_are_the_product_of_what_counts(
    sentences: list[list[str]], weight: float, data: st.DataObject
) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    words = [word.lower() for sentence in sentences for word in sentence]
    sentence_of = [number for number, sentence in enumerate(sentences) for _ in sentence]
    own = random.dirichlet([0.5] * 4, len(words)).astype(np.float32)
    opens = [True, *(bool(random.random() < 0.3) for _ in sentences[1:])]
    made = agreed(own, single_words(sentences), sentences, opens, weight)
    for one, row in enumerate(own.astype(float)):
        if abs(1 - row[0] - WORTH_IT) < 1e-6:
            continue
        expected = row[1:] / (1 - row[0]) + SLIPS
        for other, other_row in enumerate(own.astype(float)):
            near = words[one] == words[other] and sentence_of[one] != sentence_of[other]
            first, last = sorted((sentence_of[one], sentence_of[other]))
            if near and 1 - other_row[0] > SURE and not any(opens[first + 1 : last + 1]):
                expected = expected * (other_row[1:] / (1 - other_row[0]) + SLIPS) ** weight
        if 1 - row[0] < WORTH_IT:
            assert made[one].tolist() == own[one].tolist()
        else:
            assert made[one, 1:] == pytest.approx((1 - row[0]) * expected / math.fsum(expected), abs=1e-4)
            assert made[one, 0] == own[one, 0]


@pytest.mark.parametrize(("probability", "counts"), [(0.45, False), (0.55, True)])
def test_a_likely_mention_counts_elsewhere_and_an_unlikely_one_does_not(
    probability: float, counts: bool
) -> None:
    other = [1 - probability, 0.01 * probability, 0.99 * probability]
    made = judged([["Barcelona"], ["Barcelona"]], [CITY_OR_CLUB, other])
    assert (made[0].argmax() == 2) == counts
