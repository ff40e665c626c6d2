"""The lattice of a sentence: every fragment with its scores and its outcome, and to which mention it lost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.decode import Candidate, Decoding, resolve
from fofe.decode.candidates import NONE_COLUMN, best_labels, select
from fofe.decode.resolve import NON_CROSSING, by_length, by_score, contains
from fofe.tagging.model import Model
from fofe.text.document import Document, Sentence

Outcome = Literal["mention", "lost", "below", "none"]
"""Kept; lost to another; under the threshold; or NONE is more likely than any label."""


@dataclass(frozen=True)
class Fragment:
    """Tokens `first` to `last` (inclusive) of a sentence, their scores and their outcome."""

    first: int
    last: int
    label: str
    """The label that it would be a mention of, which is not NONE, and its probability."""
    score: float
    probabilities: tuple[float, ...]
    """Of all labels, in the order of the model's, NONE first."""
    outcome: Outcome
    lost_to: tuple[int, int] | None = None
    """The first and last token of the mention that it lost to; None also where that one lost later."""


Lattice = tuple[Sentence, list[Fragment]]
"""A sentence and its fragments, in the order of first tokens, then lengths."""


def lattices(model: Model, document: Document) -> Iterator[Lattice]:
    """The lattice of every sentence of a document, decoded as the model decodes."""
    sentences = [sentence for sentence in document.sentences if sentence]
    if not sentences:
        return
    scores = model.score(document)
    fragments, offsets, decoding = scores.fragments, scores.token_offsets, model.decoding
    thresholds = decoding.thresholds_of(model.labels)
    pools = select(fragments, offsets, scores.probabilities, model.labels, threshold=thresholds)
    borders = np.searchsorted(fragments.sentences, np.arange(len(sentences) + 1))
    for number, (sentence, pool) in enumerate(zip(sentences, pools, strict=True)):
        part = slice(int(borders[number]), int(borders[number + 1]))
        kept = resolve(pool, decoding.strategy, decoding.nested)
        firsts, lasts = fragments.firsts[part] - offsets[number], fragments.lasts[part] - offsets[number]
        rows = scores.probabilities[part]
        best = best_labels(rows, thresholds)
        spans = zip(firsts.tolist(), lasts.tolist(), rows.tolist(), best.tolist(), strict=True)
        yield sentence, [_fragment(*span, model.labels, thresholds, kept, decoding) for span in spans]


def _fragment(
    first: int,
    last: int,
    row: list[float],
    best: int,
    labels: Sequence[str],
    thresholds: FloatArray,
    kept: list[Candidate],
    decoding: Decoding,
) -> Fragment:
    """A fragment with the probabilities of the labels, given the mentions of its sentence."""
    score = row[best]
    candidate = Candidate(first, last + 1, labels[best], score)
    outcome: Outcome = "lost"
    if score <= row[NONE_COLUMN]:
        outcome = "none"
    elif score < thresholds[best]:
        outcome = "below"
    elif any(mention[:2] == candidate[:2] for mention in kept):
        outcome = "mention"
    lost_to = _winner_over(candidate, kept, decoding) if outcome == "lost" else None
    return Fragment(first, last, candidate.label, score, tuple(row), outcome, lost_to)


def _winner_over(loser: Candidate, kept: Sequence[Candidate], decoding: Decoding) -> tuple[int, int] | None:
    rank = by_length if decoding.strategy.startswith("longest") else by_score
    winner = min((one for one in kept if _excludes(one, loser, decoding)), key=rank, default=None)
    return winner and (winner.start, winner.end - 1)


def _excludes(kept: Candidate, loser: Candidate, decoding: Decoding) -> bool:
    if kept.end <= loser.start or loser.end <= kept.start:
        return False
    if decoding.strategy == NON_CROSSING:
        return not contains(kept, loser) and not contains(loser, kept)
    return not (decoding.nested and contains(kept, loser))
