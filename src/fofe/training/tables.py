"""Word vectors while they are trained: only the rows of a batch's words are read, updated and averaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.errors import ConfigError
from fofe.features.config import ViewConfig
from fofe.features.vocabulary import Vocabulary
from fofe.formats.vectors import WordVectors
from fofe.training.averaging import kept_since

RANDOM_RANGE = 0.25
"""Word vectors that start at random are uniform within this range."""
RARE_SHARE = 0.2
"""Unknown words start as the mean of this share of the rarest words."""


def make_vocabulary(
    view: ViewConfig, words: Iterable[str], known: Sequence[str], *, digits: str
) -> Vocabulary:
    """The known words, then those training words that are not among them and are frequent enough."""
    vocabulary = Vocabulary(known, cased=view.is_cased, digits=digits)
    counts = Counter(vocabulary.normalise(word) for word in words)
    present = set(known)
    new = [word for word, count in counts.most_common() if count >= view.min_count and word not in present]
    return Vocabulary([*known, *new], cased=vocabulary.cased, digits=digits)


def first_vectors(
    view: ViewConfig, vocabulary: Vocabulary, vectors: WordVectors | None, random: np.random.Generator
) -> FloatArray:
    """The table [V, D] that training starts from."""
    table = random.uniform(-RANDOM_RANGE, RANDOM_RANGE, (len(vocabulary), view.dimension)).astype(np.float32)
    if vectors is None:
        return table
    if vectors.dimension != view.dimension:
        raise ConfigError(
            f"view {view.name!r} has dimension {view.dimension}, its vectors have {vectors.dimension}",
            path=view.vectors,
            remedy=f"set dimension = {vectors.dimension}",
        )
    unknowns = len(vocabulary.unknowns)
    known = vectors.vectors * np.float32(view.scale)
    table *= float(known.std()) / RANDOM_RANGE
    table[unknowns : unknowns + len(known)] = known
    rare = range(int(len(known) * (1 - RARE_SHARE)), len(known))
    shapes = np.array([vocabulary.unknown_row(vectors.words[row]) for row in rare], dtype=np.int64)
    for unknown in range(unknowns):
        alike = np.flatnonzero(shapes == unknown)
        if len(alike):
            table[unknown] = known[alike + rare.start].mean(axis=0)
    return table


class WordTable:
    """A table [V, D] with row-wise SGD and an exact row-wise running average of its weights."""

    def __init__(self, weights: FloatArray, trained_rows: IntArray, average: float) -> None:
        self.weights = torch.from_numpy(weights)
        self.trained_rows = torch.from_numpy(np.unique(trained_rows).astype(np.int64))
        self.decay = average
        self.averages = self.weights.clone() if average else self.weights
        self.settled = torch.zeros(len(weights), dtype=torch.int64)
        """[V] the step up to which each row's average is settled."""

    def gather(self, rows: Tensor) -> Tensor:
        """The vectors [U, D] of distinct rows [U], to be differentiated."""
        return self.weights[rows].requires_grad_()

    def update(self, rows: Tensor, gathered: Tensor, rate: float, step: int) -> None:
        """Take one step of plain SGD on some rows; `step` counts the steps so far.

        Views that share the table take their steps one after another, as if their gradients were summed.
        """
        if gathered.grad is None:
            return
        self._settle(rows, gathered.detach(), step)
        self.weights[rows] -= rate * gathered.grad

    def averaged(self, step: int) -> Tensor:
        """The running average [V, D] of the weights after `step` steps."""
        rows = self.trained_rows
        self._settle(rows, self.weights[rows], step)
        return self.averages

    def _settle(self, rows: Tensor, weights: Tensor, step: int) -> None:
        """Bring averages up to `step`: a row that stood still came nearer by what was kept since."""
        if not self.decay:
            return
        remembered = kept_since(self.decay, self.settled[rows], step)[:, None]
        self.averages[rows] = weights + (self.averages[rows] - weights) * remembered
        self.settled[rows] = step
