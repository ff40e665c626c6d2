"""The gate that is fitted when training is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fofe.model.engine import Engine
from fofe.model.storage import load_model, save_model
from fofe.tagging.model import Model
from fofe.training.annotation import LabelledSentence
from fofe.training.config import GateConfig, RunConfig, load_config
from fofe.training.corpora import Corpora, read_corpora
from fofe.training.gate import fit_gate


@pytest.fixture(scope="module")
def config(tiny_config: Path) -> RunConfig:
    return load_config(tiny_config)


@pytest.fixture(scope="module")
def corpora(config: RunConfig) -> Corpora:
    return read_corpora(config)


def fitted(tiny_path: Path, sentences: list[LabelledSentence], **settings: Any) -> Any:
    model = load_model(tiny_path)
    return fit_gate(model.config, model.encoder, model.weights, sentences, GateConfig(**settings), seed=1)


def test_it_turns_most_fragments_away_and_keeps_what_the_network_wants(
    tiny_path: Path, corpora: Corpora
) -> None:
    model = load_model(tiny_path)
    settings, weights = fitted(tiny_path, corpora.train * 20)
    engine = Engine(model.config, model.encoder, model.weights | weights, settings)
    sentences = [sentence.words for sentence in corpora.parts[0].dev]
    gated, everything = engine.score(sentences), engine.score(sentences, exact=True)

    def positives(scores: Any) -> set[tuple[int, int]]:
        wanted = scores.probabilities[:, 1:].max(axis=1) > scores.probabilities[:, 0]
        return set(zip(scores.fragments.firsts[wanted], scores.fragments.lasts[wanted], strict=True))

    assert len(gated.fragments) < 0.6 * len(everything.fragments)
    assert len(positives(gated)) >= 0.98 * len(positives(everything))
    assert positives(gated) <= positives(everything)


def test_the_same_seed_fits_the_same_gate(tiny_path: Path, corpora: Corpora) -> None:
    one, other = fitted(tiny_path, corpora.train), fitted(tiny_path, corpora.train)
    assert one[0] == other[0]
    for name, array in one[1].items():
        assert np.array_equal(array, other[1][name])


def test_more_recall_lets_more_through(tiny_path: Path, corpora: Corpora) -> None:
    low, high = (fitted(tiny_path, corpora.train, recall=recall)[0] for recall in (0.5, 1.0))
    assert low.recall < high.recall == 1
    assert low.passed < high.passed
    assert low.cut > high.cut


def test_it_can_be_left_out(tiny_path: Path, corpora: Corpora) -> None:
    assert fitted(tiny_path, corpora.train, enabled=False) == (None, {})


def test_few_sentences_are_enough(tiny_path: Path, corpora: Corpora) -> None:
    one = corpora.train[:1]
    assert fitted(tiny_path, one)[0].passed <= 1
    nothing = [replace(sentence, words=["it"], spans=[]) for sentence in one]
    assert fitted(tiny_path, nothing)[0].recall == 1


def test_recall_and_exact_judge_every_fragment(tiny_path: Path, tmp_path: Path) -> None:
    """A model whose gate lets nothing through still finds everything when it is asked to look everywhere."""
    stored = load_model(tiny_path)
    assert stored.gate is not None
    save_model(replace(stored, gate=replace(stored.gate, cut=1e9)), tmp_path / "closed")
    closed = Model(load_model(tmp_path / "closed"))
    text = "Anna Berg met the mayor of Bergen."
    assert closed(text).mentions == []
    open_model = Model(stored)
    assert (
        closed.with_options(exact=True)(text).mentions == open_model.with_options(exact=True)(text).mentions
    )
    assert len(closed.with_options(for_recall=True)(text).mentions) >= 3
    alternatives = open_model.with_options(alternatives=9)(text).mentions
    for mention in alternatives:
        total = mention.score + sum(score for _, score in mention.alternatives)
        assert total == pytest.approx(1, abs=1e-4), "the alternatives are those of this very fragment"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"recall": 0.0}, "recall is a share above 0"),
        ({"recall": 1.5}, "at most 1, not 1.5"),
        ({"width": 0}, "width must be at least 1"),
        ({"sentences": 0}, "sentences must be at least 1"),
    ],
)
def test_settings_that_cannot_work(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GateConfig(**settings)
