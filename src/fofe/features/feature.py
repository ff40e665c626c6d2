"""What a feature is: one kind of input of the network, described in one module.

A module has the feature's columns in the network's input, its weights and its code in NumPy; its settings are
in `fofe.features.config`. A feature that computes with torch while training has a twin, a class of the same
name in `torch_module`. A new feature takes such a module and a line in `FEATURES` (fofe.features.registry).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from numpy.typing import NDArray

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.config import ModelConfig
from fofe.features.encoded import EncodedText, Encoder, SentenceBounds
from fofe.features.fragments import Fragments

Shapes = dict[str, tuple[int, ...]]
"""The shapes of weights, by the names under which a model stores them."""


@dataclass(frozen=True)
class Sizes:
    """What the shapes of a model's weights depend on besides its configuration."""

    vocabularies: Mapping[str, int]
    """Rows of the table of each view that has one of its own."""
    alphabet: int
    """Characters, 0 if nothing reads them."""
    labels: int


@dataclass(frozen=True)
class ReadText(SentenceBounds):
    """Some sentences as the tagging engine reads them."""

    words: list[str]
    """The T words of all sentences."""
    opens: Sequence[bool] | None
    """[S] which sentences open a document; each is one if it is not given."""
    positions: IntArray
    """[T] the rows that the words have in the cache."""
    cached: Mapping[str, FloatArray]
    """[N, D] each: what the cache keeps of words, by name (`Feature.of_words`)."""
    shared: dict[str, Any] = field(default_factory=dict)
    """What several features need of the same fragments."""

    def rows(self, name: str) -> FloatArray:
        """[T, D] what the cache keeps of each word under a name."""
        return self.cached[name].take(self.positions, axis=0)


@dataclass(frozen=True)
class ModelParts:
    """What the features of a model are made from."""

    config: ModelConfig
    encoder: Encoder
    weights: Mapping[str, FloatArray]
    columns: Mapping[str, FloatArray]
    """The part [D, H] of the first layer that belongs to each name of `Feature.columns`."""


Addend = Callable[[FloatArray, slice], None]
"""Adds what a feature is for some of F fragments, a slice of them, to the first layer's sums [F', H]."""


class Feature(ABC):
    """One kind of input. The methods of the class describe it; an instance computes it for one model."""

    torch_module: ClassVar[str | None] = None
    """Where the twin is; a feature without one passes arrays of a batch with the names of its columns on."""

    @staticmethod
    @abstractmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        """The columns of the network's input by name, with their widths; none where a model lacks it."""

    @classmethod
    def in_use(cls, config: ModelConfig) -> bool:
        """Whether a model has the feature."""
        return bool(cls.columns(config))

    @staticmethod
    def shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
        """The weights of its own in a model that has it, besides those of its columns in the first layer."""
        return {}

    @staticmethod
    def arrays(text: EncodedText, fragments: Fragments) -> dict[str, NDArray[Any]]:
        """What it needs of a batch in torch, by name, besides what the caller of `make_batch` gives."""
        return {}

    def __init__(self, model: ModelParts) -> None:  # noqa: B027
        """For one model."""

    def of_words(self, text: EncodedText, vectors: FloatArray) -> dict[str, FloatArray]:
        """Arrays [U, D] to keep for each of U isolated words, by name; `vectors` [U, D] are theirs."""
        return {}

    def add_to_starts(self, starts: FloatArray, firsts: IntArray, text: ReadText) -> None:  # noqa: B027
        """Add to the sums [N, H] of fragments by their first words [N], where it depends on no more."""

    def of(self, text: ReadText, fragments: Fragments) -> Addend | None:
        """What it adds for each of some fragments, in the order of their lengths, if anything."""
        return None
