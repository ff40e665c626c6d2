"""Precision and recall by threshold, and the best threshold for a purpose."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.base.errors import FofeError
from fofe.decode import Candidate, Decoding, resolve
from fofe.decode.candidates import NONE_COLUMN, select
from fofe.evaluate.scores import Counts, score_documents, score_spans
from fofe.evaluate.tables import Section, score_table
from fofe.model.engine import Scores
from fofe.tagging.model import Model
from fofe.text.align import align
from fofe.text.document import Document

CURVE_THRESHOLDS = tuple(step / 20 for step in range(20))
THRESHOLDS = tuple(step / 100 for step in range(1, 100))
PLAINLY_NONE = 0.9999
"""Fragments that are NONE by more than this, and rightly so, are left out: there are very many of them."""

Spans = set[tuple[int, int, str]]


class Point(NamedTuple):
    """The counts when only predictions with at least this score are taken."""

    threshold: float
    counts: Counts


def threshold_curve(
    gold: Sequence[Document], predicted: Sequence[Document], thresholds: Sequence[float] = CURVE_THRESHOLDS
) -> list[Point]:
    """Score predicted documents at each threshold, by the scores of their mentions.

    Overlaps are not resolved again: a mention that lost to a dropped one does not come back.
    """

    def reaching(document: Document, least: float) -> Document:
        return replace(document, mentions=[one for one in document.mentions if one.score >= least])

    return [
        Point(least, score_documents(gold, (reaching(one, least) for one in predicted)).overall)
        for least in thresholds
    ]


def curve_section(points: Sequence[Point]) -> Section:
    groups = {f"{point.threshold:.2f}": point.counts for point in points}
    data = [{"threshold": point.threshold, **point.counts.as_dict()} for point in points]
    return Section("curve", score_table("threshold", groups), data)


@dataclass(frozen=True)
class ScoredFragments:
    """The scores of F fragments and the candidates of S sentences of a corpus, with the gold."""

    labels: tuple[str, ...]
    """K labels, NONE first."""
    probabilities: FloatArray
    """[F, K]"""
    right: BoolArray
    """[F, K] true for the gold label of a fragment; all false where the model lacks that label."""
    candidates: list[list[Candidate]]
    """[S] the fragments that the model calls mentions, whatever their score."""
    gold: list[Spans]
    """[S] the mentions on token borders."""
    mentions: int
    """The number of mentions of the corpus, on token borders or not."""


def score_fragments(model: Model, documents: Sequence[Document]) -> ScoredFragments:
    """Score every fragment of tokenised documents, without a gate."""
    probabilities: list[FloatArray] = []
    right: list[BoolArray] = []
    candidates: list[list[Candidate]] = []
    gold: list[Spans] = []
    for document in documents:
        if not any(document.sentences):
            continue
        scores = model.score(document)
        spans: list[Spans] = [set() for _ in document.sentences]
        for span, mention in align(document)[0]:
            spans[span.sentence].add((span.start, span.end, mention.label))
        spans = [found for found, sentence in zip(spans, document.sentences, strict=True) if sentence]
        own = _gold_labels(scores, spans, model.labels)
        kept = (scores.probabilities[:, NONE_COLUMN] < PLAINLY_NONE) | ~own[:, NONE_COLUMN]
        probabilities.append(scores.probabilities[kept])
        right.append(own[kept])
        candidates += select(
            scores.fragments, scores.token_offsets, scores.probabilities, model.labels, threshold=0.0
        )
        gold += spans
    if not gold:
        raise FofeError("the corpus has no text to score")
    mentions = sum(len(document.mentions) for document in documents)
    return ScoredFragments(
        model.labels, np.concatenate(probabilities), np.concatenate(right), candidates, gold, mentions
    )


def _gold_labels(scores: Scores, spans: Sequence[Spans], labels: Sequence[str]) -> BoolArray:
    """[F, K] true for the gold label of each fragment; NONE for those that are no mention."""
    columns = {label: column for column, label in enumerate(labels)}
    borders = zip(scores.fragments.firsts.tolist(), scores.fragments.lasts.tolist(), strict=True)
    rows = {span: row for row, span in enumerate(borders)}
    own = np.zeros(scores.probabilities.shape, dtype=bool)
    own[:, NONE_COLUMN] = True
    for offset, of_sentence in zip(scores.token_offsets[:-1].tolist(), spans, strict=True):
        for start, end, label in of_sentence:
            row = rows.get((offset + start, offset + end - 1))
            if row is not None:
                own[row, NONE_COLUMN] = False
                if label in columns:
                    own[row, columns[label]] = True
    return own


def decoded_curve(
    scored: ScoredFragments, decoding: Decoding, thresholds: Sequence[float] = THRESHOLDS
) -> list[Point]:
    """The scores at each threshold, with overlaps resolved again for each."""
    unaligned = Counts(fn=scored.mentions - sum(map(len, scored.gold)))
    points = []
    for threshold in thresholds:
        reaching = ([one for one in pool if one.score >= threshold] for pool in scored.candidates)
        kept = (resolve(pool, decoding.strategy, decoding.nested) for pool in reaching)
        found = [{candidate[:3] for candidate in of_sentence} for of_sentence in kept]
        points.append(Point(threshold, score_spans(scored.gold, found) + unaligned))
    return points


def best_point(
    points: Sequence[Point], *, precision: float | None = None, recall: float | None = None
) -> Point:
    """The point of the best F1 among those with at least this precision and recall, in percent.

    Where several are equally good, the one in their middle is the least sensitive to what the corpus lacks.

    Raises:
        FofeError: if no threshold reaches them.
    """
    reaching = [
        point
        for point in points
        if point.counts.precision >= (precision or 0) and point.counts.recall >= (recall or 0)
    ]
    if not reaching:
        most_precise = max(points, key=lambda point: point.counts.precision)
        most_complete = max(points, key=lambda point: point.counts.recall)
        raise FofeError(
            "no threshold reaches that "
            f"(the highest precision is {most_precise.counts.precision:.2f}, at {most_precise.threshold}; "
            f"the highest recall is {most_complete.counts.recall:.2f}, at {most_complete.threshold})"
        )
    best = max(point.counts.f1 for point in reaching)
    equal = [point for point in reaching if point.counts.f1 == best]
    return equal[len(equal) // 2]
