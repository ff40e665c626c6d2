"""What the paper reports, and the feature combinations of its first table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fofe.features.config import (
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


def _views(key: str, value: Any) -> dict[str, Any]:
    """A setting of both views; in a text, {} stands for the name of the view."""
    return {
        f"model.views.{view}.{key}": value.format(view) if isinstance(value, str) else value
        for view in ("cased", "uncased")
    }


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
class Step:
    """A change on the way to configs/paper.toml."""

    name: str
    before: Mapping[str, Any] = field(default_factory=dict)
    """The settings without it."""
    only_here: Mapping[str, Any] = field(default_factory=dict)
    """Settings of this step alone."""


STEPS: Mapping[str, Step] = {
    "before": Step("the paper's text alone, read by itself"),
    "cnn": Step(
        "the character CNN: zeros around words, tanh, no space between words, momentum",
        {
            "model.characters.padding": False,
            "model.characters.activation": "relu",
            "model.characters.spaces": True,
            "training.cnn_with_layers": False,
        },
    ),
    "batches": Step(
        "batches of fragments from the whole corpus; overlaps resolved word by word",
        {"training.shuffle": "sentences", "decoding.strategies": ["highest-first", "longest-first"]},
    ),
    "vocabulary": Step("only words with a vector", {"sampling.replace_rare": 0.3, **_views("min_count", 1)}),
    "coverage": Step("more words with a vector", _views("vectors", "../vectors/en.{}.256.bin.gz")),
    "initials": Step("FOFE of initials, in this row alone", {}, {"model.characters.initials": True}),
    "seen": Step("vectors that have seen the text"),
}
"""What led from a first reading of the paper to its authors' recipe, each with all changes above it."""


@dataclass(frozen=True)
class System:
    """A system of the second table, with the features that it uses, and its test F1."""

    name: str
    features: frozenset[str]
    f1: float
    is_here: bool = False


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

Scores = tuple[float, float, float]
"""Precision, recall and F1, in percent."""

TRAINING_DATA: Mapping[str, tuple[str, Scores]] = {
    "base": ("KBP2015", (81.8, 60.0, 69.3)),
    "weak": ("KBP2015 + WIKI", (85.9, 60.1, 70.7)),
    "second": ("KBP2015 + iFLYTEK", (83.0, 65.2, 73.1)),
}
"""The table on training data: English, KBP2016."""

BY_LANGUAGE: Mapping[str, tuple[str, Scores, Scores]] = {
    "ALL": ("Trilingual", (75.9, 69.3, 72.4), (78.3, 69.9, 73.9)),
    "ENG": ("English", (79.2, 66.7, 72.4), (77.1, 67.8, 72.2)),
    "CMN": ("Chinese", (79.2, 74.8, 76.9), (79.3, 71.7, 75.3)),
    "SPA": ("Spanish", (78.4, 72.2, 75.2), (79.9, 71.8, 75.6)),
}
"""KBP2015: the name of a language, the best system of the track, the paper's."""

GROUPS = ("NAME", "NOMINAL", "OVERALL")

OFFICIAL: Mapping[str, Mapping[str, tuple[Scores, Scores, Scores]]] = {
    "RUN1": {
        "ENG": ((89.8, 78.9, 84.0), (55.4, 33.6, 41.8), (83.6, 68.0, 75.0)),
        "CMN": ((84.8, 70.2, 76.8), (41.4, 25.8, 31.8), (78.9, 62.5, 69.8)),
        "SPA": ((83.5, 77.8, 80.6), (0.0, 0.0, 0.0), (83.5, 60.2, 70.0)),
        "ALL": ((89.3, 75.9, 82.1), (54.1, 31.5, 39.8), (81.9, 63.9, 71.8)),
    },
    "RUN3": {
        "ENG": ((85.7, 87.6, 86.6), (55.1, 37.3, 44.4), (80.4, 75.5, 77.9)),
        "CMN": ((79.0, 83.9, 81.4), (42.5, 38.0, 40.1), (73.5, 76.0, 74.7)),
        "SPA": ((79.0, 87.7, 83.1), (0.0, 0.0, 0.0), (79.0, 67.8, 73.0)),
        "ALL": ((89.3, 75.9, 82.1), (54.1, 31.5, 39.8), (77.4, 73.5, 75.4)),
    },
}
"""KBP2016: the paper's system and its fusion with another, by language and the groups above."""
