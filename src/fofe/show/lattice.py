"""The lattice of a sentence: every fragment with its scores and its outcome, and to which mention it lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.decode import Candidate, Decoding, resolve
from fofe.decode.resolve import NON_CROSSING, by_length, by_score, contains
from fofe.decode.select import NONE_COLUMN, select
from fofe.tagging.model import Model
from fofe.text.document import Document, Sentence

Outcome = Literal["mention", "lost", "below", "none"]
"""Kept; lost to another; under the threshold; or NONE is more likely than any label."""


class Fragment(NamedTuple):
    """Tokens `first` to `last` (inclusive) of a sentence, their scores and their outcome."""

    first: int
    last: int
    label: str
    """The best label that is not NONE, and its probability."""
    score: float
    probabilities: tuple[float, ...]
    """Of all labels, in the order of the model's, NONE first."""
    outcome: Outcome
    lost_to: tuple[int, int] | None = None
    """The first and last token of the mention that it lost to; None also where that one lost later."""


@dataclass(frozen=True)
class Lattice:
    """A sentence and its fragments, in the order of first tokens, then lengths."""

    sentence: Sentence
    fragments: list[Fragment]


def lattices(model: Model, document: Document) -> Iterator[Lattice]:
    """The lattice of every sentence of a document, decoded as the model decodes."""
    sentences = [sentence for sentence in document.sentences if sentence]
    if not sentences:
        return
    scores = model.score(document)
    fragments = scores.fragments
    pools = select(
        fragments,
        scores.token_offsets,
        scores.probabilities,
        model.labels,
        threshold=model.decoding.threshold,
    )
    borders = np.searchsorted(fragments.sentences, np.arange(len(sentences) + 1))
    for number, (sentence, pool) in enumerate(zip(sentences, pools, strict=True)):
        part = slice(int(borders[number]), int(borders[number + 1]))
        spans = zip(
            (fragments.firsts[part] - scores.token_offsets[number]).tolist(),
            (fragments.lasts[part] - scores.token_offsets[number]).tolist(),
            strict=True,
        )
        outcomes = _Outcomes(pool, model.labels, model.decoding)
        rows = zip(spans, scores.probabilities[part], strict=True)
        yield Lattice(sentence, [outcomes.fragment(first, last, row) for (first, last), row in rows])


class _Outcomes:
    """The outcomes of the candidates of a sentence."""

    def __init__(self, pool: Sequence[Candidate], labels: Sequence[str], decoding: Decoding) -> None:
        self._labels = labels
        self._decoding = decoding
        self._kept = resolve(pool, decoding.strategy, decoding.nested)
        self._kept_spans = {(candidate.start, candidate.end) for candidate in self._kept}

    def fragment(self, first: int, last: int, probabilities: FloatArray) -> Fragment:
        """The fragment with its probabilities [K]."""
        best = int(probabilities[1:].argmax()) + 1
        score = float(probabilities[best])
        candidate = Candidate(first, last + 1, self._labels[best], score)
        outcome = self._outcome(candidate, none=float(probabilities[NONE_COLUMN]))
        lost_to = self._winner_over(candidate) if outcome == "lost" else None
        row = tuple(map(float, probabilities))
        return Fragment(first, last, self._labels[best], score, row, outcome, lost_to)

    def _outcome(self, candidate: Candidate, none: float) -> Outcome:
        if candidate.score <= none:
            return "none"
        if candidate.score < self._decoding.threshold:
            return "below"
        return "mention" if (candidate.start, candidate.end) in self._kept_spans else "lost"

    def _winner_over(self, loser: Candidate) -> tuple[int, int] | None:
        rank = by_length if self._decoding.strategy.startswith("longest") else by_score
        rivals = [kept for kept in self._kept if self._excludes(kept, loser)]
        if not rivals:
            return None
        winner = min(rivals, key=rank)
        return winner.start, winner.end - 1

    def _excludes(self, kept: Candidate, loser: Candidate) -> bool:
        if kept.end <= loser.start or loser.end <= kept.start:
            return False
        if self._decoding.strategy == NON_CROSSING:
            return not contains(kept, loser) and not contains(loser, kept)
        return not (self._decoding.nested and contains(kept, loser))
