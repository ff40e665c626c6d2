"""What a model looks at and how it is built: saved with it, so that a stored model explains itself."""

from dataclasses import dataclass, field

from fofe.base.errors import FofeError
from fofe.base.settings import require
from fofe.features.characters import CharacterConfig
from fofe.features.gazetteer import GazetteerConfig
from fofe.features.surroundings import FAR
from fofe.features.views import ViewConfig
from fofe.text.normalise import DIGIT_RULES
from fofe.text.segment import SEGMENTERS


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
        require(self, "factor", lambda factor: 0 < factor < 1, "must lie between 0 and 1")
        if not self.hidden:
            raise ValueError("hidden must list at least one layer")
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
        if "spelling" in lookups and not self.characters.spaces:
            raise ValueError("characters.spaces: a spelling view reads the spaces around words")
        if not any(view.codes for view in self.views) and not self.characters.in_use:
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
    def isolated_width(self) -> int:
        """How many numbers the views of isolated words have together."""
        return sum(view.width for view in self.views if view.lookup != "window")

    @property
    def uses_characters(self) -> bool:
        return self.characters.in_use or any(view.lookup == "spelling" for view in self.views)
