"""A model's probabilities in the labels of a corpus, so that it can be scored there.

A label of the corpus may stand for several of the model's (`LOC` for `GPE`, `LOC` and `FAC`): its probability
is theirs together. What the corpus does not annotate counts as no mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.base.errors import FofeError
from fofe.model.engine import Scorer, Scores
from fofe.tagging.model import Model, scoring_by
from fofe.text.document import NONE, join_label, split_label


def mapped(own: str, mapping: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The model's labels for a label of the corpus; what the mapping does not name stays as it is.

    A label may be named itself (`PLACE_NOM`), else its type stands for both kinds: `PLACE` to `GPE, LOC`
    takes `PLACE_NOM` to `GPE_NOM, LOC_NOM`.
    """
    if own in mapping:
        return frozenset(mapping[own])
    type, kind = split_label(own)
    return frozenset(
        label if label == NONE else join_label(label, kind) for label in mapping.get(type, [type])
    )


@dataclass(frozen=True)
class Projection:
    """From K labels of a model to K' labels of a corpus; NONE is the first of both."""

    labels: tuple[str, ...]
    """Those of the corpus."""
    members: BoolArray
    """[K, K' - 1] which labels of the model each of the corpus stands for."""

    @classmethod
    def make(cls, model_labels: Sequence[str], mapping: Mapping[str, Iterable[str]]) -> Projection:
        """The projection of a mapping from the corpus's labels to the model's, as far as it has them."""
        none, *others = model_labels
        members = {own: [label in set(of_model) for label in others] for own, of_model in mapping.items()}
        known = {own: [False, *column] for own, column in members.items() if any(column)}
        if not known:
            raise FofeError(
                f"no label of the corpus ({', '.join(mapping)}) stands for one of the model's "
                f"({', '.join(others)})"
            )
        return cls((none, *known), np.array(list(known.values())).T)

    @property
    def changes_nothing(self) -> bool:
        """Whether the corpus has the very labels of the model."""
        return self.members.shape[0] == len(self.labels) and np.array_equal(
            self.members[1:], np.eye(len(self.labels) - 1, dtype=bool)
        )

    def project(self, probabilities: FloatArray) -> FloatArray:
        """[F, K] of the model's labels as [F, K'] of the corpus's."""
        if self.changes_nothing:
            return probabilities
        own = probabilities @ self.members.astype(probabilities.dtype)
        annotated = self.members.any(axis=1)
        none = 1 - probabilities[:, annotated].sum(axis=1, keepdims=True)
        return np.concatenate([none, own], axis=1)


def in_labels_of_corpus(model: Model, mapping: Mapping[str, Iterable[str]]) -> Model:
    """A model that speaks the labels of a corpus, given how these map to its own."""
    projection = Projection.make(model.labels, mapping)
    return scoring_by(model, lambda scorer: ProjectedScorer(scorer, projection), projection.labels)


class ProjectedScorer:
    """Scores fragments as another scorer does, in the labels of a corpus."""

    def __init__(self, scorer: Scorer, projection: Projection) -> None:
        self._scorer = scorer
        self._projection = projection

    def score(
        self, sentences: Sequence[Sequence[str]], opens: Sequence[bool] | None = None, *, exact: bool = False
    ) -> Scores:
        scores = self._scorer.score(sentences, opens, exact=exact)
        return replace(scores, probabilities=self._projection.project(scores.probabilities))

    def following(self, conventions: str) -> ProjectedScorer:
        """One that judges by the conventions of a corpus."""
        return ProjectedScorer(self._scorer.following(conventions), self._projection)

    def fresh(self) -> ProjectedScorer:
        return ProjectedScorer(self._scorer.fresh(), self._projection)
