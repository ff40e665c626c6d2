"""Calibration errors and temperatures against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from fofe.base.arrays import FloatArray, IntArray
from fofe.evaluate.calibration import calibration_error, fit_temperatures, reliability
from fofe.evaluate.thresholds import ScoredFragments

LABELS = ("NONE", "PER", "ORG")


def scored_fragments(probabilities: FloatArray, gold: IntArray) -> ScoredFragments:
    right = gold[:, None] == np.arange(probabilities.shape[1])
    return ScoredFragments(LABELS, probabilities, right, [], [], int((gold > 0).sum()))


def softmax(scores: FloatArray) -> FloatArray:
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: FloatArray = exponentials / exponentials.sum(axis=1, keepdims=True)
    return probabilities


def drawn(scores: FloatArray, random: np.random.Generator) -> IntArray:
    """For each row a label, drawn with the probabilities that the scores give."""
    cumulated = softmax(scores).cumsum(axis=1)
    labels: IntArray = (random.random(len(scores))[:, None] > cumulated).sum(axis=1)
    return labels


def test_error_of_a_few_fragments_by_hand() -> None:
    probabilities = np.array([[0.02, 0.95, 0.03], [0.03, 0.02, 0.95], [0.25, 0.75, 0.0], [0.9, 0.1, 0.0]])
    scored = scored_fragments(probabilities, np.array([1, 1, 1, 1]))
    low, high = reliability(scored)
    assert (low.fragments, low.score, low.right) == (1, 0.75, 1.0)
    assert (high.fragments, high.score, high.right) == (2, 0.95, 0.5)
    assert calibration_error([low, high]) == pytest.approx(100 * (0.25 + 2 * 0.45) / 3)


def test_nothing_called_a_mention_is_no_error() -> None:
    scored = scored_fragments(np.array([[0.9, 0.1, 0.0]]), np.array([1]))
    assert reliability(scored) == []
    assert calibration_error([]) == 0


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_that_spoilt_scores_is_found(temperature: float) -> None:
    random = np.random.default_rng(3)
    honest = random.normal(scale=2.0, size=(20000, 3))
    gold = drawn(honest, random)
    spoilt = scored_fragments(softmax(honest * temperature), gold)
    found = fit_temperatures(spoilt)
    assert found == pytest.approx({"PER": temperature, "ORG": temperature}, rel=0.08)
    mended = scored_fragments(softmax(honest * temperature / found["PER"]), gold)
    assert calibration_error(reliability(mended)) < 1.5
    assert temperature == 1 or calibration_error(reliability(spoilt)) > 5


def test_labels_get_temperatures_of_their_own_where_that_pays() -> None:
    random = np.random.default_rng(4)
    honest = random.normal(scale=2.0, size=(20000, 3))
    gold = drawn(honest, random)
    odds = (honest - honest[:, :1]) * np.array([1.0, 3.0, 0.5])
    found = fit_temperatures(scored_fragments(softmax(odds), gold))
    assert found == pytest.approx({"PER": 3.0, "ORG": 0.5}, rel=0.1)


def test_one_temperature_where_the_labels_are_alike() -> None:
    random = np.random.default_rng(5)
    honest = random.normal(scale=2.0, size=(600, 3))
    found = fit_temperatures(scored_fragments(softmax(2 * honest), drawn(honest, random)))
    assert found["PER"] == found["ORG"], "so few fragments do not tell the labels apart"
