"""Conditioning on the corpus: a network that learned from several corpora can follow the scheme of one.

The annotation scheme of a corpus adds to every layer. A network that is conditioned on none serves text of an
unknown scheme.
"""

from itertools import pairwise

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import FofeError
from fofe.features.config import ModelConfig
from fofe.features.feature import Feature, ModelParts, Shapes, Sizes

SCHEMES = "schemes"
CONDITIONED = "conditioned."
"""How the names of weights begin that schemes add to all layers but the first."""

Layer = tuple[FloatArray, FloatArray]
"""A weight [in, out] and a bias [out]."""


def scheme_number(config: ModelConfig, corpus: str) -> int:
    """The number of a corpus among the annotation schemes; an error lists those that the model knows."""
    if corpus not in config.schemes:
        known = ", ".join(config.schemes) or "none"
        raise FofeError(f"the model has no annotation scheme {corpus!r} (it knows: {known})")
    return config.schemes.index(corpus)


class Schemes(Feature):
    """Which scheme a fragment is scored by: a column for each corpus, all zero for none."""

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        return {SCHEMES: len(config.schemes)} if config.schemes else {}

    @staticmethod
    def shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
        """What schemes add to all layers but the first."""
        corpora = len(config.schemes)
        shapes: Shapes = {}
        for number, (wide, narrow) in enumerate(pairwise((*config.hidden, sizes.labels))):
            shapes[f"{CONDITIONED}{number}.weight"] = (narrow * corpora, wide)
            shapes[f"{CONDITIONED}{number}.bias"] = (narrow * corpora,)
        return shapes

    def __init__(self, model: ModelParts) -> None:
        corpora = len(model.config.schemes)
        self._bias = model.columns[SCHEMES]
        self._layers = []
        for number in range(len(model.config.hidden)):
            parts = np.split(model.weights[f"{CONDITIONED}{number}.weight"], corpora)
            bias = model.weights[f"{CONDITIONED}{number}.bias"].reshape(corpora, -1)
            self._layers.append((np.stack([part.T for part in parts]), bias))

    def condition(self, number: int, bias: FloatArray, layers: list[Layer]) -> tuple[FloatArray, list[Layer]]:
        """The bias [H] of the first layer and the layers after it, with what a scheme adds to them."""
        return bias + self._bias[number], [
            (weight + added[number], layer_bias + added_bias[number])
            for (weight, layer_bias), (added, added_bias) in zip(layers, self._layers, strict=True)
        ]
