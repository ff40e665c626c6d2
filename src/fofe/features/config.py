"""What a model looks at and how it is built: saved with it, so that a stored model explains itself."""

import re
from dataclasses import dataclass, field

from fofe.base.errors import SettingError
from fofe.base.settings import require
from fofe.features.fofe import memory
from fofe.features.lexicon import LONGEST, PLACES
from fofe.text.normalise import DIGIT_RULES
from fofe.text.segment import SEGMENTERS

BAG = "bag"
LEFT_INCLUDING = "left_including"
LEFT_EXCLUDING = "left_excluding"
RIGHT_INCLUDING = "right_including"
RIGHT_EXCLUDING = "right_excluding"
CODES = (BAG, LEFT_INCLUDING, LEFT_EXCLUDING, RIGHT_INCLUDING, RIGHT_EXCLUDING)
"""The word features of a fragment, in the order in which they stand in the network's input."""
TABLE_LOOKUPS = ("cased", "uncased", "word", "lexicon")
LOOKUPS = (*TABLE_LOOKUPS, "spelling", "window", "encoder")
ACTIVATIONS = ("relu", "tanh")
FAR = 1000
"""How far surroundings reach, in tokens: text without full stops has sentences without end."""
SEGMENTED = 32
"""How far away letters can change where a segmenter cuts text: it soon finds the same words again."""
MOST_REACH = 4096
"""Where forgetting factors near 1 would reach further, what is beyond is left out: memory is bounded."""
MOST_WORDS = 100
"""The longest fragments: memory grows with their length, which no weights bound."""


@dataclass(frozen=True)
class CharacterConfig:
    """What the network sees of a fragment's own characters."""

    fofe: bool = True
    """Whether it sees their FOFE codes."""
    cnn: bool = True
    """Whether it sees what a convolution makes of them."""
    dimension: int = 64
    factor: float = 0.8
    """FOFE: the forgetting factor."""
    heights: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9)
    """CNN: how many characters the kernels span."""
    kernels: int = 16
    """CNN: how many kernels there are of each height."""
    padding: bool = False
    """CNN: whether kernels also see zeros, one before a fragment and their height behind it."""
    activation: str = "relu"
    """CNN: what the maxima go through."""
    spaces: bool = True
    """Whether a space symbol stands between the words of a fragment."""
    initials: bool = False
    """Whether the network sees the FOFE codes of the first characters of a fragment's words."""

    def __post_init__(self) -> None:
        require(self, "factor", lambda factor: 0 < factor < 1, "must lie between 0 and 1")
        require(self, "dimension kernels heights", lambda size: size >= 1, "must be at least 1")
        require(self, "activation", ACTIVATIONS.__contains__, f"must be one of {', '.join(ACTIVATIONS)}")
        if self.cnn and not self.heights:
            raise SettingError("heights must not be empty while cnn is true")

    @property
    def in_use(self) -> bool:
        """Whether the network sees anything of a fragment's characters."""
        return self.fofe or self.cnn or self.initials


