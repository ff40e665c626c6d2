"""How far scores can be taken at their word, and the temperatures that make them honest.

What counts are the fragments that a model calls mentions, those with a label that is likelier than NONE: of
the ones with a score of about 0.8, four fifths should be right. Temperatures are fitted by likelihood on text
that the model was not trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.decode.select import NONE_COLUMN
from fofe.evaluate.judgements import Judgements

BINS = 10
SMALLEST = 1e-30
WIDEST = 3.0
"""Temperatures lie between exp(-3) and exp(3)."""
PRIOR = 1.0
"""A pull of log T towards 0, worth a fragment or so: a small corpus without a mistake says little."""
SWEEPS = 3
GOLDEN = (5**0.5 - 1) / 2
SEARCH_STEPS = 24


class Bin(NamedTuple):
    """The fragments with scores from `low` to `high`."""

    low: float
    high: float
    fragments: int
    score: float
    """Their mean score."""
    right: float
    """The share of them that is right."""


def reliability(judged: Judgements) -> list[Bin]:
    """The fragments that the model calls mentions by their score; bins without any are left out."""
    scores, right = _called_mentions(judged)
    places = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    return [
        Bin(
            place / BINS,
            (place + 1) / BINS,
            int((places == place).sum()),
            float(scores[places == place].mean()),
            float(right[places == place].mean()),
        )
        for place in np.unique(places).tolist()
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """The expected calibration error, in percent: how far scores and shares differ, by fragments."""
    total = sum(of_bin.fragments for of_bin in bins)
    return 100 * sum(abs(of_bin.score - of_bin.right) * of_bin.fragments for of_bin in bins) / max(1, total)


def _called_mentions(judged: Judgements) -> tuple[FloatArray, BoolArray]:
    """The scores [M] of the fragments that are called mentions, and whether each is right [M]."""
    best = judged.probabilities[:, 1:].argmax(axis=1) + 1
    numbers = np.arange(len(best))
    scores = judged.probabilities[numbers, best]
    called = scores > judged.probabilities[:, NONE_COLUMN]
    return scores[called].astype(np.float64), judged.right[numbers, best][called]


def fit_temperatures(judged: Judgements) -> dict[str, float]:
    """The temperature of each label: one for all, or its own if that pays on fragments held out.

    Whether it pays is tried with the temperatures of each half of the corpus on the other half.
    """
    known = judged.right.any(axis=1)
    odds, right = _log_odds(judged.probabilities[known]), judged.right[known]
    middle = len(odds) // 2
    halves = ((slice(middle), slice(middle, None)), (slice(middle, None), slice(middle)))
    held_out = {
        fit: sum(_loss(odds[other], right[other], fit(odds[one], right[one])) for one, other in halves)
        for fit in (_one_for_all, _one_for_each)
    }
    fit = min(held_out, key=lambda way: held_out[way])
    return dict(zip(judged.labels[1:], fit(odds, right).tolist()[1:], strict=True))


def _log_odds(probabilities: FloatArray) -> FloatArray:
    """[F, K] the logarithm of each label's probability over that of NONE."""
    logarithms = np.log(np.maximum(probabilities.astype(np.float64), SMALLEST))
    odds: FloatArray = logarithms - logarithms[:, [NONE_COLUMN]]
    return odds


def _loss(odds: FloatArray, right: BoolArray, temperatures: FloatArray) -> float:
    """Minus the log of the probability of the right labels, summed, and of the temperatures [K]."""
    scores = odds / temperatures
    mass = np.logaddexp.reduce(np.where(right, scores, -np.inf), axis=1)
    pull = PRIOR * float((np.log(temperatures) ** 2).mean())
    return float((np.logaddexp.reduce(scores, axis=1) - mass).sum()) + pull


def _one_for_all(odds: FloatArray, right: BoolArray) -> FloatArray:
    labels = odds.shape[1]
    return np.full(labels, _lowest(lambda value: _loss(odds, right, np.full(labels, value))))


def _one_for_each(odds: FloatArray, right: BoolArray) -> FloatArray:
    """A label at a time while the others stand still, several times over."""
    temperatures = _one_for_all(odds, right)
    for _ in range(SWEEPS):
        for column in range(1, odds.shape[1]):

            def loss(value: float, column: int = column) -> float:
                changed = temperatures.copy()
                changed[column] = value
                return _loss(odds, right, changed)

            temperatures[column] = _lowest(loss)
    return temperatures


def _lowest(loss: Callable[[float], float]) -> float:
    """The temperature of the lowest loss, by golden sections of its logarithm; the loss has one valley."""
    low, high = -WIDEST, WIDEST
    for _ in range(SEARCH_STEPS):
        one, other = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if loss(float(np.exp(one))) <= loss(float(np.exp(other))):
            high = other
        else:
            low = one
    return float(np.exp((low + high) / 2))
