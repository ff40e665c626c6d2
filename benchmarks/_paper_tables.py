"""What the paper reports for CoNLL-2003, and the feature combinations of its first table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fofe.model.config import (
    BAG,
    CODES,
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    ModelConfig,
)

INCLUDING = (LEFT_INCLUDING, RIGHT_INCLUDING)
EXCLUDING = (LEFT_EXCLUDING, RIGHT_EXCLUDING)


@dataclass(frozen=True)
class Row:
    """A combination of features, and the paper's precision, recall and F1 on the test set."""

    name: str
    codes: Mapping[str, tuple[str, ...]]
    """For each view that is used, its codes."""
    fofe: bool
    cnn: bool
    paper: tuple[float, float, float]

    def of(self, model: ModelConfig) -> ModelConfig:
        """A model with these features alone."""
        views = tuple(
            replace(view, codes=self.codes[view.name]) for view in model.views if view.name in self.codes
        )
        characters = replace(model.characters, fofe=self.fofe, cnn=self.cnn)
        return replace(model, views=views, characters=characters)


WORDS = {"cased": CODES, "uncased": CODES}

ROWS = (
    Row("uncased: context with the fragment", {"uncased": INCLUDING}, False, False, (86.64, 77.04, 81.56)),
    Row("uncased: context without it", {"uncased": EXCLUDING}, False, False, (53.98, 42.17, 47.35)),
    Row("uncased: bag of words", {"uncased": (BAG,)}, False, False, (82.92, 71.85, 76.99)),
    Row("cased: context with the fragment", {"cased": INCLUDING}, False, False, (88.88, 79.83, 84.12)),
    Row("cased: context without it", {"cased": EXCLUDING}, False, False, (50.91, 42.46, 46.30)),
    Row("cased: bag of words", {"cased": (BAG,)}, False, False, (85.41, 74.95, 79.84)),
    Row("character FOFE", {}, True, False, (67.67, 52.78, 59.31)),
    Row("character CNN", {}, False, True, (78.93, 69.49, 73.91)),
    Row("all uncased", {"uncased": CODES}, False, False, (90.11, 82.75, 86.28)),
    Row("all cased", {"cased": CODES}, False, False, (90.26, 86.63, 88.41)),
    Row("all word features", WORDS, False, False, (92.03, 86.08, 88.96)),
    Row("words and character FOFE", WORDS, True, False, (91.68, 88.54, 90.08)),
    Row("words and character CNN", WORDS, False, True, (91.80, 88.58, 90.16)),
    Row("everything", WORDS, True, True, (93.29, 88.27, 90.71)),
)


@dataclass(frozen=True)
class System:
    """A system of the second table, with the features that it uses, and its test F1."""

    name: str
    features: frozenset[str]
    f1: float


FEATURES = ("words", "characters", "gazetteer", "capitals", "parts of speech")

SYSTEMS = (
    System("Collobert et al. (2011)", frozenset({"words", "gazetteer", "capitals"}), 89.59),
    System("Huang et al. (2015)", frozenset(FEATURES), 90.10),
    System("Rondeau and Su (2016)", frozenset(FEATURES) - {"characters"}, 89.28),
    System("Chiu and Nichols (2016)", frozenset({"words", "characters", "gazetteer"}), 91.62),
    System("Xu and Jiang (2016), the paper", frozenset({"words", "characters"}), 90.71),
    System("Lample et al. (2016)", frozenset({"words", "characters"}), 90.94),
    System("Ma and Hovy (2016)", frozenset({"words", "characters"}), 91.21),
)