@dataclass(frozen=True)
class ViewConfig:
    """One way to see every word, and which codes of the fragment are made from it."""

    name: str
    lookup: str
    dimension: int = 256
    codes: tuple[str, ...] = CODES
    vectors: str | None = None
    """Word vectors that a table starts from; random without."""
    min_count: int = 2
    """Table: how often a training word that the vectors lack must occur to get a row of its own."""
    scale: float = 1.0
    """Table: what the vectors are multiplied by."""
    table: str | None = None
    """Lexicon: the view whose words and vectors it shares, instead of a table of its own."""
    dilations: tuple[int, ...] = (1,)
    """Window: one layer for each, which sees a word and those that many words to its left and right."""
    context_layers: int = 0
    """Window: how many more layers see a word beside the codes of all words to its left and right."""
    context_factors: tuple[float, ...] = (0.5, 0.85)
    """Window: the forgetting factors of these codes; each is used for an even share of the dimensions."""
    height: int = 3
    """Spelling: how many characters a kernel spans."""
    character_dimension: int = 32
    """Spelling: how many numbers a character has."""
    encoder: str | None = None
    """Encoder: the directory of a language model, whose vectors are projected to the dimension."""
    layers: int = 1
    """Encoder: how many of its last layers are mixed."""
    factor: float = 0.1
    """Encoder: the forgetting factor of its codes: a contextual vector already holds its neighbours."""
    encoder_width: int = 0
    """Encoder: the numbers of a vector of the language model; filled in when training begins."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.name):
            raise SettingError(f"name must be of letters, digits, - and _ for file names, not {self.name!r}")
        require(self, "lookup", LOOKUPS.__contains__, f"must be one of {', '.join(LOOKUPS)}")
        require(self, "codes", CODES.__contains__, f"must be one of {', '.join(CODES)}")
        sizes = "dimension height character_dimension dilations layers"
        require(self, sizes, lambda size: size >= 1, "must be at least 1")
        require(self, "dilations", lambda distance: distance <= FAR, f"must be at most {FAR}")
        require(self, "context_layers", lambda number: number >= 0, "must be at least 0")
        require(self, "factor context_factors", lambda factor: 0 < factor < 1, "must lie between 0 and 1")
        for key in ("dilations", "context_factors"):
            if not getattr(self, key):
                raise SettingError(f"{key} must not be empty")
        if (self.encoder is not None) != (self.lookup == "encoder"):
            raise SettingError(
                "encoder: an encoder view names the directory of a language model, no other view"
            )
        if self.table is not None and self.lookup != "lexicon":
            raise SettingError(f"table: only a lexicon shares one, not a {self.lookup} view")
        if self.table is not None and self.vectors is not None:
            raise SettingError(f"a view that shares the table of {self.table!r} has no vectors of its own")
        if self.table is not None and (self.scale, self.min_count) != (1.0, 2):
            raise SettingError(f"scale and min_count are those of {self.table!r}, whose table it shares")

    @property
    def has_table(self) -> bool:
        return self.lookup in TABLE_LOOKUPS

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

    @property
    def kernels(self) -> CharacterConfig:
        """The convolution by which a spelling view reads the characters of a word."""
        size, heights = self.character_dimension, (self.height,)
        return CharacterConfig(dimension=size, heights=heights, kernels=self.dimension)

    @property
    def window_layers(self) -> int:
        """How many layers a window view has."""
        return len(self.dilations) + self.context_layers

    @property
    def reach(self) -> int:
        """How many tokens away words can change the vector that a window view has for a word."""
        return sum(self.dilations) + self.context_layers * (1 + memory(max(self.context_factors)))


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
            raise SettingError("give a file or set training_names = true: there are no names")


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
        require(self, "digits", DIGIT_RULES.__contains__, f"must be one of {', '.join(DIGIT_RULES)}")
        require(self, "segmenter", SEGMENTERS.__contains__, f"must be one of {', '.join(SEGMENTERS)}")
        require(self, "max_words hidden", lambda size: size >= 1, "must be at least 1")
        require(self, "max_words", lambda size: size <= MOST_WORDS, f"must be at most {MOST_WORDS}")
        require(self, "factor", lambda factor: 0 < factor < 1, "must lie between 0 and 1")
        if not self.hidden:
            raise SettingError("hidden must list at least one layer")
        names = [view.name for view in self.views]
        if len(set(self.schemes)) != len(self.schemes):
            raise SettingError(f"schemes must name each corpus once, not {', '.join(self.schemes)}")
        if len(set(names)) != len(names):
            raise SettingError(f"views need different names, not {', '.join(names)}")
        lookups = {view.lookup for view in self.views}
        if lookups == {"window"}:
            raise SettingError("a window view needs another view to read")
        if "word" in lookups and self.segmenter is None:
            raise SettingError(f"a word view needs a segmenter: one of {', '.join(SEGMENTERS)}")
        rows = [view.name for view in self.views if view.has_table and view.lookup != "lexicon"]
        if self.surroundings is not None and self.surroundings not in rows:
            known = ", ".join(rows) or "there are none"
            raise SettingError(f"surroundings must name a view that looks words up: {known}")
        if sum(view.lookup == "lexicon" for view in self.views) > 1:
            raise SettingError("a model has one lexicon view at most")
        sizes = {view.name: view.dimension for view in self.views if view.holds_table and view.is_cased}
        for view in self.views:
            if view.table is not None and view.table not in sizes:
                known = ", ".join(sizes) or "there are none"
                raise SettingError(f"view {view.name!r}: table must name a cased view that has one: {known}")
            if view.table is not None and view.dimension != sizes[view.table]:
                raise SettingError(
                    f"view {view.name!r} has dimension {view.dimension}, the table of {view.table!r} "
                    f"has {sizes[view.table]}: both must be the same"
                )
        if "spelling" in lookups and not self.characters.spaces:
            raise SettingError("characters.spaces: a spelling view reads the spaces around words")
        if not any(view.codes for view in self.views) and not self.characters.in_use:
            raise SettingError("no feature is switched on")

    @property
    def receptive_field(self) -> int:
        """How many tokens away other sentences can change the scores of a sentence."""
        return 0 if self.surroundings is None else FAR

    @property
    def reach(self) -> int:
        """How many tokens away words of its own sentence can change the scores of a fragment.

        Without what surroundings and language models see, whose reach is the whole sentence.
        """
        windows = [view.reach for view in self.views if view.lookup == "window"]
        found = LONGEST + (SEGMENTED if self.segmenter else 0)
        return min(memory(self.factor) + max(windows, default=0) + found + self.max_words, MOST_REACH)

    @property
    def isolated_width(self) -> int:
        """How many numbers the views of isolated words have together."""
        return sum(view.width for view in self.views if view.lookup != "window")

    def view(self, name: str) -> ViewConfig:
        """The view of a name."""
        return next(view for view in self.views if view.name == name)

    @property
    def encoders(self) -> tuple[ViewConfig, ...]:
        """The views that see words through a language model."""
        return tuple(view for view in self.views if view.lookup == "encoder")

    @property
    def uses_characters(self) -> bool:
        return self.characters.in_use or any(view.lookup == "spelling" for view in self.views)
