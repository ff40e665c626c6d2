"""Cutting a stream of sentences into pieces that are scored at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Piece(NamedTuple):
    """Sentences `first` to `last` (half-open) are tagged, from `first_seen` to `last_seen` they are seen."""

    first: int
    last: int
    first_seen: int
    last_seen: int


def pieces(
    lengths: Sequence[int], opens: Sequence[bool], *, tokens_wanted: int, reach: int, nearby: int = 0
) -> Iterator[Piece]:
    """Pieces of about so many tokens, at least one sentence each.

    Args:
        lengths: the tokens of each sentence.
        opens: whether each sentence is the first of its document.
        tokens_wanted: about how many tokens a piece has.
        reach: how many tokens beyond a sentence of the same document can change its scores: so many are seen
            on both sides of a piece, so that where it was cut does not show in the result.
        nearby: how many sentences beyond that can change the scores of what is within reach.
    """
    first = 0
    while first < len(lengths):
        last, tokens = first, 0
        while last < len(lengths) and (last == first or tokens + lengths[last] <= tokens_wanted):
            tokens += lengths[last]
            last += 1
        seen = _back(lengths, opens, first, reach, nearby), _on(lengths, opens, last, reach, nearby)
        yield Piece(first, last, *seen)
        first = last


def _back(lengths: Sequence[int], opens: Sequence[bool], first: int, reach: int, nearby: int) -> int:
    while (reach > 0 or nearby > 0) and not opens[first]:
        first -= 1
        reach, nearby = _left(reach, nearby, lengths[first])
    return first


def _on(lengths: Sequence[int], opens: Sequence[bool], last: int, reach: int, nearby: int) -> int:
    while (reach > 0 or nearby > 0) and last < len(lengths) and not opens[last]:
        reach, nearby = _left(reach, nearby, lengths[last])
        last += 1
    return last


def _left(reach: int, nearby: int, length: int) -> tuple[int, int]:
    """How many tokens and then sentences are still to be seen after a sentence of some length."""
    return (reach - length, nearby) if reach > 0 else (reach, nearby - 1)
