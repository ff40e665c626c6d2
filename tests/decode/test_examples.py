"""Small cases worked out by hand."""

from __future__ import annotations

import pytest

from fofe.base.errors import FofeError
from fofe.decode import STRATEGIES, Candidate, resolve

PER = Candidate(1, 3, "PER", 0.7)
LOC = Candidate(2, 4, "LOC", 0.8)
ORG = Candidate(0, 4, "ORG", 0.9)


def test_highest_first_keeps_the_strongest_of_overlapping() -> None:
    assert resolve([PER, LOC, ORG]) == [ORG]


def test_nested_looks_inside_the_survivor_again() -> None:
    assert resolve([PER, LOC, ORG], nested=True) == [ORG, LOC]


def test_longest_first_prefers_length_to_score() -> None:
    outer = Candidate(0, 3, "ORG", 0.4)
    inner = Candidate(0, 2, "PER", 0.9)
    assert resolve([inner, outer], "longest-first") == [outer]
    assert resolve([inner, outer], "highest-first") == [inner]
    assert resolve([inner, outer], "longest-first", nested=True) == [inner, outer]


def test_nested_highest_first_loses_the_outer_and_non_crossing_keeps_it() -> None:
    outer = Candidate(0, 3, "ORG", 0.4)
    inner = Candidate(2, 3, "LOC", 0.9)
    assert resolve([outer, inner], "highest-first", nested=True) == [inner]
    assert resolve([outer, inner], "non-crossing") == [outer, inner]


def test_non_crossing_drops_the_weaker_of_two_that_cross() -> None:
    assert resolve([PER, LOC, ORG], "non-crossing") == [ORG, LOC]


def test_equal_spans_are_kept_once_under_their_best_label() -> None:
    same = [Candidate(0, 2, "LOC", 0.3), Candidate(0, 2, "ORG", 0.6), Candidate(0, 2, "PER", 0.5)]
    for strategy in STRATEGIES:
        for nested in (False, True):
            assert resolve(same, strategy, nested) == [same[1]]


def test_nesting_reaches_any_depth() -> None:
    chain = [Candidate(0, length, "X", 0.5 + length / 10_000) for length in range(1, 1100)]
    assert resolve(chain, "highest-first", nested=True) == chain


def test_by_word_lets_a_later_loser_discard_an_earlier_candidate() -> None:
    first = Candidate(0, 2, "PER", 0.5)
    second = Candidate(1, 4, "ORG", 0.6)
    third = Candidate(3, 5, "LOC", 0.7)
    assert resolve([first, second, third], "highest-first-by-word") == [third]
    assert resolve([first, second, third], "highest-first") == [first, third]


def test_longest_first_by_word() -> None:
    short = Candidate(0, 1, "PER", 0.9)
    long = Candidate(0, 3, "ORG", 0.5)
    apart = Candidate(3, 4, "LOC", 0.5)
    assert resolve([short, long, apart], "longest-first-by-word") == [long, apart]
    assert resolve([short, long, apart], "longest-first-by-word", nested=True) == [short, long, apart]


def test_ties_go_to_the_left_then_to_the_longer_then_by_label() -> None:
    assert resolve([Candidate(1, 3, "A", 0.5), Candidate(0, 2, "B", 0.5)]) == [Candidate(0, 2, "B", 0.5)]
    assert resolve([Candidate(0, 1, "A", 0.5), Candidate(0, 2, "B", 0.5)]) == [Candidate(0, 2, "B", 0.5)]
    assert resolve([Candidate(0, 1, "B", 0.5), Candidate(0, 1, "A", 0.5)]) == [Candidate(0, 1, "A", 0.5)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_and_one_candidate(strategy: str) -> None:
    assert resolve([], strategy) == []
    assert resolve([PER], strategy, nested=True) == [PER]


def test_unknown_strategy_lists_the_known_ones() -> None:
    with pytest.raises(FofeError, match=r"'viterbi'.*highest-first, longest-first.*non-crossing"):
        resolve([], "viterbi")
