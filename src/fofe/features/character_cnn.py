"""The character CNN: kernels of several heights over a fragment's characters, and the maximum of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.characters import spelt_fragments
from fofe.features.feature import Feature, ModelParts, ReadText, Shapes, Sizes
from fofe.features.fragments import Fragments

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig

CNN = "character_cnn"


class CharacterCnn(Feature):
    """What kernels make of fragments' characters, by range maxima."""

    torch_module = "fofe.features.character_cnn_torch"

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        characters = config.characters
        return {CNN: characters.kernels * len(characters.heights)} if characters.cnn else {}

    @staticmethod
    def shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
        """The vectors of characters and the kernels."""
        characters = config.characters
        if not characters.cnn:
            return {}
        return convolution_shapes(
            f"{CNN}.", sizes.alphabet, characters.dimension, characters.heights, characters.kernels
        )

    def __init__(self, model: ModelParts) -> None:
        self._encoder = model.encoder
        self._settings = model.config.characters
        self._convolution = Convolution.from_weights(
            model.weights, f"{CNN}.", self._settings.heights, self._settings.activation
        )
        self._weight = np.ascontiguousarray(model.columns[CNN])

    def of(self, text: ReadText, fragments: Fragments) -> CharacterMaxima:
        spelt = spelt_fragments(text, fragments, self._encoder)
        characters, starts, ends = spelt.spelling.characters, spelt.starts, spelt.ends
        if self._settings.padding:
            characters, starts, ends = padded(
                characters, starts, ends, self._convolution.zero, max(self._settings.heights)
            )
        table = self._convolution.table(characters, int((ends - starts).max(initial=1)))
        return CharacterMaxima(starts, ends, table, self._weight)


def padded(
    characters: IntArray, starts: IntArray, ends: IntArray, zero: int, behind: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Some ranges [R] of characters [C] as a stream of their own, with one zero before and some behind each.

    Returns the stream and the half-open ranges [R] in it, zeros included.
    """
    lengths = ends - starts + 1 + behind
    new_ends = np.cumsum(lengths)
    new_starts = new_ends - lengths
    source = np.arange(lengths.sum()) - np.repeat(new_starts + 1 - starts, lengths)
    inside = (source >= np.repeat(starts, lengths)) & (source < np.repeat(ends, lengths))
    stream = np.full(len(source), zero, dtype=characters.dtype)
    stream[inside] = characters[source[inside]]
    return stream, new_starts, new_ends


def convolution_shapes(
    prefix: str, alphabet: int, dimension: int, heights: tuple[int, ...], kernels: int
) -> Shapes:
    """The weights of a convolution that is stored under a prefix."""
    shapes: Shapes = {f"{prefix}embedding.weight": (alphabet, dimension)}
    for number, height in enumerate(heights):
        shapes[f"{prefix}weights.{number}"] = (dimension, height * kernels)
        shapes[f"{prefix}biases.{number}"] = (kernels,)
    return shapes


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
    """For each height, what the characters add at each place of a kernel: [A + 1, kernels].

    The last row is that of a zero vector, with which ranges are padded.
    """
    activation: str = "relu"

    @classmethod
    def from_weights(
        cls,
        weights: Mapping[str, FloatArray],
        prefix: str,
        heights: tuple[int, ...],
        activation: str = "relu",
    ) -> Convolution:
        """The convolution that was stored under a prefix."""
        projected = []
        for number, height in enumerate(heights):
            added = weights[f"{prefix}embedding.weight"] @ weights[f"{prefix}weights.{number}"]
            added = np.append(added, np.zeros_like(added[:1]), axis=0)
            places = [np.ascontiguousarray(place) for place in np.split(added, height, axis=1)]
            places[0] += weights[f"{prefix}biases.{number}"]
            projected.append(places)
        return cls(heights, projected, activation)

    @property
    def zero(self) -> int:
        """The row of the zero vector."""
        return len(self.projected[0][0]) - 1

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
        return ConvolutionTable(self.heights, tables, self.projected[0][0].shape[1], self.activation)

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
    activation: str

    def maxima(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """[R, kernels * heights]: the maxima over the windows wholly inside each range, 0 without any."""
        parts = [
            np.zeros((len(starts), self.kernels), dtype=np.float32)
            if table is None
            else table.maxima(starts, ends - height + 1)
            for height, table in zip(self.heights, self.tables, strict=True)
        ]
        sums = np.concatenate(parts, axis=1)
        maxima: FloatArray = np.tanh(sums) if self.activation == "tanh" else np.maximum(sums, 0)
        return maxima


@dataclass(frozen=True)
class CharacterMaxima:
    """The convolution of the characters of some fragments."""

    starts: IntArray
    """[F] the first character of each fragment in the stream of the table."""
    ends: IntArray
    """[F] one past its last character."""
    table: ConvolutionTable
    weight: FloatArray
    """[kernels * heights, H]"""

    def add_to(self, hidden: FloatArray, part: slice) -> None:
        """Add to the first layer's sums [F', H] of some of the fragments."""
        hidden += self.table.maxima(self.starts[part], self.ends[part]) @ self.weight
