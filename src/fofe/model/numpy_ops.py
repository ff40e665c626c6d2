"""Array operations of the tagging engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fofe._arrays import BoolArray, FloatArray, IntArray


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


def fragment_sums(rows: FloatArray, firsts: IntArray, lasts: IntArray) -> FloatArray:
    """The sum [F, D] of the rows [T, D] from `firsts` [F] to `lasts` [F], inclusive.

    Running additions, at most n of them: differences of prefix sums would drift in long texts.
    """
    sums = rows[firsts]
    longest = int((lasts - firsts).max(initial=0))
    for extra in range(1, longest + 1):
        longer = np.flatnonzero(lasts - firsts >= extra)
        sums[longer] += rows[firsts[longer] + extra]
    return sums


class RangeMaxima:
    """Maxima of any range of rows in constant time: level k holds those of all windows of 2^k rows."""

    def __init__(self, rows: FloatArray, longest: int) -> None:
        """`rows` is [T, D]; ranges are at most `longest` rows long."""
        self._levels = [rows]
        width = 1
        while 2 * width <= min(longest, len(rows)):
            last = self._levels[-1]
            self._levels.append(np.maximum(last[:-width], last[width:]))
            width *= 2

    def maxima(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The maximum [R, D] of each half-open range; 0 where a range is empty."""
        result = np.zeros((len(starts), self._levels[0].shape[1]), dtype=self._levels[0].dtype)
        lengths = np.maximum(ends - starts, 0)
        levels = np.frexp(lengths.astype(np.float64))[1] - 1  # floor(log2), -1 for an empty range
        for level in np.unique(levels[levels >= 0]):
            chosen = np.flatnonzero(levels == level)
            table = self._levels[level]
            result[chosen] = np.maximum(table[starts[chosen]], table[ends[chosen] - (1 << level)])
        return result


@dataclass(frozen=True)
class Convolution:
    """Kernels of several heights over characters."""

    embedding: FloatArray
    """[A, D] vectors of the alphabet."""
    heights: tuple[int, ...]
    weights: Sequence[FloatArray]
    """For each height h: [D, h * kernels]."""
    biases: Sequence[FloatArray]
    """For each height: [kernels]."""

    @classmethod
    def from_weights(
        cls, weights: Mapping[str, FloatArray], prefix: str, heights: tuple[int, ...]
    ) -> Convolution:
        """The convolution that was stored under a prefix."""
        numbers = range(len(heights))
        return cls(
            weights[f"{prefix}embedding.weight"],
            heights,
            [weights[f"{prefix}weights.{number}"] for number in numbers],
            [weights[f"{prefix}biases.{number}"] for number in numbers],
        )

    def table(self, characters: IntArray, longest: int) -> ConvolutionTable:
        """The convolution of a stream of characters [C], ready for maxima of up to `longest` of them."""
        distinct, positions = np.unique(characters, return_inverse=True)
        embedded = self.embedding[distinct]
        tables: list[RangeMaxima | None] = []
        for height, weight, bias in zip(self.heights, self.weights, self.biases, strict=True):
            count = len(characters) - height + 1
            if count < 1:
                tables.append(None)
                continue
            places = (embedded @ weight).reshape(len(distinct), height, -1)
            sums = np.tile(bias, (count, 1))
            for place in range(height):
                sums += places[positions[place : place + count], place]
            tables.append(RangeMaxima(sums, longest))
        return ConvolutionTable(self.heights, tables, len(self.biases[0]))

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
