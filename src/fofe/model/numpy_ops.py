"""Array operations of the tagging engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray, IntArray

KEPT_BYTES = 31 << 20


def keep_freed_memory() -> None:
    """Let arrays of one batch take the memory of those of the last, without asking the system for it.

    glibc gives large blocks back as soon as they are free, and each page that is got anew has to be cleared:
    a third of the time where every fragment is judged. A block that was freed once raises the bound from
    which it does so (mallopt(3), M_MMAP_THRESHOLD). This one is never touched and so takes no memory.
    """
    np.empty(KEPT_BYTES, dtype=np.uint8)


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities [F, K] from scores [F, K]."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    normalised: FloatArray = exponentials / exponentials.sum(axis=1, keepdims=True)
    return normalised


def shifted(rows: FloatArray, borders: BoolArray, by: int) -> FloatArray:
    """The row [T, D] of each position's neighbour (`by` 1: the one before), zero at the borders [T]."""
    moved = np.roll(rows, by, axis=0)
    moved[borders] = 0
    return moved


class RangeMaxima:
    """Maxima of any range of rows in constant time: level k holds those of all windows of 2^k rows."""

    def __init__(self, rows: FloatArray, longest: int) -> None:
        """`rows` is [T, D]; ranges are at most `longest` rows long."""
        self._count, width = rows.shape
        levels = max(1, min(longest, self._count).bit_length())
        # One row more than there are: the zeros that an empty range gives.
        table = np.zeros((levels * self._count + 1, width), dtype=rows.dtype)
        table[: self._count] = rows
        for level in range(1, levels):
            reach = 1 << (level - 1)
            start, end = level * self._count, (level + 1) * self._count - 2 * reach + 1
            below = table[start - self._count : start]
            np.maximum(below[: end - start], below[reach : reach + end - start], out=table[start:end])
        self._table = table

    def maxima(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The maximum [R, D] of each half-open range; 0 where a range is empty."""
        levels = np.frexp(ends - starts)[1] - 1  # floor(log2)
        empty = ends <= starts
        first, last = (
            levels * self._count + starts,
            levels * self._count + ends - (1 << np.maximum(levels, 0)),
        )
        first[empty] = last[empty] = len(self._table) - 1
        result: FloatArray = self._table.take(first, axis=0)
        np.maximum(result, self._table.take(last, axis=0), out=result)
        return result


@dataclass(frozen=True)
class Convolution:
    """Kernels of several heights over characters."""

    heights: tuple[int, ...]
    projected: Sequence[Sequence[FloatArray]]
    """For each height, what the characters add at each place of a kernel: [A, kernels]."""

    @classmethod
    def from_weights(
        cls, weights: Mapping[str, FloatArray], prefix: str, heights: tuple[int, ...]
    ) -> Convolution:
        """The convolution that was stored under a prefix."""
        projected = []
        for number, height in enumerate(heights):
            added = weights[f"{prefix}embedding.weight"] @ weights[f"{prefix}weights.{number}"]
            places = [np.ascontiguousarray(place) for place in np.split(added, height, axis=1)]
            places[0] += weights[f"{prefix}biases.{number}"]
            projected.append(places)
        return cls(heights, projected)

    def table(self, characters: IntArray, longest: int) -> ConvolutionTable:
        """The convolution of a stream of characters [C], ready for maxima of up to `longest` of them."""
        tables: list[RangeMaxima | None] = []
        for height, projected in zip(self.heights, self.projected, strict=True):
            count = len(characters) - height + 1
            if count < 1:
                tables.append(None)
                continue
            sums = projected[0].take(characters[:count], axis=0)
            for place in range(1, height):
                sums += projected[place].take(characters[place : place + count], axis=0)
            tables.append(RangeMaxima(sums, longest))
        return ConvolutionTable(self.heights, tables, self.projected[0][0].shape[1])

    def maxima(self, characters: IntArray, starts: IntArray, ends: IntArray) -> FloatArray:
        """[R, kernels * heights] for half-open ranges [R] of characters [C]."""
        longest = int((ends - starts).max(initial=1))
        return self.table(characters, longest).maxima(starts, ends)


@dataclass(frozen=True)
class ConvolutionTable:
    """The convolution of one stream of characters."""

    heights: tuple[int, ...]
    tables: Sequence[RangeMaxima | None]
    kernels: int

    def maxima(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """[R, kernels * heights]: the maxima over the windows wholly inside each range, 0 without any."""
        parts = [
            np.zeros((len(starts), self.kernels), dtype=np.float32)
            if table is None
            else table.maxima(starts, ends - height + 1)
            for height, table in zip(self.heights, self.tables, strict=True)
        ]
        maxima: FloatArray = np.maximum(np.concatenate(parts, axis=1), 0)
        return maxima
