"""What a shipped model is made from, as it stands in `recipes/*.toml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fofe.base.settings import build, read_toml
from fofe.model.storage import Storage

PARTS = ("dev", "test")


@dataclass(frozen=True)
class Compression:
    """How the trained model is made small."""

    words: dict[str, int]
    """How many of the most frequent words the table of each view keeps; one that is not named keeps all."""
    keep: tuple[str, ...] = ()
    """The corpora of the configuration whose training words are kept whatever their rank."""
    tables: str = "int8"
    weights: str = "float16"
    megabytes: float = 12.0
    """The most that the model directory may take."""

    @property
    def storage(self) -> Storage:
        return Storage(self.tables, self.weights)


@dataclass(frozen=True)
class Licence:
    """What the model may be used for, which follows from its data."""

    short: str
    text: str
    commercial: bool = False
    """Whether a product may use the model."""


@dataclass(frozen=True)
class Source:
    """A corpus, a file of word vectors or a language model that the model was made from."""

    name: str
    what: str
    terms: str
    commercial: bool = False
    """Whether the terms allow commercial use."""
    corpora: tuple[str, ...] = ()
    """Its names in the configuration."""
    authors: str = ""
    address: str = ""
    changes: str = ""


@dataclass(frozen=True)
class Teachers:
    """The models that `benchmarks/mentions.py` leaves for some seeds of a benchmark."""

    benchmark: str
    seeds: tuple[int, ...]

    @property
    def runs(self) -> dict[str, str]:
        """The directories of their runs under `runs/`, with the commands that train them."""
        return {
            f"{self.benchmark}-{seed}": f"python benchmarks/mentions.py {self.benchmark} --seed {seed}"
            for seed in self.seeds
        }


@dataclass(frozen=True)
class Distillation:
    """A teacher, and the plain text that it labels for the model."""

    config: str
    """The training configuration of the teacher, beside that of the model."""
    run: str
    """The directory of its run under `runs/`."""
    text: str
    """A file among the corpora beside the project, or one that a script makes under `runs/`."""
    words: int
    """How many words of it, from the beginning."""


@dataclass(frozen=True)
class Recipe:
    """A shipped model: how it is trained, compressed, tested and licensed."""

    name: str
    title: str
    config: str
    """The training configuration, relative to the recipe."""
    run: str
    """The directory of the run under `runs/`; a benchmark that trains the same may share it."""
    compression: Compression
    tests: dict[str, str]
    """The part of each corpus that is scored: test, or dev if it has no other."""
    licence: Licence
    data: tuple[Source, ...]
    limits: tuple[str, ...]
    """What to expect of it, and what not."""
    example: str
    seed: int = 1
    teachers: Teachers | None = None
    """The models that it learns from besides the labels, if any."""
    distillation: Distillation | None = None
    """Or the one that it learns from over plain text."""
    path: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.tests:
            raise ValueError("tests must name at least one corpus")
        for corpus, part in self.tests.items():
            if part not in PARTS:
                raise ValueError(f"tests.{corpus} must be one of {', '.join(PARTS)}, not {part!r}")
        if self.licence.commercial and (kept := [one.name for one in self.data if not one.commercial]):
            raise ValueError(f"the licence allows commercial use, but the terms of {kept[0]} do not")

    @property
    def module(self) -> str:
        """The module of its package."""
        return f"fofe_{self.name.replace('-', '_')}"


def read_recipe(path: str | Path) -> Recipe:
    """Read a recipe; what is missing, unknown or wrong is an error that names it."""
    table = read_toml(path)
    given = table.get("config")
    paths = {"path": str(path)}
    if isinstance(given, str):
        paths["config"] = str((Path(path).parent / given).resolve())
    return build(Recipe, table | paths, path=path)
