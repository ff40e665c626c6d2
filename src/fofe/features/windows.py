"""The window view: a word among its neighbours.

The first layers see a word and two words beside it. The context layers after them see it between the FOFE
codes of all words to its left and right, and add what they make of these to what they see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.features.checks import forgetting_factor, positive
from fofe.features.fofe import scan, scan_back

if TYPE_CHECKING:
    from fofe.features.feature import Shapes
    from fofe.features.views import ViewConfig
    from fofe.features.word_cache import CachedWords

SIDES = (-1, 0, 1)
"""What a layer sees of a text, in steps of its dilation: the order of its weights."""


@dataclass(frozen=True, kw_only=True)
class WindowSettings:
    """The settings of a window view."""

    dilations: tuple[int, ...] = (1,)
    """Window: one layer for each, which sees a word and those that many words to its left and right."""
    context_layers: int = 0
    """Window: how many more layers see a word beside the codes of all words to its left and right."""
    context_factors: tuple[float, ...] = (0.5, 0.85)
    """Window: the forgetting factors of these codes; each is used for an even share of the dimensions."""

    def __post_init__(self) -> None:
        positive("dilations", *self.dilations)
        if not self.dilations:
            raise ValueError("dilations must not be empty")
        if self.context_layers < 0:
            raise ValueError(f"context_layers must be at least 0, not {self.context_layers}")
        if not self.context_factors:
            raise ValueError("context_factors must list at least one forgetting factor")
        for factor in self.context_factors:
            forgetting_factor(factor)

    @property
    def window_layers(self) -> int:
        """How many layers a window view has."""
        return len(self.dilations) + self.context_layers


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
        self._layers = [
            (
                np.ascontiguousarray(weights[f"windows.{view.name}.layers.{number}.weight"].T),
                weights[f"windows.{view.name}.layers.{number}.bias"],
            )
            for number in range(view.window_layers)
        ]
        self._projections = dict(zip(SIDES, np.split(self._layers[0][0], len(SIDES)), strict=True))

    def of_words(self, vectors: FloatArray) -> dict[str, FloatArray]:
        """What words [U, D] add to the first layer [U, D'] of words on each side and of themselves."""
        return {self._cached(side): vectors @ weight for side, weight in self._projections.items()}

    def _cached(self, side: int) -> str:
        return f"windows.{self._view.name}.{side}"

    def vectors(self, words: CachedWords) -> FloatArray:
        """[T, D'] of the words of some sentences."""
        nearest, *wider = self._view.dilations
        (_, bias), *layers = self._layers
        seen = words.sums({nearest * side: self._cached(side) for side in SIDES})
        seen += bias
        np.maximum(seen, 0, out=seen)
        for dilation, (weight, bias) in zip(wider, layers, strict=False):
            before = _shifted(seen, words.from_start < dilation, dilation)
            after = _shifted(seen, words.to_end < dilation, -dilation)
            seen = _layer(before, seen, after, weight, bias)
        starts, ends = words.from_start == 0, words.to_end == 0
        for weight, bias in layers[len(wider) :]:
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
