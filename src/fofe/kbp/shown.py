"""What a reader sees of a source document, and where each character of it stands in the source."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from fofe.kbp.markup import entities

BETWEEN_BLOCKS = "\n\n"
"""A blank line, which ends a sentence in every language."""


class Piece(NamedTuple):
    """Characters `source:source_end` of the source, which stand at `shown:shown_end` of what is shown.

    If both have the same length they are the same characters; else the piece is a character reference, which
    cannot be divided.
    """

    shown: int
    shown_end: int
    source: int
    source_end: int

    @property
    def whole(self) -> bool:
        return self.shown_end - self.shown != self.source_end - self.source


class Shown:
    """The text between the tags: blocks with blank lines between them, character references resolved."""

    def __init__(self) -> None:
        self.text = ""
        self._pieces: list[Piece] = []
        self._shown_starts: list[int] = []
        self._source_starts: list[int] = []

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters `start:end` of what is shown stand in the source."""
        first = self._pieces[bisect_right(self._shown_starts, start) - 1]
        last = self._pieces[bisect_right(self._shown_starts, end - 1) - 1]
        source = first.source if first.whole else first.source + start - first.shown
        return source, last.source_end if last.whole else last.source + end - last.shown

    def from_source(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the characters `start:end` of the source are shown, if the first and the last of them are.

        None also where a border divides a character reference.
        """
        first = self._piece_at(start)
        last = self._piece_at(end - 1)
        if first is None or last is None:
            return None
        if (first.whole and start != first.source) or (last.whole and end != last.source_end):
            return None
        shown = first.shown if first.whole else first.shown + start - first.source
        return shown, last.shown_end if last.whole else last.shown + end - last.source

    def _piece_at(self, source: int) -> Piece | None:
        place = bisect_right(self._source_starts, source) - 1
        if place < 0 or source >= self._pieces[place].source_end:
            return None
        return self._pieces[place]


class ShownBuilder:
    """Collects what is shown, stretch after stretch."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._parts: list[str] = []
        self._length = 0
        self._shown = Shown()
        self._block: list[tuple[int, int, str | None]] = []
        """The stretches of the block at hand, with what is shown instead of them."""

    def add(self, start: int, end: int) -> None:
        """Show `start:end` of the source in the block at hand."""
        for reference, after, meaning in entities(self._source, start, end):
            if start < reference:
                self._block.append((start, reference, None))
            self._block.append((reference, after, meaning))
            start = after
        if start < end:
            self._block.append((start, end, None))

    def end_block(self) -> None:
        """What comes next is not part of the same sentence."""
        block = self._trimmed()
        self._block = []
        if not block:
            return
        if self._parts:
            self._parts.append(BETWEEN_BLOCKS)
            self._length += len(BETWEEN_BLOCKS)
        for start, end, meaning in block:
            text = self._source[start:end] if meaning is None else meaning
            piece = Piece(self._length, self._length + len(text), start, end)
            self._shown._pieces.append(piece)
            self._shown._shown_starts.append(piece.shown)
            self._shown._source_starts.append(start)
            self._parts.append(text)
            self._length += len(text)

    def finish(self) -> Shown:
        self.end_block()
        self._shown.text = "".join(self._parts)
        return self._shown

    def _trimmed(self) -> list[tuple[int, int, str | None]]:
        """The block without whitespace around it."""
        block = self._block
        first, last = 0, len(block)
        while first < last and not self._text(block[first]).strip():
            first += 1
        while last > first and not self._text(block[last - 1]).strip():
            last -= 1
        block = block[first:last]
        if block and block[0][2] is None:
            start, end, _ = block[0]
            block[0] = (end - len(self._source[start:end].lstrip()), end, None)
        if block and block[-1][2] is None:
            start, end, _ = block[-1]
            block[-1] = (start, start + len(self._source[start:end].rstrip()), None)
        return block

    def _text(self, stretch: tuple[int, int, str | None]) -> str:
        start, end, meaning = stretch
        return self._source[start:end] if meaning is None else meaning
