"""Resolving overlaps: which of the scored candidates of a sentence become mentions.

Flat strategies keep candidates of which no two overlap. `highest-first` and `longest-first` take the
candidates of a sentence in order of rank and keep each that overlaps nothing kept before. The `by-word` forms
follow the text instead: at every word, left to right, the best of the remaining candidates with the word
stays and the others go, even if the winner itself loses at a later word. So they may drop a
candidate that overlaps nothing in the result. Nested strategies keep candidates that lie inside others, but
none that cross.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TypeVar

from fofe.base.errors import FofeError
from fofe.text.document import Mention


class Candidate(NamedTuple):
    """Tokens `start` to `end` (half-open, at least one) of a sentence, with a label and its probability."""

    start: int
    end: int
    label: str
    score: float


Item = TypeVar("Item", Candidate, Mention)
Rank = tuple[float, float, float, str]


def by_score(candidate: Candidate) -> Rank:
    """Sorts the best score first; ties go to the left, then to the longer, then by label."""
    start, end, label, score = candidate
    return -score, start, -end, label


def by_length(candidate: Candidate) -> Rank:
    """Sorts the longest first, then the best score; ties go to the left, then by label."""
    start, end, label, score = candidate
    return start - end, -score, start, label


def contains(outer: Candidate, inner: Candidate) -> bool:
    """Whether `inner` lies in `outer` and is shorter."""
    return outer.start <= inner.start and inner.end <= outer.end and outer[:2] != inner[:2]


Flat = Callable[[Iterable[Candidate]], list[Candidate]]


def _by_rank(candidates: Iterable[Candidate], rank: Callable[[Candidate], Rank]) -> list[Candidate]:
    """Keep by rank what overlaps nothing kept; the kept are disjoint, so one look at the nearest suffices."""
    kept: list[Candidate] = []
    starts: list[int] = []
    for candidate in sorted(candidates, key=rank):
        place = bisect_left(starts, candidate.end)
        if place == 0 or kept[place - 1].end <= candidate.start:
            kept.insert(place, candidate)
            starts.insert(place, candidate.start)
    return kept


def _by_word(candidates: Iterable[Candidate], rank: Callable[[Candidate], Rank]) -> list[Candidate]:
    """After each word at most one candidate that holds it remains: the last of `kept`.

    The number of contenders changes only where candidates start, so only those words are looked at.
    """
    kept: list[Candidate] = []
    for start, starting in groupby(sorted(candidates), key=attrgetter("start")):
        contenders = list(starting)
        if kept and kept[-1].end > start:
            contenders.append(kept.pop())
        kept.append(min(contenders, key=rank))
    return kept


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
    return sorted(kept, key=attrgetter("start", "end"))


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
    return [kept[span] for span in sorted(kept)]


HIGHEST_FIRST = "highest-first"
NON_CROSSING = "non-crossing"

_FLAT: dict[str, Flat] = {
    HIGHEST_FIRST: partial(_by_rank, rank=by_score),
    "longest-first": partial(_by_rank, rank=by_length),
    "highest-first-by-word": partial(_by_word, rank=by_score),
    "longest-first-by-word": partial(_by_word, rank=by_length),
}

STRATEGIES = (*_FLAT, NON_CROSSING)


def resolve(
    candidates: Iterable[Candidate], strategy: str = HIGHEST_FIRST, nested: bool = False
) -> list[Candidate]:
    """Choose among the candidates of one sentence; the result is in order of start, then end.

    Without `nested`, no two of the result overlap. With it, the strategy is applied again inside every
    survivor, so mentions may lie in one another but never cross. "non-crossing" is nested by nature:
    the flag changes nothing there.
    """
    if strategy not in STRATEGIES:
        raise FofeError(f"unknown strategy {strategy!r} (choose from {', '.join(STRATEGIES)})")
    pool = list(candidates)
    if len(pool) < 2:
        return pool
    if strategy == NON_CROSSING:
        return non_crossing(pool)
    flat = _FLAT[strategy]
    return recursive(pool, flat) if nested else flat(pool)


def outermost(items: Iterable[Item]) -> list[Item]:
    """Those that lie in no other, in reading order; of several on one span the first."""
    first: dict[tuple[int, int], Item] = {}
    for item in items:
        first.setdefault((item.start, item.end), item)
    return [first[span] for span in outer_spans(first)]


def outer_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The distinct half-open spans that lie in no other, in reading order."""
    kept: list[tuple[int, int]] = []
    furthest = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > furthest:
            kept.append((start, end))
            furthest = end
    return kept
