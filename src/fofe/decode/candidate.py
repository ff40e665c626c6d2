"""A candidate mention, and the orders in which strategies take candidates."""

from __future__ import annotations

from typing import NamedTuple


class Candidate(NamedTuple):
    """Tokens `start` to `end` (half-open, at least one) of a sentence, with a label and its probability."""

    start: int
    end: int
    label: str
    score: float


Rank = tuple[float, float, float, str]


def by_score(candidate: Candidate) -> Rank:
    """Sorts the best score first; ties go to the left, then to the longer, then by label."""
    start, end, label, score = candidate
    return -score, start, -end, label


def by_length(candidate: Candidate) -> Rank:
    """Sorts the longest first, then the best score; ties go to the left, then by label."""
    start, end, label, score = candidate
    return start - end, -score, start, label


def by_position(candidate: Candidate) -> tuple[int, int]:
    """Sorts in reading order: by start, then by end."""
    return candidate.start, candidate.end


def contains(outer: Candidate, inner: Candidate) -> bool:
    """Whether `inner` lies in `outer` and is shorter."""
    return (
        outer.start <= inner.start
        and inner.end <= outer.end
        and inner.end - inner.start < outer.end - outer.start
    )
