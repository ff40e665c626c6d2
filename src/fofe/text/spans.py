"""Mentions laid out over their text: rows of underlines, and elements that open and close in order."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from fofe.text.document import Mention


class Piece(NamedTuple):
    """A part of the text between two borders of mentions."""

    start: int
    end: int
    opened: list[int]
    """The numbers of the mentions whose elements open before this piece, the outermost first."""
    closed: list[int]
    """Those whose elements close after it, the innermost first."""
    ended: frozenset[int]
    """Those that end after it. A mention that crosses one of these closes too, and opens again."""


def rows(mentions: Sequence[Mention]) -> list[int]:
    """The row of each mention's underline: 0 is next to the text, and no two in a row overlap.

    Shorter mentions come first, so the inner ones of a nest lie nearer to the text.
    """
    found = [0] * len(mentions)
    filled: list[_Row] = []
    for number in sorted(range(len(mentions)), key=lambda number: _size(mentions[number])):
        mention = mentions[number]
        place = next((place for place, row in enumerate(filled) if row.has_room(mention)), len(filled))
        if place == len(filled):
            filled.append(_Row())
        filled[place].add(mention)
        found[number] = place
    return found


class _Row:
    """Mentions that do not overlap, in order."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def has_room(self, mention: Mention) -> bool:
        """Whether the mention overlaps none: of those that start before its end the last reaches furthest."""
        place = bisect_left(self._starts, mention.end)
        return place == 0 or self._ends[place - 1] <= mention.start

    def add(self, mention: Mention) -> None:
        place = bisect_left(self._starts, mention.end)
        self._starts.insert(place, mention.start)
        self._ends.insert(place, mention.end)


def pieces(mentions: Sequence[Mention], length: int) -> Iterator[Piece]:
    """The pieces of a text of `length` characters, so that the elements of mentions nest in one another."""
    starting: defaultdict[int, list[int]] = defaultdict(list)
    ending: defaultdict[int, list[int]] = defaultdict(list)
    for number, mention in enumerate(mentions):
        starting[mention.start].append(number)
        ending[mention.end].append(number)
    again: list[int] = []
    stack: list[int] = []
    for start, end in pairwise(sorted({0, length, *starting, *ending})):
        opened = sorted(
            again + starting[start],
            key=lambda number: (-mentions[number].end, mentions[number].start, number),
        )
        stack += opened
        ended = frozenset(ending[end])
        # Whatever stands above the lowest element that ends must close with it.
        lowest = next((place for place, number in enumerate(stack) if number in ended), len(stack))
        closed = stack[lowest:][::-1]
        del stack[lowest:]
        again = [number for number in closed if number not in ended]
        yield Piece(start, end, opened, closed, ended)


def _size(mention: Mention) -> tuple[int, int]:
    return mention.end - mention.start, mention.start
