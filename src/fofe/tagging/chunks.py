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
    lengths: Sequence[int], opens: Sequence[bool], *, tokens_wanted: int, reaches: Sequence[int]
) -> Iterator[Piece]:
    """Pieces of about so many tokens, at least one sentence each.

    Args:
        lengths: the tokens of each sentence.
        opens: whether each sentence is the first of its document.
        tokens_wanted: about how many tokens a piece has.
        reaches: how many tokens beyond a sentence of the same document can change what is found in it: so
            many are seen on both sides of a piece, so that where it was cut does not show in the result. What
            lies within the first reach depends itself on what lies within the next of it, and so on.
    """
    first = 0
    while first < len(lengths):
        last, tokens = first, 0
        while last < len(lengths) and (last == first or tokens + lengths[last] <= tokens_wanted):
            tokens += lengths[last]
            last += 1
        first_seen, last_seen = first, last
        for reach in reaches:
            first_seen = _back(lengths, opens, first_seen, reach)
            last_seen = _on(lengths, opens, last_seen, reach)
        yield Piece(first, last, first_seen, last_seen)
        first = last


def _back(lengths: Sequence[int], opens: Sequence[bool], first: int, reach: int) -> int:
    while reach > 0 and not opens[first]:
        first -= 1
        reach -= lengths[first]
    return first


def _on(lengths: Sequence[int], opens: Sequence[bool], last: int, reach: int) -> int:
    while reach > 0 and last < len(lengths) and not opens[last]:
        reach -= lengths[last]
        last += 1
    return last
