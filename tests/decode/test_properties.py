"""What every strategy promises, checked on random candidates against plain definitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fofe.decode import STRATEGIES, Candidate, resolve

if TYPE_CHECKING:
    from tests.conftest import LeastSeconds

GREEDY = ("highest-first", "longest-first")
BY_WORD = ("highest-first-by-word", "longest-first-by-word")


@st.composite
def candidate(draw: st.DrawFn) -> Candidate:
    start = draw(st.integers(0, 11))
    length = draw(st.integers(1, 6))
    return Candidate(start, start + length, draw(st.sampled_from("ABC")), draw(st.integers(1, 9)) / 10)


candidates = st.lists(candidate(), max_size=14)
every_way = pytest.mark.parametrize(
    ("strategy", "nested"), [(strategy, nested) for strategy in STRATEGIES for nested in (False, True)]
)


def words(span: Candidate) -> set[int]:
    return set(range(span.start, span.end))


def overlapping(a: Candidate, b: Candidate) -> bool:
    return bool(words(a) & words(b))


def crossing(a: Candidate, b: Candidate) -> bool:
    return overlapping(a, b) and bool(words(a) - words(b)) and bool(words(b) - words(a))


def same_span(a: Candidate, b: Candidate) -> bool:
    return words(a) == words(b)


def order_of(strategy: str) -> Callable[[Candidate], tuple[float, ...]]:
    if strategy.startswith("highest"):
        return lambda c: (-c.score, c.start, -c.end, ord(c.label))
    return lambda c: (-len(words(c)), -c.score, c.start, ord(c.label))


def naive_greedy(pool: list[Candidate], strategy: str) -> list[Candidate]:
    kept: list[Candidate] = []
    for one in sorted(pool, key=order_of(strategy)):
        if not any(overlapping(one, other) for other in kept):
            kept.append(one)
    return kept


def naive_by_word(pool: list[Candidate], strategy: str) -> list[Candidate]:
    remaining = list(dict.fromkeys(pool))
    for word in range(20):
        holding = sorted((one for one in remaining if word in words(one)), key=order_of(strategy))
        for loser in holding[1:]:
            remaining.remove(loser)
    return remaining


def naive_nested(
    pool: list[Candidate], strategy: str, flat: Callable[[list[Candidate], str], list[Candidate]]
) -> list[Candidate]:
    kept = flat(pool, strategy)
    for survivor in list(kept):
        inside = [one for one in pool if words(one) < words(survivor)]
        kept += naive_nested(inside, strategy, flat)
    return kept


@every_way
@settings(max_examples=40)
@given(pool=candidates, data=st.data())
def test_result_is_part_of_the_input_in_reading_order_whatever_the_order_of_the_input(
    strategy: str, nested: bool, pool: list[Candidate], data: st.DataObject
) -> None:
    result = resolve(pool, strategy, nested)
    assert set(result) <= set(pool)
    assert result == sorted(result, key=lambda c: (c.start, c.end))
    assert resolve(data.draw(st.permutations(pool)), strategy, nested) == result


@pytest.mark.parametrize("strategy", [*GREEDY, *BY_WORD])
@given(pool=candidates)
def test_flat_results_never_overlap(strategy: str, pool: list[Candidate]) -> None:
    assert not any(overlapping(a, b) for a, b in combinations(resolve(pool, strategy), 2))


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(pool=candidates)
def test_nested_results_never_cross_and_no_span_is_kept_twice(strategy: str, pool: list[Candidate]) -> None:
    pairs = list(combinations(resolve(pool, strategy, nested=True), 2))
    assert not any(crossing(a, b) or same_span(a, b) for a, b in pairs)


@pytest.mark.parametrize("strategy", [*GREEDY, *BY_WORD])
@given(pool=candidates)
def test_flat_and_nested_results_equal_the_plain_definition(strategy: str, pool: list[Candidate]) -> None:
    flat = naive_greedy if strategy in GREEDY else naive_by_word
    assert set(resolve(pool, strategy)) == set(flat(pool, strategy))
    assert set(resolve(pool, strategy, nested=True)) == set(naive_nested(pool, strategy, flat))


@pytest.mark.parametrize("strategy", GREEDY)
@given(pool=candidates)
def test_greedy_drops_only_what_overlaps_something_kept(strategy: str, pool: list[Candidate]) -> None:
    kept = resolve(pool, strategy)
    assert all(any(overlapping(one, other) for other in kept) for one in pool)


@given(pool=candidates)
def test_non_crossing_drops_only_what_crosses_or_equals_something_at_least_as_strong(
    pool: list[Candidate],
) -> None:
    kept = resolve(pool, "non-crossing")
    for one in set(pool) - set(kept):
        rivals = [other for other in kept if crossing(one, other) or same_span(one, other)]
        assert any(other.score >= one.score for other in rivals)


@every_way
def test_a_sentence_of_thousands_of_candidates_takes_no_noticeable_time(
    strategy: str, nested: bool, least_seconds: LeastSeconds
) -> None:
    random = np.random.default_rng(1)
    starts = random.integers(0, 5000, 5000).tolist()
    lengths = random.integers(1, 12, 5000).tolist()
    scores = random.random(5000).tolist()
    pool = [Candidate(s, s + n, "X", p) for s, n, p in zip(starts, lengths, scores, strict=True)]
    assert least_seconds(lambda: resolve(pool, strategy, nested), enough=2) < 2
