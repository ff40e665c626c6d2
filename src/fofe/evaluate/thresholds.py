"""The threshold for a purpose: the best F1, or a precision or recall that is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from fofe.base.errors import FofeError
from fofe.decode import Decoding, resolve
from fofe.evaluate.curve import Point
from fofe.evaluate.judgements import Judgements
from fofe.evaluate.scores import Counts

THRESHOLDS = tuple(step / 100 for step in range(1, 100))


def decoded_curve(
    judged: Judgements, decoding: Decoding, thresholds: Sequence[float] = THRESHOLDS
) -> list[Point]:
    """The scores at each threshold, overlaps resolved anew for each."""
    return [Point(threshold, _counts(judged, decoding, threshold)) for threshold in thresholds]


def _counts(judged: Judgements, decoding: Decoding, threshold: float) -> Counts:
    right = found = 0
    for pool, gold in zip(judged.candidates, judged.gold, strict=True):
        reaching = [candidate for candidate in pool if candidate.score >= threshold]
        kept = resolve(reaching, decoding.strategy, decoding.nested)
        found += len(kept)
        right += sum((start, end, label) in gold for start, end, label, _ in kept)
    return Counts(right, found - right, judged.mentions - right)


def best_point(
    points: Sequence[Point], *, precision: float | None = None, recall: float | None = None
) -> Point:
    """The point of the best F1; with a wanted precision or recall, in percent, among those that reach it.

    Raises:
        FofeError: if no threshold reaches what is wanted.
    """
    reaching = [
        point
        for point in points
        if (precision is None or point.counts.precision >= precision)
        and (recall is None or point.counts.recall >= recall)
    ]
    if not reaching:
        most_precise = max(points, key=lambda point: point.counts.precision)
        most_complete = max(points, key=lambda point: point.counts.recall)
        raise FofeError(
            "no threshold reaches that "
            f"(the highest precision is {most_precise.counts.precision:.2f}, at {most_precise.threshold}; "
            f"the highest recall is {most_complete.counts.recall:.2f}, at {most_complete.threshold})"
        )
    return max(reaching, key=lambda point: point.counts.f1)
