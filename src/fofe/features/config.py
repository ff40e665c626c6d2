"""What a model looks at and how it is built: saved with it, so that a stored model explains itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fofe.base.errors import FofeError
from fofe.features.matches import PLACES
from fofe.features.surroundings import FAR
from fofe.text.normalise import DIGIT_RULES
from fofe.text.segment import SEGMENTERS

BAG = "bag"
LEFT_INCLUDING = "left_including"
LEFT_EXCLUDING = "left_excluding"
RIGHT_INCLUDING = "right_including"
RIGHT_EXCLUDING = "right_excluding"
CODES = (BAG, LEFT_INCLUDING, LEFT_EXCLUDING, RIGHT_INCLUDING, RIGHT_EXCLUDING)
"""The word features of a fragment, in the order in which they stand in the network's input."""

LOOKUPS = ("cased", "uncased", "word", "lexicon", "spelling", "window")


def _one_of(key: str, value: str, options: tuple[str, ...]) -> None:
    if value not in options:
        raise ValueError(f"{key} must be one of {', '.join(options)}, not {value!r}")


def _positive(key: str, *values: int) -> None:
    for value in values:
        if value < 1:
            raise ValueError(f"{key} must be at least 1, not {value}")


def _factor(value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"a forgetting factor lies between 0 and 1, not {value}")


@dataclass(frozen=True)
class ViewConfig:
    """One way to see every word, and which codes of the fragment are made from it.

    `cased` and `uncased` look the token up in a table of its own, `word` the segmented word that holds it,
    whose vector its tokens share evenly, `lexicon` all words that could hold it; `spelling` reads its
    characters with a small convolution, `window` reads the other views of the token and of those around it.
    """

    name: str
    lookup: str
    dimension: int = 256
    codes: tuple[str, ...] = CODES
    vectors: str | None = None
    """Word vectors that the table starts from; random without."""
    table: str | None = None
    """Lexicon: the view whose words and vectors it shares, instead of a table of its own."""
    min_count: int = 2
    """How often a training word that the vectors lack must occur to get a row of its own."""
    scale: float = 1.0
    """What the vectors are multiplied by."""
    dilations: tuple[int, ...] = (1,)
    """Window: one layer for each, which sees a word and those so many places to its left and right."""
    context_layers: int = 0
    """Window: so many layers more, which see a word beside the codes of all those to its left and right."""
    context_factors: tuple[float, ...] = (0.5, 0.85)
    """Window: the forgetting factors of these codes; each is used for an even share of the dimensions."""
    height: int = 3
    """Spelling: how many characters a kernel spans."""
    character_dimension: int = 32

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.name):
            raise ValueError(f"name must be of letters, digits, - and _, not {self.name!r}: files bear it")
        _one_of("lookup", self.lookup, LOOKUPS)
        for code in self.codes:
            _one_of("codes", code, CODES)
        _positive("dimension", self.dimension)
        _positive("height", self.height)
        _positive("character_dimension", self.character_dimension)
        _positive("dilations", *self.dilations)
        if not self.dilations:
            raise ValueError("dilations must not be empty")
        if self.table is not None and self.lookup != "lexicon":
            raise ValueError(f"table: only a lexicon shares one, not a {self.lookup} view")
        if self.table is not None and self.vectors is not None:
            raise ValueError(f"a view that shares the table of {self.table!r} has no vectors of its own")
        if self.table is not None and (self.scale, self.min_count) != (1.0, 2):
            raise ValueError(f"scale and min_count are those of {self.table!r}, whose table the view shares")
        if self.context_layers < 0:
            raise ValueError(f"context_layers must be at least 0, not {self.context_layers}")
        if not self.context_factors:
            raise ValueError("context_factors must list at least one forgetting factor")
        for factor in self.context_factors:
            _factor(factor)

    @property
    def has_table(self) -> bool:
        return self.lookup in ("cased", "uncased", "word", "lexicon")

    @property
    def holds_table(self) -> bool:
        """Whether it has a table of its own."""
        return self.has_table and self.table is None

    @property
    def holder(self) -> str:
        """The name of the view that holds the table it looks words up in."""
        return self.table or self.name

    @property
    def width(self) -> int:
        """How many numbers the view has for a token: a lexicon has a vector for each place in a word."""
        return PLACES * self.dimension if self.lookup == "lexicon" else self.dimension

    @property
    def window_layers(self) -> int:
        """How many layers a window view has."""
        return len(self.dilations) + self.context_layers

    @property
    def is_cased(self) -> bool:
        """Whether its table tells capitals from small letters."""
        return self.lookup != "uncased"


