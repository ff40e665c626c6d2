"""Temperatures in the last layer against the softmax that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from fofe.model.storage import load_model
from fofe.model.tagger import Model
from fofe.model.temperature import with_temperatures
from fofe.text import tokeniser

TEXT = tokeniser("en").document("Anna Berg met the mayor of Bergen. Acme opened an office in Porto.")


def test_log_odds_are_divided(tiny_path: str) -> None:
    stored = load_model(tiny_path)
    temperatures = {label: 1.5 + number for number, label in enumerate(stored.labels[1:])}
    before = Model(stored).judge(TEXT).probabilities.astype(np.float64)
    after = Model(with_temperatures(stored, temperatures)).judge(TEXT).probabilities
    odds = np.log(before) - np.log(before[:, :1])
    odds[:, 1:] /= list(temperatures.values())
    expected = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    assert after == pytest.approx(expected, abs=1e-5)


def test_one_temperature_leaves_what_is_likeliest(tiny_path: str) -> None:
    stored = load_model(tiny_path)
    before = Model(stored).judge(TEXT).probabilities
    cooler = with_temperatures(stored, dict.fromkeys(stored.labels[1:], 2.0))
    after = Model(cooler).judge(TEXT).probabilities
    assert np.array_equal(before.argmax(axis=1), after.argmax(axis=1))
    assert after.max(axis=1).mean() < before.max(axis=1).mean()
