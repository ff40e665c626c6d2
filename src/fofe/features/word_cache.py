"""Words that were seen before keep their rows: what depends on a word alone is computed once."""

import threading
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.feature import ReadText

FIRST_ROOM = 1024
NO_WORD = 0
"""The position of what stands beyond the bounds of a sentence (`SentenceBounds.beside`): a row of zeros."""

Word = TypeVar("Word", bound=Hashable)


class WordCache(Generic[Word]):
    """Named arrays with a row for each word that was seen.

    Threads may share a cache if they hold its lock from `missing` to `look_up`. It starts anew when it is
    full: frequent words are back at once.
    """

    def __init__(self, *, limit: int = 16384) -> None:
        """At most `limit` words are kept."""
        self.lock = threading.Lock()
        self._limit = limit
        self._positions: dict[Word, int] = {}
        self._arrays: dict[str, FloatArray] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the words seen so far: a model that is pickled starts with an empty cache elsewhere."""
        return partial(WordCache, limit=self._limit), ()

    def __len__(self) -> int:
        return len(self._positions)

    def missing(self, words: Sequence[Word]) -> list[Word]:
        """The distinct words whose rows must be added before all of these can be looked up."""
        missing = [word for word in dict.fromkeys(words) if word not in self._positions]
        if missing and len(self._positions) + len(missing) > self._limit:
            self._positions = {}
            return list(dict.fromkeys(words))
        return missing

    def add(self, words: Sequence[Word], arrays: Mapping[str, FloatArray]) -> None:
        """Keep the rows [U, D] that each array has for U words. Rows that were given out never change."""
        first = len(self._positions) + 1
        end = first + len(words)
        if not self._positions:
            self._arrays = {name: _grown(rows[:0], end) for name, rows in arrays.items()}
        elif end > len(next(iter(self._arrays.values()))):
            self._arrays = {name: _grown(rows, end) for name, rows in self._arrays.items()}
        for name, rows in arrays.items():
            self._arrays[name][first:end] = rows
        self._positions.update(zip(words, range(first, end), strict=True))

    def look_up(self, words: Sequence[Word]) -> tuple[IntArray, Mapping[str, FloatArray]]:
        """The positions [T] of words, and the arrays [N, D] that they point into."""
        positions = map(self._positions.__getitem__, words)
        return np.fromiter(positions, dtype=np.intp, count=len(words)), self._arrays


def _grown(rows: FloatArray, needed: int) -> FloatArray:
    """The same rows with room for twice as many as are needed, and a row of zeros for no word."""
    grown = np.empty((max(FIRST_ROOM, 2 * needed), rows.shape[1]), dtype=np.float32)
    grown[: len(rows)] = rows
    grown[NO_WORD] = 0
    return grown


class NeighbourLayer:
    """A layer of rectified units that sees each word with others at some offsets from it.

    Its units are a sum of what each of these words adds, which is computed once for each distinct word.
    """

    def __init__(self, name: str, offsets: Sequence[int], weight: FloatArray, bias: FloatArray) -> None:
        """`weight` [H, N D] has a part for each of N offsets; `bias` is [H]."""
        self._names = {offset: f"{name}.{offset}" for offset in offsets}
        parts = np.split(weight, len(offsets), axis=1)
        self._parts = {
            name: np.ascontiguousarray(part.T) for name, part in zip(self._names.values(), parts, strict=True)
        }
        self._bias = bias

    def of_words(self, vectors: FloatArray) -> dict[str, FloatArray]:
        """What words [U, D] add to the units [U, H] of words that see them, by the name of each offset."""
        return {name: vectors @ part for name, part in self._parts.items()}

    def units(self, text: ReadText) -> FloatArray:
        """[T, H] of the words of some sentences."""
        (first, name), *others = self._names.items()
        units: FloatArray = text.cached[name].take(text.beside(text.positions, first), axis=0)
        for offset, name in others:
            units += text.cached[name].take(text.beside(text.positions, offset), axis=0)
        units += self._bias
        return np.maximum(units, 0, out=units)