@dataclass(frozen=True)
class CharacterConfig:
    """What the network sees of a fragment's own characters."""

    fofe: bool = True
    cnn: bool = True
    dimension: int = 64
    factor: float = 0.8
    heights: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9)
    kernels: int = 16

    def __post_init__(self) -> None:
        _factor(self.factor)
        _positive("dimension", self.dimension)
        _positive("kernels", self.kernels)
        _positive("heights", *self.heights)
        if self.cnn and not self.heights:
            raise ValueError("heights must not be empty while cnn is true")


@dataclass(frozen=True)
class GazetteerConfig:
    """The names that fragments are looked up among."""

    file: str | None = None
    """A gazetteer; the model takes a copy along."""
    training_names: bool = False
    """Whether the mentions of the training corpus are names too, each for all documents but its own."""
    types: tuple[str, ...] = ()
    """The types of all names; filled in when training begins."""

    def __post_init__(self) -> None:
        if self.file is None and not self.training_names:
            raise ValueError("give a file or set training_names = true: there are no names")


@dataclass(frozen=True)
class ModelConfig:
    """Everything that shapes a model and its input."""

    language: str = "en"
    digits: str = "shape"
    max_words: int = 7
    """n: fragments are at most this long."""
    factor: float = 0.5
    """The forgetting factor of words."""
    segmenter: str | None = None
    """What cuts text without spaces into words, for views that look these up: one of `SEGMENTERS`."""
    views: tuple[ViewConfig, ...] = (ViewConfig("cased", "cased"), ViewConfig("uncased", "uncased"))
    characters: CharacterConfig = field(default_factory=CharacterConfig)
    gazetteer: GazetteerConfig | None = None
    schemes: tuple[str, ...] = ()
    """Corpora with annotation schemes of their own. The network can be conditioned on one of them."""
    surroundings: str | None = None
    """The view by whose vectors the network sees what a sentence and those around it are about."""
    hidden: tuple[int, ...] = (512, 512, 512)

    def __post_init__(self) -> None:
        _one_of("digits", self.digits, tuple(DIGIT_RULES))
        _positive("max_words", self.max_words)
        _positive("hidden", *self.hidden)
        if not self.hidden:
            raise ValueError("hidden must list at least one layer")
        _factor(self.factor)
        names = [view.name for view in self.views]
        if len(set(self.schemes)) != len(self.schemes):
            raise ValueError(f"schemes must name each corpus once, not {', '.join(self.schemes)}")
        if len(set(names)) != len(names):
            raise ValueError(f"views need different names, not {', '.join(names)}")
        lookups = {view.lookup for view in self.views}
        if lookups == {"window"}:
            raise ValueError("a window view needs another view to read")
        if "word" in lookups and self.segmenter is None:
            raise ValueError(f"a word view needs a segmenter: one of {', '.join(SEGMENTERS)}")
        rows = [view.name for view in self.views if view.has_table and view.lookup != "lexicon"]
        if self.surroundings is not None and self.surroundings not in rows:
            known = ", ".join(rows) or "there are none"
            raise ValueError(f"surroundings must name a view that looks words up: {known}")
        if sum(view.lookup == "lexicon" for view in self.views) > 1:
            raise ValueError("a model has one lexicon view at most")
        for view in self.views:
            if view.table is not None:
                self._check_shared(view)
        if self.segmenter is not None:
            _one_of("segmenter", self.segmenter, SEGMENTERS)
        if not any(view.codes for view in self.views) and not (self.characters.fofe or self.characters.cnn):
            raise ValueError("no feature is switched on")

    def _check_shared(self, lexicon: ViewConfig) -> None:
        sizes = {view.name: view.dimension for view in self.views if view.holds_table and view.is_cased}
        if lexicon.table not in sizes:
            known = ", ".join(sizes) or "there are none"
            raise ValueError(f"view {lexicon.name!r}: table must name a cased view that has one: {known}")
        if lexicon.dimension != sizes[lexicon.table]:
            raise ValueError(
                f"view {lexicon.name!r} has dimension {lexicon.dimension}, the table of {lexicon.table!r} "
                f"has {sizes[lexicon.table]}: both must be the same"
            )

    def scheme_number(self, corpus: str) -> int:
        """The number of a corpus among the annotation schemes; an error lists those that the model knows."""
        if corpus not in self.schemes:
            known = ", ".join(self.schemes) or "none"
            raise FofeError(f"the model has no annotation scheme {corpus!r} (it knows: {known})")
        return self.schemes.index(corpus)

    @property
    def receptive_field(self) -> int:
        """How many tokens away other sentences can change the scores of a sentence."""
        return 0 if self.surroundings is None else FAR

    @property
    def uses_characters(self) -> bool:
        return (
            self.characters.fofe
            or self.characters.cnn
            or any(view.lookup == "spelling" for view in self.views)
        )
