"""Temperatures in the last layer against the softmax that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from fofe.decode import Decoding
from fofe.features.config import ModelConfig, ViewConfig
from fofe.model.engine import Engine
from fofe.model.storage import StoredModel, load_model
from fofe.tagging.model import Model
from fofe.text.tokenise import tokeniser

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

TEXT = tokeniser("en").document("Anna Berg met the mayor of Bergen. Acme opened an office in Porto.")


def test_log_odds_are_divided(tiny_path: str) -> None:
    stored = load_model(tiny_path)
    temperatures = {label: 1.5 + number for number, label in enumerate(stored.labels[1:])}
    before = Model(stored).score(TEXT).probabilities.astype(np.float64)
    after = Model(stored.tempered(temperatures)).score(TEXT).probabilities
    odds = np.log(before) - np.log(before[:, :1])
    odds[:, 1:] /= list(temperatures.values())
    expected = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    assert after == pytest.approx(expected, abs=1e-5)


def test_a_model_that_follows_conventions_is_calibrated_too(
    make_model: Callable[..., RandomModel],
) -> None:
    words = ViewConfig("uncased", "uncased", 6)
    config = ModelConfig(max_words=2, hidden=(8, 6), views=(words,), schemes=("news", "novels"))
    labels = ("NONE", "PER", "ORG", "LOC")
    made = make_model(3, config)
    stored = StoredModel(
        model=config,
        labels=labels,
        decoding=Decoding(),
        vocabularies={},
        alphabet=None,
        weights=made.weights,
    )
    cooler = stored.tempered({"PER": 2.0, "LOC": 0.5}).weights
    text = [["Anna", "Berg", "met", "Omar"]]
    before, after = (
        Engine(config, made.encoder, weights).conditioned_on("novels").score(text).probabilities
        for weights in (made.weights, cooler)
    )
    odds = np.log(before.astype(np.float64)) - np.log(before[:, :1])
    odds /= [1.0, 2.0, 1.0, 0.5]
    expected = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    assert after == pytest.approx(expected, abs=1e-5)


def test_one_temperature_leaves_what_is_likeliest(tiny_path: str) -> None:
    stored = load_model(tiny_path)
    before = Model(stored).score(TEXT).probabilities
    cooler = stored.tempered(dict.fromkeys(stored.labels[1:], 2.0))
    after = Model(cooler).score(TEXT).probabilities
    assert np.array_equal(before.argmax(axis=1), after.argmax(axis=1))
    assert after.max(axis=1).mean() < before.max(axis=1).mean()
