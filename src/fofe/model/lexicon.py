"""Words that were seen before keep their vectors: what depends on a word alone is computed once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np

from fofe._arrays import FloatArray, IntArray

FIRST_ROOM = 1024
Key = TypeVar("Key", bound=Hashable)


class Lexicon(Generic[Key]):
    """The rows of words, computed when a word is first seen and kept for the next time.

    Threads may share one. It starts anew when it is full: frequent words are back at once.
    """

    def __init__(self, compute: Callable[[list[Key]], FloatArray], *, limit: int = 16384) -> None:
        """`compute` gives the rows [U, D] of distinct words; at most `limit` are kept."""
        self._compute = compute
        self._limit = limit
        self._lock = threading.Lock()
        self._places: dict[Key, int] = {}
        self._rows: FloatArray | None = None

    def look_up(self, words: Sequence[Key]) -> tuple[IntArray, FloatArray]:
        """The places [T] of words, and the rows [N, D] that they point into.

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
            assert self._rows is not None, "there is at least one word"
            found = np.fromiter(map(places.__getitem__, words), dtype=np.int64, count=len(words))
            return found, self._rows

    def _add(self, words: list[Key]) -> None:
        new = self._compute(words)
        first = len(self._places)
        if self._rows is None or first == 0 or first + len(words) > len(self._rows):
            room = max(FIRST_ROOM, 2 * (first + len(words)))
            grown = np.empty((room, new.shape[1]), dtype=np.float32)
            if self._rows is not None:
                grown[:first] = self._rows[:first]
            self._rows = grown
        self._rows[first : first + len(words)] = new
        self._places.update(zip(words, range(first, first + len(words)), strict=True))
