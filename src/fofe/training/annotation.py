"""What the labels of a corpus, and their absence, say in the labels of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fofe.text.document import NAME, NOMINAL, NONE

NEGATIVE = "negative"
OTHER_TYPES = "other types"
UNKNOWN = "unknown"
UNKNOWN_OUTSIDE = "unknown outside regions"
IN_DOUBT = "in doubt"

INSIDE = (OTHER_TYPES, NEGATIVE, UNKNOWN)
AROUND = (NEGATIVE, UNKNOWN)
UNANNOTATED = (NEGATIVE, UNKNOWN, UNKNOWN_OUTSIDE, IN_DOUBT)
KINDS = (NAME, NOMINAL)


@dataclass(frozen=True)
class Annotation:
    """How a corpus is annotated."""

    labels: Mapping[str, frozenset[str]]
    """The model's labels that each label of the corpus may stand for; none where it is left out."""
    exhaustive: frozenset[str]
    """The labels of the corpus whose mentions are all annotated."""
    nested: bool = True
    """Whether mentions inside others are annotated too."""
    inside: str = NEGATIVE
    """In a flat corpus: what fragments strictly inside a mention count as."""
    around: str = NEGATIVE
    """In a flat corpus: what fragments that hold a mention and more count as."""
    complete: bool = False
    """Whether nothing but what the corpus annotates is to be found."""

    def told(self) -> Annotation:
        """What it says to a network that is told to follow this corpus: there is nothing else to be found."""
        return replace(self, complete=True, inside=NEGATIVE, around=NEGATIVE)

    def present(self, own: Iterable[str]) -> frozenset[str]:
        """What a fragment with these labels of the corpus may be."""
        return frozenset().union(*(self.labels[label] for label in own))

    def absent(self, labels: Iterable[str]) -> frozenset[str]:
        """What a fragment without a label may be: no mention, or one that the corpus does not annotate."""
        others = frozenset() if self.complete else frozenset(labels) - self.present(self.exhaustive)
        return others | {NONE}


def one_to_one(own: Iterable[str]) -> Annotation:
    """Everything annotated, with the model's own labels."""
    labels = {label: frozenset([label]) for label in own}
    return Annotation(labels, frozenset(labels))
