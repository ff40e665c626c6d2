"""Character FOFE: the codes of a fragment's characters, left to right and right to left.

The code of a fragment is a difference of prefix codes of the text, so that all fragments share one scan.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.features.characters import SpeltFragments, spelt_fragments
from fofe.features.feature import Feature, ModelParts, ReadText, Shapes, Sizes
from fofe.features.fofe import scan, scan_back
from fofe.features.fragments import Fragments

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig

LEFT, RIGHT = "character_left", "character_right"


class CharacterFofe(Feature):
    """Codes by differences of prefix codes."""

    torch_module = "fofe.features.character_fofe_torch"

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        characters = config.characters
        return {LEFT: characters.dimension, RIGHT: characters.dimension} if characters.fofe else {}

    @staticmethod
    def shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
        """The vectors of characters."""
        characters = config.characters
        return {"characters.weight": (sizes.alphabet, characters.dimension)} if characters.fofe else {}

    def __init__(self, model: ModelParts) -> None:
        self._encoder = model.encoder
        self._factor = model.config.characters.factor
        self._vectors = model.weights["characters.weight"]
        self._left = np.ascontiguousarray(model.columns[LEFT])
        self._right = np.ascontiguousarray(model.columns[RIGHT])

    def of(self, text: ReadText, fragments: Fragments) -> CharacterCodes:
        spelt = spelt_fragments(text, fragments, self._encoder)
        vectors = self._vectors.take(spelt.spelling.characters, axis=0)
        left = scan(vectors, self._factor, spelt.spelling.starts(), few_and_long=True)
        right = scan_back(vectors, self._factor, spelt.spelling.ends(), few_and_long=True)
        return CharacterCodes(spelt, self._factor, left, np.ascontiguousarray(right), self._left, self._right)


@dataclass(frozen=True)
class CharacterCodes:
    """The codes of the characters of some fragments."""

    spelt: SpeltFragments
    factor: float
    left: FloatArray
    """[C, D] the code up to each character."""
    right: FloatArray
    """[C, D] the code from the end back to each character."""
    left_weight: FloatArray
    right_weight: FloatArray
    """[D, H]"""

    def add_to(self, hidden: FloatArray, part: slice) -> None:
        """Add to the first layer's sums [F', H] of some of the fragments."""
        starts, ends = self.spelt.starts[part], self.spelt.ends[part]
        # Every word follows a space symbol and is followed by one: start - 1 and end always exist.
        forgotten = (self.factor ** (ends - starts)).astype(np.float32)[:, None]
        left = self.left.take(ends - 1, axis=0) - forgotten * self.left.take(starts - 1, axis=0)
        right = self.right.take(starts, axis=0) - forgotten * self.right.take(ends, axis=0)
        hidden += left @ self.left_weight
        hidden += right @ self.right_weight
