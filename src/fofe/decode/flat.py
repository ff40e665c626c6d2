"""Flat strategies: which of the candidates stay when no two may overlap.

`highest_first` and `longest_first` take the candidates of the whole sentence in order of rank and keep
each that overlaps nothing kept before. The `by_word` forms follow the text instead: at every word, left
to right, the best of the remaining candidates that hold the word stays and the others go, even if the
winner itself loses at a later word. So they may drop a candidate that overlaps nothing in the result.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter

from fofe.decode.candidate import Candidate, Rank, by_length, by_score


def highest_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return _by_rank(candidates, by_score)


def longest_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    return _by_rank(candidates, by_length)


def highest_first_by_word(candidates: Iterable[Candidate]) -> list[Candidate]:
    return _by_word(candidates, by_score)


def longest_first_by_word(candidates: Iterable[Candidate]) -> list[Candidate]:
    return _by_word(candidates, by_length)


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
