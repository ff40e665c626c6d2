"""Precision and recall at every threshold, from the scores of the predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fofe.evaluate.scores import Counts
from fofe.evaluate.spans import Span, pair, spans_of
from fofe.text.document import Document

THRESHOLDS = tuple(step / 20 for step in range(20))


class Point(NamedTuple):
    """The counts when only predictions with at least this score are taken."""

    threshold: float
    counts: Counts


def threshold_curve(
    gold: Sequence[Document], predicted: Sequence[Document], thresholds: Sequence[float] = THRESHOLDS
) -> list[Point]:
    """Score the predictions at each threshold.

    Overlaps are not resolved anew: what a dropped mention had pushed aside does not come back.
    """
    best: dict[Span, float] = {}
    for number, (_, guess) in enumerate(pair(gold, predicted)):
        for mention in guess.mentions:
            span = Span(number, mention.start, mention.end, mention.label)
            best[span] = max(mention.score, best.get(span, mention.score))
    true = spans_of(gold)
    scores = np.array(list(best.values()), np.float64)
    right = np.array([span in true for span in best], np.bool_)
    points = []
    for threshold in thresholds:
        taken = scores >= threshold
        tp = int((taken & right).sum())
        points.append(Point(threshold, Counts(tp, int(taken.sum()) - tp, len(true) - tp)))
    return points
