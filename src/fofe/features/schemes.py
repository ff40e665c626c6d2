"""Conditioning on the corpus: a network that learned from several corpora can follow the scheme of one.

The annotation scheme of a corpus adds to every layer. A network that is conditioned on none serves text of an
unknown scheme.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fofe.base.arrays import FloatArray
from fofe.features.encoded import EncodedText
from fofe.features.feature import Feature, ModelParts
from fofe.features.fragments import Fragments

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig
    from fofe.features.feature import Shapes

SCHEMES = "schemes"
CONDITIONED = "conditioned."
"""How the names of weights begin that schemes add to all layers but the first."""

Layer = tuple[FloatArray, FloatArray]
"""A weight [in, out] and a bias [out]."""


class Schemes(Feature):
    """Which scheme a fragment is scored by: a column for each corpus, all zero for none."""

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        return {SCHEMES: len(config.schemes)} if config.schemes else {}

    @staticmethod
    def arrays(
        text: EncodedText, fragments: Fragments, given: Mapping[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """[F, C] the scheme of each fragment, as the caller knows it."""
        return {SCHEMES: given[SCHEMES]} if SCHEMES in given else {}

    def __init__(self, model: ModelParts) -> None:
        corpora = len(model.config.schemes)
        self._bias = model.columns[SCHEMES]
        self._layers = [
            (
                np.stack(
                    [part.T for part in np.split(model.weights[f"{CONDITIONED}{number}.weight"], corpora)]
                ),
                model.weights[f"{CONDITIONED}{number}.bias"].reshape(corpora, -1),
            )
            for number in range(len(model.config.hidden))
        ]

    def condition(self, number: int, bias: FloatArray, layers: list[Layer]) -> tuple[FloatArray, list[Layer]]:
        """The bias [H] of the first layer and the layers after it, with what a scheme adds to them."""
        return bias + self._bias[number], [
            (weight + added[number], layer_bias + added_bias[number])
            for (weight, layer_bias), (added, added_bias) in zip(layers, self._layers, strict=True)
        ]


def conditioned_shapes(layer: int, wide: int, narrow: int, corpora: int) -> Shapes:
    """What schemes add to a layer from `wide` to `narrow` numbers."""
    return {
        f"{CONDITIONED}{layer}.weight": (narrow * corpora, wide),
        f"{CONDITIONED}{layer}.bias": (narrow * corpora,),
    }
