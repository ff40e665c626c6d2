"""The list of all features, and where each stands in the network's input."""

from fofe.features.characters import CharacterCnn, CharacterFofe, Initials
from fofe.features.config import ModelConfig
from fofe.features.feature import Feature
from fofe.features.gazetteer import GazetteerMatches
from fofe.features.schemes import Schemes
from fofe.features.surroundings import Surroundings
from fofe.features.word_codes import WordCodes

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


def input_columns(config: ModelConfig) -> dict[str, slice]:
    """The columns that a model's features have in the network's input, by name."""
    columns: dict[str, slice] = {}
    end = 0
    for feature in FEATURES:
        for name, width in feature.columns(config).items():
            columns[name] = slice(end, end + width)
            end += width
    return columns


def input_width(config: ModelConfig) -> int:
    """How many columns the network's input has."""
    return sum(sum(feature.columns(config).values()) for feature in FEATURES)
