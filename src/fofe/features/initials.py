"""Word initials: the FOFE codes of the first characters of a fragment's words, in both directions.

The authors' program has this feature, the paper does not mention it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.features.feature import Addend, Feature, ModelParts, ReadText, Shapes, Sizes
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
        return {"initials.weight": (sizes.alphabet, config.characters.dimension)}

    def __init__(self, model: ModelParts) -> None:
        assert model.encoder.alphabet is not None, "a model that reads characters has an alphabet"
        self._alphabet = model.encoder.alphabet
        self._factor = model.config.characters.factor
        self._vectors = model.weights["initials.weight"]
        self._left = np.ascontiguousarray(model.columns[LEFT])
        self._right = np.ascontiguousarray(model.columns[RIGHT])

    def of(self, text: ReadText, fragments: Fragments) -> Addend:
        initials = self._vectors[self._alphabet.rows("".join([word[0] for word in text.words]))]
        # [T, H] what the initials of words add as the last and as the first of a fragment.
        last_adds, first_adds = initials @ self._left, initials @ self._right

        def add_to(hidden: FloatArray, part: slice) -> None:
            firsts, lasts = fragments.firsts[part], fragments.lasts[part]
            for distance in range(int((lasts - firsts).max(initial=-1)) + 1):
                longer = np.flatnonzero(lasts - firsts >= distance)
                added = last_adds[lasts[longer] - distance] + first_adds[firsts[longer] + distance]
                hidden[longer] += np.float32(self._factor**distance) * added

        return add_to
