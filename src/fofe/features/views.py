"""Views: the ways to see a word, and the vectors that each view has for it.

`cased` and `uncased` look the token up in a table, `word` the segmented word that holds it, whose vector its
tokens share evenly. The other views have modules of their own: lexicon, spelling and windows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.features.checks import one_of, positive
from fofe.features.lexicon import PLACES, LexiconSettings, LexiconView
from fofe.features.spelling import SpellingSettings, SpellingView
from fofe.features.table import Table, table_name
from fofe.features.windows import WindowSettings, WindowView

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig
    from fofe.features.encoded import EncodedText
    from fofe.features.feature import Shapes, Sizes

BAG = "bag"
LEFT_INCLUDING = "left_including"
LEFT_EXCLUDING = "left_excluding"
RIGHT_INCLUDING = "right_including"
RIGHT_EXCLUDING = "right_excluding"
CODES = (BAG, LEFT_INCLUDING, LEFT_EXCLUDING, RIGHT_INCLUDING, RIGHT_EXCLUDING)
"""The word features of a fragment, in the order in which they stand in the network's input."""


@dataclass(frozen=True)
class _ViewSettings:
    """What every view has."""

    name: str
    lookup: str
    dimension: int = 256
    codes: tuple[str, ...] = CODES


@dataclass(frozen=True, kw_only=True)
class TableSettings:
    """The settings of views that look words up."""

    vectors: str | None = None
    """Word vectors that the table starts from; random without."""
    min_count: int = 2
    """How often a training word that the vectors lack must occur to get a row of its own."""
    scale: float = 1.0
    """What the vectors are multiplied by."""


@dataclass(frozen=True)
class ViewConfig(SpellingSettings, WindowSettings, LexiconSettings, TableSettings, _ViewSettings):
    """One way to see every word, and which codes of the fragment are made from it."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.name):
            raise ValueError(
                f"name must be of letters, digits, - and _, not {self.name!r}: it is part of file names"
            )
        one_of("lookup", self.lookup, LOOKUPS)
        for code in self.codes:
            one_of("codes", code, CODES)
        positive("dimension", self.dimension)
        SpellingSettings.__post_init__(self)
        WindowSettings.__post_init__(self)
        if self.table is not None and self.lookup != "lexicon":
            raise ValueError(f"table: only a lexicon shares one, not a {self.lookup} view")
        if self.table is not None and self.vectors is not None:
            raise ValueError(f"a view that shares the table of {self.table!r} has no vectors of its own")
        if self.table is not None and (self.scale, self.min_count) != (1.0, 2):
            raise ValueError(f"scale and min_count are those of {self.table!r}, whose table the view shares")

    @property
    def has_table(self) -> bool:
        return self.lookup in ("cased", "uncased", "word", "lexicon")

    @property
    def holds_table(self) -> bool:
        """Whether it has a table of its own."""
        return self.has_table and self.table is None

    @property
    def holder(self) -> str:
        """The name of the view that has the table it looks words up in."""
        return self.table or self.name

    @property
    def width(self) -> int:
        """How many numbers the view has for a token: a lexicon has a vector for each place in a word."""
        return PLACES * self.dimension if self.lookup == "lexicon" else self.dimension

    @property
    def is_cased(self) -> bool:
        """Whether its table distinguishes upper from lower case."""
        return self.lookup != "uncased"


class View(Protocol):
    """A view of isolated words."""

    @staticmethod
    def shapes(view: ViewConfig, sizes: Sizes) -> Shapes:
        """The weights of a view."""

    def __init__(self, view: ViewConfig, weights: Mapping[str, FloatArray]) -> None: ...

    def vectors(self, text: EncodedText) -> FloatArray:
        """[T, D] of the words of a text."""


class TableView:
    """The vectors of tokens in a table."""

    @staticmethod
    def shapes(view: ViewConfig, sizes: Sizes) -> Shapes:
        return {table_name(view.name): (sizes.vocabularies[view.name], view.dimension)}

    def __init__(self, view: ViewConfig, weights: Mapping[str, FloatArray]) -> None:
        self._name = view.name
        self._table = Table.from_weights(weights, view.holder)

    def vectors(self, text: EncodedText) -> FloatArray:
        """[T, D] of the words of a text."""
        return self._table.rows(text.words[self._name])


class SegmentedView(TableView):
    """The vectors of the segmented words that hold tokens, which share them evenly."""

    def vectors(self, text: EncodedText) -> FloatArray:
        """[T, D] of the words of a text."""
        assert text.segments is not None, "a model with a word view has a segmenter"
        shared: FloatArray = super().vectors(text) * text.segments.shares[:, None]
        return shared


VIEWS: dict[str, type[View]] = {
    "cased": TableView,
    "uncased": TableView,
    "word": SegmentedView,
    "lexicon": LexiconView,
    "spelling": SpellingView,
}
"""The views of isolated words, by lookup; `window` reads these."""
LOOKUPS = (*VIEWS, "window")


def isolated_width(config: ModelConfig) -> int:
    """How many numbers the views of isolated words have together."""
    return sum(view.width for view in config.views if view.lookup != "window")


def view_shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
    """The weights of all views."""
    shapes: Shapes = {}
    for view in config.views:
        if view.lookup == "window":
            shapes |= WindowView.shapes(view, isolated_width(config))
        elif view.table is None:
            shapes |= VIEWS[view.lookup].shapes(view, sizes)
    return shapes


class IsolatedWords:
    """The views of isolated words side by side, in the order of the configuration."""

    def __init__(self, config: ModelConfig, weights: Mapping[str, FloatArray]) -> None:
        self._views: list[View] = [
            VIEWS[view.lookup](view, weights) for view in config.views if view.lookup != "window"
        ]

    def vectors(self, text: EncodedText) -> FloatArray:
        """[T, D] of the words of a text."""
        nothing: FloatArray = np.zeros((text.token_count, 0), dtype=np.float32)
        return np.concatenate([nothing, *(view.vectors(text) for view in self._views)], axis=1)
