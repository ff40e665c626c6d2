"""Nested strategies: which of the candidates stay when one may lie inside another but none may cross."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from fofe.decode.candidate import Candidate, by_position, by_score, contains

Flat = Callable[[Iterable[Candidate]], list[Candidate]]


def recursive(candidates: Iterable[Candidate], flat: Flat) -> list[Candidate]:
    """Apply a flat strategy, then again to what lies strictly inside each survivor, to any depth.

    Survivors of a round are disjoint and a candidate within one that is within another is within that
    other too, so each round need only look at what the round before has handed down.
    """
    kept: list[Candidate] = []
    rounds = [list(candidates)]
    while rounds:
        pool = rounds.pop()
        survivors = flat(pool)
        kept += survivors
        if len(survivors) < len(pool):
            rounds += _inside(pool, survivors)
    return sorted(kept, key=by_position)


def _inside(pool: list[Candidate], survivors: list[Candidate]) -> list[list[Candidate]]:
    """What lies strictly inside each survivor (disjoint, in reading order), where anything does."""
    starts = [survivor.start for survivor in survivors]
    inside: dict[int, list[Candidate]] = {}
    for candidate in pool:
        number = bisect_right(starts, candidate.start) - 1
        if number >= 0 and contains(survivors[number], candidate):
            inside.setdefault(number, []).append(candidate)
    return list(inside.values())


def non_crossing(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Keep by score what crosses nothing kept, so an outer mention is not lost to a stronger inner one.

    Of several labels for the same tokens only the best stays. A kept span crosses a candidate if it
    starts inside and ends beyond its end, or ends inside and starts before its start: so it is enough to
    know the furthest end of the kept spans that start at a position and the earliest start of those that
    end there.
    """
    ordered = sorted(candidates, key=by_score)
    size = max((candidate.end for candidate in ordered), default=0) + 1
    furthest_end = [0] * size
    earliest_start = [size] * size
    kept: dict[tuple[int, int], Candidate] = {}
    for candidate in ordered:
        start, end, _, _ = candidate
        inside = slice(start + 1, end)
        if (
            (start, end) in kept
            or max(furthest_end[inside], default=0) > end
            or min(earliest_start[inside], default=size) < start
        ):
            continue
        kept[start, end] = candidate
        furthest_end[start] = max(furthest_end[start], end)
        earliest_start[end] = min(earliest_start[end], start)
    return sorted(kept.values(), key=by_position)
