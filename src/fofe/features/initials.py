"""Word initials: the FOFE codes of the first characters of a fragment's words, in both directions.

The authors' program has this feature, the paper does not mention it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.feature import Feature, ModelParts, ReadText, Shapes, Sizes
from fofe.features.fragments import Fragments

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig

LEFT, RIGHT = "initials_left", "initials_right"


class Initials(Feature):
    """Codes as sums over the words of each fragment, which are few."""

    torch_module = "fofe.features.initials_torch"

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        characters = config.characters
        return {LEFT: characters.dimension, RIGHT: characters.dimension} if characters.initials else {}

    @staticmethod
    def shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
        """The vectors of characters."""
        characters = config.characters
        return {"initials.weight": (sizes.alphabet, characters.dimension)} if characters.initials else {}

    def __init__(self, model: ModelParts) -> None:
        assert model.encoder.alphabet is not None, "a model that reads characters has an alphabet"
        self._alphabet = model.encoder.alphabet
        self._factor = model.config.characters.factor
        self._vectors = model.weights["initials.weight"]
        self._left = np.ascontiguousarray(model.columns[LEFT])
        self._right = np.ascontiguousarray(model.columns[RIGHT])

    def of(self, text: ReadText, fragments: Fragments) -> InitialCodes:
        initials = self._vectors[self._alphabet.rows("".join([word[0] for word in text.words]))]
        return InitialCodes(
            initials @ self._left, initials @ self._right, fragments.firsts, fragments.lasts, self._factor
        )


@dataclass(frozen=True)
class InitialCodes:
    """What the initials of T words add to the first layer at distance 0, and the words of fragments."""

    left: FloatArray
    right: FloatArray
    """[T, H]"""
    firsts: IntArray
    lasts: IntArray
    """[F]"""
    factor: float

    def add_to(self, hidden: FloatArray, part: slice) -> None:
        """Add to the first layer's sums [F', H] of some of the fragments."""
        firsts, lasts = self.firsts[part], self.lasts[part]
        for distance in range(int((lasts - firsts).max(initial=-1)) + 1):
            longer = np.flatnonzero(lasts - firsts >= distance)
            added = self.left[lasts[longer] - distance] + self.right[firsts[longer] + distance]
            hidden[longer] += np.float32(self.factor**distance) * added
