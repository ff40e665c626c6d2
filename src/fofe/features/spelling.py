"""The spelling view: the characters of a word, read by a small convolution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fofe.base.arrays import FloatArray
from fofe.features.character_cnn import Convolution, convolution_shapes
from fofe.features.checks import positive

if TYPE_CHECKING:
    from fofe.features.encoded import EncodedText
    from fofe.features.feature import Shapes, Sizes
    from fofe.features.views import ViewConfig


@dataclass(frozen=True, kw_only=True)
class SpellingSettings:
    """The settings of a spelling view."""

    height: int = 3
    """Spelling: how many characters a kernel spans."""
    character_dimension: int = 32
    """Spelling: how many numbers a character has."""

    def __post_init__(self) -> None:
        positive("height", self.height)
        positive("character_dimension", self.character_dimension)


class SpellingView:
    """The vectors of words by their characters."""

    @staticmethod
    def shapes(view: ViewConfig, sizes: Sizes) -> Shapes:
        return convolution_shapes(
            f"spelling.{view.name}.", sizes.alphabet, view.character_dimension, (view.height,), view.dimension
        )

    def __init__(self, view: ViewConfig, weights: Mapping[str, FloatArray]) -> None:
        self._convolution = Convolution.from_weights(weights, f"spelling.{view.name}.", (view.height,))

    def vectors(self, text: EncodedText) -> FloatArray:
        """[T, D] of the words of a text."""
        spelt = text.spelling
        assert spelt is not None, "a model with a spelling view has an alphabet"
        # The space symbols around a word show the kernels where it begins and ends.
        return self._convolution.maxima(spelt.characters, spelt.word_starts - 1, spelt.word_ends + 1)
