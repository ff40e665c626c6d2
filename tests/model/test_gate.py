"""The gate against the narrow network that it stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from fofe._arrays import FloatArray
from fofe.encode.fragments import all_fragments
from fofe.model.batch import make_batch
from fofe.model.config import CharacterConfig, ModelConfig, ViewConfig
from fofe.model.engine import Engine
from fofe.model.gate import GateSettings, gate_config
from fofe.model.network import Network

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

MakeModel = Callable[..., "RandomModel"]
MakeText = Callable[..., list[list[str]]]

OPENS = [True, False, True, False, False]


def narrow_network(model: RandomModel, width: int) -> Network | None:
    config = gate_config(model.config, width)
    if config is None:
        return None
    alphabet = model.encoder.alphabet
    network = Network(config, alphabet_size=len(alphabet) if alphabet else 0, label_count=1)
    own = dict(model.network.named_parameters())
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if not name.startswith("layers."):
                parameter.copy_(own[name])  # it reads the words as the model does
    return network


def gate_scores(model: RandomModel, network: Network, sentences: list[list[str]]) -> FloatArray:
    """[F] the narrow network's score of every fragment, without its last bias."""
    text = model.encoder.encode(sentences, OPENS if model.config.sees_documents else None)
    batch, rows = make_batch(text, all_fragments(text.token_offsets, model.config.max_words))
    tables = {name: torch.from_numpy(table)[rows[name]] for name, table in model.tables.items()}
    last = network.layers[-1]
    assert isinstance(last, torch.nn.Linear)
    with torch.no_grad():
        last.bias.zero_()
        scores: FloatArray = network(batch, tables)[:, 0].numpy()
    return scores


@pytest.mark.parametrize("seed", range(20))
def test_what_passes_is_what_the_narrow_network_scores_high(
    seed: int, make_model: MakeModel, make_text: MakeText
) -> None:
    model = make_model(seed)
    network = narrow_network(model, 3)
    if network is None:
        assert not any(view.codes and view.lookup != "window" for view in model.config.views)
        return
    sentences = make_text(seed)
    expected = gate_scores(model, network, sentences)
    cut = float(np.median(expected)) + 1e-4
    gate = {f"gate.{name}": value.detach().numpy() for name, value in network.named_parameters()}
    settings = GateSettings(width=3, cut=cut, recall=1.0, passed=0.5)
    gated = Engine(model.config, model.encoder, {**model.weights, **gate}, settings)
    chosen = gated.score(sentences, OPENS)
    everything = gated.score(sentences, OPENS, exact=True)
    places = {
        (first, last): number
        for number, (first, last) in enumerate(
            zip(everything.fragments.firsts, everything.fragments.lasts, strict=True)
        )
    }
    passed = [
        places[first, last]
        for first, last in zip(chosen.fragments.firsts, chosen.fragments.lasts, strict=True)
    ]
    assert passed == sorted(set(passed)), "in the order of all fragments, each once"
    sure = np.abs(expected - cut) > 1e-4
    assert set(np.flatnonzero((expected >= cut) & sure)) <= set(passed)
    assert set(np.flatnonzero((expected < cut) & sure)).isdisjoint(passed)
    assert chosen.probabilities == pytest.approx(everything.probabilities[passed], abs=1e-5)
    assert np.array_equal(chosen.fragments.sentences, everything.fragments.sentences[passed])


def test_a_gate_that_lets_nothing_through(make_model: MakeModel, make_text: MakeText) -> None:
    config = ModelConfig(max_words=2, views=(ViewConfig("cased", "cased", 3),), hidden=(4,))
    model = make_model(1, config)
    network = narrow_network(model, 2)
    assert network is not None
    gate = {f"gate.{name}": value.detach().numpy() for name, value in network.named_parameters()}
    settings = GateSettings(width=2, cut=1e9, recall=0.0, passed=0.0)
    scores = Engine(config, model.encoder, {**model.weights, **gate}, settings).score(make_text(1))
    assert len(scores.fragments) == 0
    assert scores.probabilities.shape == (0, 4)


def test_a_model_of_characters_alone_has_no_gate() -> None:
    config = ModelConfig(views=(), characters=CharacterConfig())
    assert gate_config(config, 8) is None
    window = (ViewConfig("cased", "cased", 3, codes=()), ViewConfig("window", "window", 3))
    assert gate_config(replace(config, views=window), 8) is None
