"""Words that were seen before keep their rows: what depends on a word alone is computed once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.encoded import SentenceBounds

FIRST_ROOM = 1024
NO_WORD = 0
"""The place of what stands beyond the borders of a context: a row of zeros."""

Key = TypeVar("Key", bound=Hashable)


class Lexicon(Generic[Key]):
    """The rows of words, computed when a word is first seen and kept for the next time.

    Threads may share one. It starts anew when it is full: frequent words are back at once.
    """

    def __init__(self, compute: Callable[[list[Key]], Sequence[FloatArray]], *, limit: int = 16384) -> None:
        """`compute` gives arrays of rows [U, D] of distinct words; at most `limit` words are kept."""
        self._compute = compute
        self._limit = limit
        self._lock = threading.Lock()
        self._places: dict[Key, int] = {}
        self._rows: list[FloatArray] = []

    def __getstate__(self) -> dict[str, Any]:
        """Without the words seen so far: a model that is pickled starts afresh elsewhere."""
        return {"compute": self._compute, "limit": self._limit}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["compute"], limit=state["limit"])  # type: ignore[misc]

    def look_up(self, words: Sequence[Key]) -> tuple[IntArray, list[FloatArray]]:
        """The places [T] of words, and the arrays of rows [N, D] that they point into.

        The rows that are returned never change, whatever other threads add later.
        """
        with self._lock:
            places = self._places
            missing = [word for word in dict.fromkeys(words) if word not in places]
            if missing:
                if len(places) + len(missing) > self._limit:
                    self._places = places = {}
                    missing = list(dict.fromkeys(words))
                self._add(missing)
            found = np.fromiter(map(places.__getitem__, words), dtype=np.intp, count=len(words))
            return found, self._rows

    def _add(self, words: list[Key]) -> None:
        new = self._compute(words)
        first = len(self._places) + 1
        end = first + len(words)
        if not self._places or end > len(self._rows[0]):
            self._rows = [
                _grown(rows, end) for rows in (self._rows if self._places else [part[:0] for part in new])
            ]
        for rows, part in zip(self._rows, new, strict=True):
            rows[first:end] = part
        self._places.update(zip(words, range(first, end), strict=True))


def _grown(rows: FloatArray, needed: int) -> FloatArray:
    """The same rows with room for twice as many as are needed, and a row of zeros for no word."""
    grown = np.empty((max(FIRST_ROOM, 2 * needed), rows.shape[1]), dtype=np.float32)
    grown[: len(rows)] = rows
    grown[NO_WORD] = 0
    return grown


@dataclass(frozen=True)
class PlacedWords:
    """Where the rows of the words of some bounds, and of their neighbours, are in a lexicon."""

    places: IntArray
    """[T]"""
    from_start: IntArray
    """[T] how many words stand before each one in its context."""
    to_end: IntArray
    """[T] how many stand after it."""

    @classmethod
    def of(cls, places: IntArray, bounds: SentenceBounds) -> PlacedWords:
        return cls(places, *bounds.distances())

    def beside(self, by: int) -> IntArray:
        """[T] the places of the words that stand `by` words further on, or back if it is negative."""
        if not by:
            return self.places
        moved = np.roll(self.places, -by)
        moved[self.to_end < by if by > 0 else self.from_start < -by] = NO_WORD
        return moved

    def sums(self, rows: Sequence[FloatArray], offsets: Sequence[int]) -> FloatArray:
        """[T, D] what the words at some offsets from each word add up to, each offset with its own rows."""
        total = rows[0].take(self.beside(offsets[0]), axis=0)
        for own, by in zip(rows[1:], offsets[1:], strict=True):
            total += own.take(self.beside(by), axis=0)
        return total
