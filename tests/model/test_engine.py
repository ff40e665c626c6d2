"""The tagging engine against the network that it was made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from fofe.base.arrays import FloatArray
from fofe.features.batch import TorchBatch, make_batch
from fofe.features.config import CharacterConfig, GazetteerConfig, ModelConfig, ViewConfig
from fofe.features.fragments import all_fragments
from fofe.model import engine as engine_module
from fofe.model.engine import Engine
from fofe.model.torch_engine import TorchEngine

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

MakeModel = Callable[..., "RandomModel"]
MakeText = Callable[..., list[list[str]]]

USUAL = ModelConfig(
    max_words=7,
    views=(
        ViewConfig("cased", "cased", 6),
        ViewConfig("uncased", "uncased", 6),
        ViewConfig("spelling", "spelling", 5),
        ViewConfig("window", "window", 4, dilations=(1, 2)),
    ),
    characters=CharacterConfig(dimension=4, heights=(2, 3, 9), kernels=3),
    gazetteer=GazetteerConfig("names", types=("LOC", "PER")),
    hidden=(16, 16),
)


def engine_of(model: RandomModel) -> Engine:
    return Engine(model.config, model.encoder, model.weights)


def network_batch(
    model: RandomModel,
    sentences: Sequence[Sequence[str]],
    opens: Sequence[bool] | None = None,
    follows: str | None = None,
) -> tuple[TorchBatch, dict[str, torch.Tensor]]:
    """All fragments of some sentences, and the rows of the word tables that they need."""
    text = model.encoder.encode(sentences)
    text = model.with_surroundings(text, opens)
    fragments = all_fragments(text.token_offsets, model.config.max_words)
    batch, rows = make_batch(text, fragments, model.given(sentences, fragments, follows))
    return batch, model.rows_of_tables(rows)


def network_probabilities(
    model: RandomModel,
    sentences: Sequence[Sequence[str]],
    opens: Sequence[bool] | None,
    follows: str | None = None,
) -> FloatArray:
    batch, tables = network_batch(model, sentences, opens, follows)
    with torch.no_grad():
        return torch.softmax(model.network(batch, tables), dim=1).numpy()


def assert_equal_scores(
    model: RandomModel, sentences: Sequence[Sequence[str]], opens: Sequence[bool] | None = None
) -> None:
    scores = engine_of(model).score(sentences, opens)
    assert scores.token_offsets.tolist() == np.cumsum([0, *map(len, sentences)]).tolist()
    assert len(scores.fragments) == len(scores.probabilities)
    assert scores.probabilities.sum(axis=1) == pytest.approx(1, abs=1e-5)
    difference = np.abs(scores.probabilities - network_probabilities(model, sentences, opens)).max()
    assert difference < 1e-5


@pytest.mark.parametrize("seed", range(40))
def test_scores_are_those_of_the_network(seed: int, make_model: MakeModel, make_text: MakeText) -> None:
    assert_equal_scores(make_model(seed), make_text(seed))
    assert_equal_scores(make_model(seed), make_text(seed), [True, False, True, False, False])


@pytest.mark.parametrize("seed", range(8))
def test_torch_judges_a_few_fragments_at_a_time_as_all_at_once(
    seed: int, make_model: MakeModel, make_text: MakeText, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fofe.model.torch_engine.FRAGMENTS_AT_ONCE", 7)
    model, text, opens = make_model(seed), make_text(seed), [True, False, True, False, False]
    few = TorchEngine(model.config, model.encoder, model.weights, torch.device("cpu")).score(text, opens)
    assert np.abs(few.probabilities - network_probabilities(model, text, opens)).max() < 1e-5
    assert len(few.fragments) == len(few.probabilities)


@pytest.mark.parametrize("seed", range(3))
def test_conventions_are_told_as_to_the_network(
    seed: int, make_model: MakeModel, make_text: MakeText
) -> None:
    model = make_model(seed, replace(USUAL, schemes=("news", "novels")))
    text, untold = make_text(seed), engine_of(model)
    for engine, follows in (
        (untold, None),
        (untold.conditioned_on("news"), "news"),
        (untold.conditioned_on("news").conditioned_on("novels"), "novels"),
    ):
        expected = network_probabilities(model, text, None, follows)
        assert np.abs(engine.score(text).probabilities - expected).max() < 1e-5
    told = untold.conditioned_on("news").score(text).probabilities
    assert np.abs(told - untold.score(text).probabilities).max() > 1e-3


def test_both_ways_of_judging_are_each_as_if_it_were_alone(
    make_model: MakeModel, make_text: MakeText
) -> None:
    model = make_model(1, replace(USUAL, schemes=("news", "novels")))
    text = make_text(1)
    told_batch, tables = network_batch(model, text, follows="novels")
    untold_batch, _ = network_batch(model, text)
    with torch.no_grad():
        told, untold = model.network.both_ways(told_batch, tables)
        torch.testing.assert_close(told, model.network(told_batch, tables))
        torch.testing.assert_close(untold, model.network(untold_batch, tables))
    assert not torch.allclose(told, untold)


@pytest.mark.parametrize("seed", range(100, 104))
def test_sentences_of_one_word(seed: int, make_model: MakeModel) -> None:
    assert_equal_scores(make_model(seed), [["a"], ["Berg"], ["😀"], ["\ud800"]])
    assert_equal_scores(make_model(seed), [["x"]])


def test_sentence_of_five_thousand_words(make_model: MakeModel, make_text: MakeText) -> None:
    words = [word for sentence in make_text(3, sentences=1000) for word in sentence][:5000]
    assert len(words) == 5000
    assert_equal_scores(make_model(3, USUAL), [words])


def test_characters_that_the_alphabet_lacks(make_model: MakeModel) -> None:
    model = make_model(4, USUAL)
    assert_equal_scores(model, [["Ω≈ç", "北京市", "😀😀", "\x00"], ["٣٤", "\ud800\udfff"]])
    unknown, also_unknown = (engine_of(model).score([[word]]).probabilities for word in ("ω≈ç", "βγδ"))
    assert np.array_equal(unknown, also_unknown), "the same shape and nothing known: the same score"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_do_not_depend_on_the_company(seed: int, make_model: MakeModel, make_text: MakeText) -> None:
    engine = engine_of(make_model(seed, USUAL))
    sentences = make_text(seed, sentences=20, longest=25)
    together = engine.score(sentences).probabilities
    alone = np.concatenate([engine.score([sentence]).probabilities for sentence in sentences])
    assert np.abs(together - alone).max() < 1e-5
    backwards = engine.score(sentences[::-1])
    last = backwards.fragments.sentences == len(sentences) - 1
    count = int(last.sum())
    assert np.abs(backwards.probabilities[last] - together[:count]).max() < 1e-5


def test_sentences_of_a_document_see_one_another(make_model: MakeModel, make_text: MakeText) -> None:
    engine = engine_of(make_model(6, replace(USUAL, surroundings="cased")))
    sentences = make_text(6)
    apart = engine.score(sentences, [True] * 5).probabilities
    together = engine.score(sentences, [True, False, False, False, False]).probabilities
    assert np.abs(together - apart).max() > 1e-3
    alone = engine_of(make_model(6, USUAL))
    assert np.array_equal(
        alone.score(sentences, [True, False, False, False, False]).probabilities,
        alone.score(sentences).probabilities,
    ), "a model of sentences takes no notice"


def test_scores_do_not_depend_on_how_many_go_through_at_once(
    make_model: MakeModel, make_text: MakeText, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_of(make_model(5, USUAL))
    sentences = make_text(5, sentences=10)
    whole = engine.score(sentences).probabilities
    monkeypatch.setattr(engine_module, "FRAGMENTS_AT_ONCE", 7)
    assert np.abs(engine.score(sentences).probabilities - whole).max() < 1e-5
