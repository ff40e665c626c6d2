"""The gate against its definition, and the engine behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from fofe.base.arrays import FloatArray
from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.encoded import Key, SentenceBounds
from fofe.features.fragments import all_fragments, offsets_of
from fofe.features.word_codes import IsolatedWords
from fofe.model.engine import Engine
from fofe.model.gate import GateSettings, fragment_scores, passing

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

MakeModel = Callable[..., "RandomModel"]
MakeText = Callable[..., list[list[str]]]

OPENS = [True, False, True, False, False]


def random_gate(
    model: RandomModel, seed: int, **settings: float
) -> tuple[GateSettings, dict[str, FloatArray]]:
    random = np.random.default_rng(seed)
    values = {"width": 3, "window": seed % 4, "cut": 0.0, "recall": 1.0, "passed": 0.5, **settings}
    gate = GateSettings(**values)  # type: ignore[arg-type]
    read = sum(view.width for view in model.config.views if view.lookup != "window")
    return gate, {
        name: random.normal(size=shape).astype(np.float32) for name, shape in gate.shapes(read).items()
    }


def word_vectors(model: RandomModel, sentences: list[list[str]]) -> FloatArray:
    keys: Sequence[Key] = model.encoder.in_words(sentences) or [
        token for sentence in sentences for token in sentence
    ]
    text = model.encoder.encode_isolated(keys)
    return IsolatedWords(model.config, model.weights).vectors(text)


def word_scores(gate: GateSettings, weights: dict[str, FloatArray], vectors: FloatArray) -> list[FloatArray]:
    """The judgements [3] of each word of a sentence, as they are defined."""
    beyond = np.zeros((gate.window, vectors.shape[1]), dtype=np.float32)
    padded = np.concatenate([beyond, vectors, beyond])
    scores = []
    for place in range(len(vectors)):
        seen = padded[place : place + 2 * gate.window + 1].reshape(-1)
        hidden = np.maximum(weights["gate.layers.0.weight"] @ seen + weights["gate.layers.0.bias"], 0)
        scores.append(weights["gate.layers.1.weight"] @ hidden + weights["gate.layers.1.bias"])
    return scores


@pytest.mark.parametrize("seed", range(20))
def test_what_passes_is_what_the_words_allow(seed: int, make_model: MakeModel, make_text: MakeText) -> None:
    model = make_model(seed)
    if not model.config.views:
        return
    gate, weights = random_gate(model, seed)
    sentences = make_text(seed)
    scores = [
        score for words in sentences for score in word_scores(gate, weights, word_vectors(model, [words]))
    ]
    gated = Engine(model.config, model.encoder, {**model.weights, **weights}, gate)
    everything = gated.score(sentences, OPENS, exact=True)
    expected = []
    for number, (first, last) in enumerate(
        zip(everything.fragments.firsts, everything.fragments.lasts, strict=True)
    ):
        lowest = min(scores[first][0], scores[last][1], *(scores[word][2] for word in range(first, last + 1)))
        assert abs(lowest) > 1e-4, "no score is so near the cut that rounding could decide"
        if lowest >= gate.cut:
            expected.append(number)
    chosen = gated.score(sentences, OPENS)
    for name in ("sentences", "firsts", "lasts"):
        assert np.array_equal(
            getattr(chosen.fragments, name), getattr(everything.fragments, name)[expected]
        ), "in the order of all fragments, each once"
    assert chosen.probabilities == pytest.approx(everything.probabilities[expected], abs=1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_fragments_pass_where_their_score_reaches_the_cut(seed: int) -> None:
    random = np.random.default_rng(seed)
    bounds = SentenceBounds(offsets_of([["w"] * size for size in random.integers(1, 9, 6)]))
    scores = random.normal(size=(bounds.token_count, 3)).astype(np.float32)
    everything = all_fragments(bounds.token_offsets, 4)
    lowest = fragment_scores(scores, everything.firsts, everything.lasts)
    expected = everything.take(np.flatnonzero(lowest >= -0.5))
    found = passing(scores, -0.5, bounds, 4)
    assert found.firsts.tolist() == expected.firsts.tolist()
    assert found.lasts.tolist() == expected.lasts.tolist()
    assert found.sentences.tolist() == expected.sentences.tolist()


def test_a_gate_that_lets_nothing_through(make_model: MakeModel, make_text: MakeText) -> None:
    config = ModelConfig(max_words=2, views=(ViewConfig("cased", "cased", 3),), hidden=(4,))
    model = make_model(1, config)
    gate, weights = random_gate(model, 1, cut=1e9)
    scores = Engine(config, model.encoder, {**model.weights, **weights}, gate).score(make_text(1))
    assert len(scores.fragments) == 0
    assert scores.probabilities.shape == (0, 4)
