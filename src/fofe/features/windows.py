"""The window view: a word among its neighbours.

The first layers see a word and two words beside it. The context layers after them see it between the FOFE
codes of all words to its left and right, and add what they make of these to what they see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.features.fofe import scan, scan_back
from fofe.features.word_cache import CachedWords, NeighbourLayer

if TYPE_CHECKING:
    from fofe.features.feature import Shapes
    from fofe.features.views import ViewConfig

SIDES = (-1, 0, 1)
"""What a layer sees of a text, in steps of its dilation: the order of its weights."""


class WindowView:
    """The layers of one view.

    The first layer is a sum of what a word and the two beside it add: computed once for each distinct word.
    """

    @staticmethod
    def shapes(view: ViewConfig, read: int) -> Shapes:
        """The weights of a view that reads `read` numbers for each word."""
        shapes: Shapes = {}
        for number in range(view.window_layers):
            width = view.dimension if number else read
            shapes[f"windows.{view.name}.layers.{number}.weight"] = (view.dimension, 3 * width)
            shapes[f"windows.{view.name}.layers.{number}.bias"] = (view.dimension,)
        return shapes

    def __init__(self, view: ViewConfig, weights: Mapping[str, FloatArray]) -> None:
        self._view = view
        (weight, bias), *layers = (
            tuple(weights[f"windows.{view.name}.layers.{number}.{part}"] for part in ("weight", "bias"))
            for number in range(view.window_layers)
        )
        offsets = [side * view.dilations[0] for side in SIDES]
        self._first = NeighbourLayer(f"windows.{view.name}", offsets, weight, bias)
        self._layers = [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]

    def of_words(self, vectors: FloatArray) -> dict[str, FloatArray]:
        """What words [U, D] add to the first layer [U, D'] of words on each side and of themselves."""
        return self._first.of_words(vectors)

    def vectors(self, words: CachedWords) -> FloatArray:
        """[T, D'] of the words of some sentences."""
        seen = self._first.units(words)
        wider = self._view.dilations[1:]
        for dilation, (weight, bias) in zip(wider, self._layers, strict=False):
            before = _shifted(seen, words.from_start < dilation, dilation)
            after = _shifted(seen, words.to_end < dilation, -dilation)
            seen = _layer(before, seen, after, weight, bias)
        starts, ends = words.from_start == 0, words.to_end == 0
        for weight, bias in self._layers[len(wider) :]:
            left, right = _codes_around(seen, self._view.context_factors, starts, ends)
            seen += _layer(left, seen, right, weight, bias)
        return seen


def _layer(
    left: FloatArray, words: FloatArray, right: FloatArray, weight: FloatArray, bias: FloatArray
) -> FloatArray:
    """[T, D'] what a layer [3 D, D'] makes of words and what is around them, each [T, D]."""
    made: FloatArray = np.concatenate([left, words, right], axis=1) @ weight
    made += bias
    return np.maximum(made, 0, out=made)


def _codes_around(
    words: FloatArray, factors: Sequence[float], starts: BoolArray, ends: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """[T, D] twice: the codes of the words before each word, and of those after it, read backwards.

    Each factor serves a share of the dimensions of `words` [T, D]; all codes are as large as with 1/2.
    """
    lefts, rights = [], []
    for part, factor in zip(np.array_split(words, len(factors), axis=1), factors, strict=True):
        scaled = part * np.float32(2 * (1 - factor))
        lefts.append(scan(scaled, factor, starts))
        rights.append(scan_back(scaled, factor, ends))
    left, right = np.concatenate(lefts, axis=1), np.concatenate(rights, axis=1)
    return _shifted(left, starts, 1), _shifted(right, ends, -1)


def _shifted(rows: FloatArray, bounds: BoolArray, by: int) -> FloatArray:
    """The row [T, D] of each position's neighbour (`by` 1: the one before), zero at the bounds [T]."""
    moved = np.roll(rows, by, axis=0)
    moved[bounds] = 0
    return moved
