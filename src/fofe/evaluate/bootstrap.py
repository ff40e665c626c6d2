"""Bootstrap intervals of a score, and the paired bootstrap test of the difference of two."""

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fofe.base.errors import FofeError, InputError
from fofe.base.report import counted
from fofe.evaluate.scores import paired_spans
from fofe.evaluate.tables import Section, table
from fofe.text.document import Document

UNITS = ("document", "sentence")
METRICS = ("precision", "recall", "f1")
LEVEL = 95.0
_DRAWN_AT_ONCE = 1_000_000

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
ByMetric = dict[str, dict[str, float]]
"""Named results of precision, recall and F1."""


def unit_counts(gold: Sequence[Document], predicted: Sequence[Document], unit: str = "document") -> Numbers:
    """Right, wrong and missed mentions of every document or sentence of the gold: shape (units, 3).

    Documents are the safer unit, because errors in one document depend on each other. Use sentences if
    there are few documents. A mention belongs to the sentence that it starts in.
    """
    if unit not in UNITS:
        raise FofeError(f"unknown unit {unit!r} (choose from {', '.join(UNITS)})")
    true, guess = paired_spans(gold, predicted)
    borders = [
        [0] if unit == "document" else [sentence.start for sentence in document.sentences]
        for document in gold
    ]
    if [] in borders:
        raise InputError(
            f"document {borders.index([]) + 1} of the gold has no sentences to draw from",
            remedy="draw whole documents, or tokenise it first, on the command line with --lang",
        )
    first = np.cumsum([0, *map(len, borders)])
    counts = np.zeros((int(first[-1]), 3), np.int64)
    for column, spans in enumerate((true & guess, guess - true, true - guess)):
        for span in spans:
            within = max(bisect_right(borders[span.document], span.start) - 1, 0)
            counts[first[span.document] + within, column] += 1
    return counts


def confidence(counts: Numbers, samples: int = 1000, seed: int = 0) -> ByMetric:
    """`low` and `high`, between which 95 % of the resampled scores lie, from counts of shape (units, 3)."""
    drawn = _scores(_resampled(counts, samples, seed))
    return {metric: _interval(drawn[:, column]) for column, metric in enumerate(METRICS)}


def compare(a: Numbers, b: Numbers, samples: int = 10_000, seed: int = 0) -> ByMetric:
    """The paired bootstrap test: both predictions are scored on the same resampled units.

    `a` and `b` have shape (units, 3). The result has the scores `a` and `b`, the `difference` b - a, its
    interval from `low` to `high`, and the p-value `p`. That is two-sided: twice the share of samples in
    which the difference vanishes or changes its sign, so p < 0.05 goes with an interval that leaves out 0.
    """
    drawn = _resampled(np.concatenate([a, b], axis=1), samples, seed)
    differences = _scores(drawn[:, 3:]) - _scores(drawn[:, :3])
    one, other = _scores(np.stack([a.sum(axis=0), b.sum(axis=0)])).tolist()
    return {
        metric: {
            "a": one[column],
            "b": other[column],
            "difference": other[column] - one[column],
            **_interval(differences[:, column]),
            "p": _two_sided(differences[:, column]),
        }
        for column, metric in enumerate(METRICS)
    }


def intervals_section(intervals: ByMetric, samples: int, unit: str) -> Section:
    heading = (f"{LEVEL:.0f} % interval ({counted(samples, 'samples')} of {unit}s)", "low", "high")
    text = table(heading, [[metric, *interval.values()] for metric, interval in intervals.items()])
    return Section("intervals", text, {"samples": samples, "unit": unit, "level": LEVEL, **intervals})


def comparison_section(comparison: ByMetric, names: tuple[str, str], samples: int, unit: str) -> Section:
    rows: list[list[str | float]] = [
        [metric, a, b, f"{difference:+.2f}", f"{low:+.2f} to {high:+.2f}", f"{p:.4f}"]
        for metric, row in comparison.items()
        for a, b, difference, low, high, p in [row.values()]
    ]
    heading = ("", *names, "difference", f"{LEVEL:.0f} % interval", "p")
    note = f"paired bootstrap, {counted(samples, 'samples')} of {unit}s; p is two-sided"
    facts = {"a": names[0], "b": names[1], "samples": samples, "unit": unit, "level": LEVEL}
    return Section("comparison", f"{table(heading, rows)}\n\n{note}", {**facts, **comparison})


def _resampled(counts: Numbers, samples: int, seed: int) -> Numbers:
    """Sums over as many units as there are, drawn with replacement: shape (units, n) to (samples, n)."""
    units = len(counts)
    if not units:
        raise InputError("there is no document to draw from")
    if units < 2:
        raise InputError("there is only one document to draw from", remedy="draw sentences instead")
    if samples < 1:
        raise FofeError(f"the number of samples must be at least 1, not {samples}")
    random = np.random.default_rng(seed)
    at_once = max(_DRAWN_AT_ONCE // units, 1)
    sizes = (min(at_once, samples - begin) for begin in range(0, samples, at_once))
    return np.concatenate([counts[random.integers(0, units, (size, units))].sum(axis=1) for size in sizes])


def _scores(counts: Numbers) -> Scores:
    """Precision, recall and F1 in percent, 0 where undefined: shape (samples, 3) to (samples, 3)."""
    tp, fp, fn = counts.T
    wholes = np.stack([tp + fp, tp + fn, 2 * tp + fp + fn], axis=1)
    percent: Scores = 100 * np.stack([tp, tp, 2 * tp], axis=1) / np.maximum(wholes, 1)
    return percent


def _interval(drawn: Scores) -> dict[str, float]:
    low, high = np.percentile(drawn, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return {"low": float(low), "high": float(high)}


def _two_sided(differences: Scores) -> float:
    """Counts the observed sample as one more, so that p is never 0."""
    rarer = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    return min(2 * (rarer + 1) / (len(differences) + 1), 1.0)
