"""The list of all features, and where each stands in the network's input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from fofe.features.character_cnn import CharacterCnn
from fofe.features.character_fofe import CharacterFofe
from fofe.features.encoded import EncodedText
from fofe.features.feature import Feature, Shapes, Sizes
from fofe.features.fragments import Fragments
from fofe.features.gazetteer import GazetteerMatches
from fofe.features.initials import Initials
from fofe.features.schemes import Schemes
from fofe.features.surroundings import Surroundings
from fofe.features.word_codes import WordCodes

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig

FEATURES: tuple[type[Feature], ...] = (
    WordCodes,
    CharacterFofe,
    CharacterCnn,
    Initials,
    Surroundings,
    GazetteerMatches,
    Schemes,
)
"""All features, in the order of their columns and of their weights."""


def features_of(config: ModelConfig) -> list[type[Feature]]:
    """The features that a model has."""
    return [feature for feature in FEATURES if feature.in_use(config)]


@dataclass(frozen=True)
class Block:
    """The columns `start` to `end` of the network's input."""

    name: str
    start: int
    end: int


def input_blocks(config: ModelConfig) -> list[Block]:
    """The columns of the features that a model has."""
    blocks: list[Block] = []
    start = 0
    for feature in FEATURES:
        for name, width in feature.columns(config).items():
            blocks.append(Block(name, start, start + width))
            start += width
    return blocks


def feature_shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
    """The weights that features have besides the first layer's."""
    shapes: Shapes = {}
    for feature in FEATURES:
        shapes |= feature.shapes(config, sizes)
    return shapes


def feature_arrays(
    text: EncodedText, fragments: Fragments, given: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """What the twins of all features need of a batch."""
    arrays: dict[str, NDArray[Any]] = {}
    for feature in FEATURES:
        arrays |= feature.arrays(text, fragments, given)
    return arrays
