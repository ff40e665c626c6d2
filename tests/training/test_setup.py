"""From a configuration to a run that is ready to go."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fofe.base.errors import ConfigError, InputError
from fofe.features.word_table import Table
from fofe.model.compress import compress
from fofe.model.storage import Storage, load_model
from fofe.model.torch_engine import choose_device
from fofe.training.annotation import LabelledSentence
from fofe.training.config import RunConfig, load_config
from fofe.training.corpora import Corpora, read_corpora
from fofe.training.setup import prepare


def with_data(config: RunConfig, **changes: Any) -> RunConfig:
    assert config.data is not None
    return replace(config, data=replace(config.data, **changes))


def with_model(config: RunConfig, **changes: Any) -> RunConfig:
    return replace(config, model=replace(config.model, **changes))


def texts(sentences: list[LabelledSentence]) -> list[str]:
    return [" ".join(sentence.words) for sentence in sentences]


@pytest.fixture
def config(tiny_config: Path) -> RunConfig:
    return load_config(tiny_config)


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """A corpus of ten documents of twenty sentences each, all different."""
    lines = []
    for document in range(10):
        sentences = [
            {"tokens": ["Sentence", f"w{document}x{number}"], "entities": [[1, 2, "NUM"]]}
            for number in range(20)
        ]
        lines.append(json.dumps({"sentences": sentences}))
    path = tmp_path / "numbered.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_given_corpora_are_used_as_they_are(config: RunConfig) -> None:
    corpora = read_corpora(config)
    assert (len(corpora.train), len(corpora.parts[0].dev), len(corpora.parts[0].test)) == (120, 30, 0)


def test_a_corpus_without_dev_is_split_always_the_same_way(config: RunConfig, numbered: Path) -> None:
    config = with_data(config, train=(str(numbered),), dev=None)
    corpora = read_corpora(config)
    parts = [texts(corpora.train), texts(corpora.parts[0].dev), texts(corpora.parts[0].test)]
    assert [len(part) for part in parts] == [180, 10, 10]
    everything = [sentence for part in parts for sentence in part]
    assert len(set(everything)) == 200
    again = read_corpora(config)
    assert parts == [texts(again.train), texts(again.parts[0].dev), texts(again.parts[0].test)]


def test_a_given_test_set_is_kept_when_dev_is_held_out(config: RunConfig, numbered: Path) -> None:
    test = config.corpora[0].dev
    corpora = read_corpora(with_data(config, train=(str(numbered),), dev=None, test=test))
    assert (len(corpora.train), len(corpora.parts[0].dev), len(corpora.parts[0].test)) == (190, 10, 30)
    assert all("Sentence" not in text for text in texts(corpora.parts[0].test))


def test_contexts_are_cut_where_a_sentence_is_held_out(config: RunConfig, numbered: Path) -> None:
    corpora = read_corpora(with_data(config, train=(str(numbered),), dev=None))
    for part in (corpora.train, corpora.parts[0].dev, corpora.parts[0].test):
        assert part[0].opens
        for before, sentence in pairwise(part):
            document, number = map(int, sentence.words[1][1:].split("x"))
            follows = before.words[1] == f"w{document}x{number - 1}"
            assert sentence.opens != follows


def test_too_few_sentences_to_split(config: RunConfig, tmp_path: Path) -> None:
    path = tmp_path / "few.jsonl"
    path.write_text('{"tokens": ["Lima"], "entities": [[0, 1, "GPE"]]}\n' * 19, encoding="utf-8")
    with pytest.raises(InputError, match=r"too few sentences to hold some out: 19 \(add a dev corpus"):
        read_corpora(with_data(config, train=(str(path),), dev=None))


@pytest.mark.parametrize("dev", [None, "dev.jsonl"])
def test_a_corpus_without_labels_is_refused(dev: str | None, config: RunConfig, tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    path.write_text('{"tokens": ["Lima"]}\n' * 50, encoding="utf-8")
    with pytest.raises(InputError, match=r"plain\.jsonl: has no labelled mention"):
        read_corpora(with_data(config, train=(str(path),), dev=dev and config.corpora[0].dev))


def test_a_corpus_with_shifted_offsets_is_refused_as_such(config: RunConfig, tmp_path: Path) -> None:
    path = tmp_path / "shifted.jsonl"
    path.write_text(
        '{"text": "In Lima.", "mentions": [{"start": 4, "end": 8, "type": "GPE"}]}\n' * 50, "utf-8"
    )
    with pytest.raises(InputError, match=r"no mention on token borders \(first: document 1 4:8 'ima\.'\)"):
        read_corpora(with_data(config, train=(str(path),)))


def test_a_missing_corpus_is_named(config: RunConfig) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: there is no such file"):
        read_corpora(with_data(config, train=("none.jsonl",)))


def test_an_unknown_language_is_told_before_training(config: RunConfig) -> None:
    with pytest.raises(InputError, match="unknown language 'klingon'"):
        read_corpora(with_model(config, language="klingon"))


def test_mentions_that_cannot_be_learned_are_counted(config: RunConfig) -> None:
    lines = "\n".join(read_corpora(with_model(config, max_words=2)).report.lines())
    assert "training mentions of more than max_words = 2 words, which no fragment can match" in lines
    assert "(first: University of" in lines
    assert "max_words" not in "\n".join(read_corpora(config).report.lines())


def test_labels_of_train_and_dev_none_first(config: RunConfig) -> None:
    assert prepare(config, read_corpora(config)).labels == [
        "NONE", "GPE", "ORG", "ORG_NOM", "PER", "PER_NOM",
    ]  # fmt: skip


def test_fingerprints_tell_runs_apart(config: RunConfig, tiny_path: Path) -> None:
    corpora = read_corpora(config)
    first = prepare(config, corpora).fingerprint
    assert prepare(config, read_corpora(config)).fingerprint == first
    longer = replace(config, training=replace(config.training, epochs=99))
    other_data = Corpora((replace(corpora.parts[0], train=corpora.train[1:]),), corpora.report)
    start = load_model(tiny_path)
    changed = replace(start, weights={**start.weights, "layers.0.bias": np.ones(32, np.float32)})
    fingerprints = {
        first,
        prepare(longer, corpora).fingerprint,
        prepare(config, other_data).fingerprint,
        prepare(config, corpora, start=start).fingerprint,
        prepare(config, corpora, start=changed).fingerprint,
    }
    assert len(fingerprints) == 5


def test_a_trained_model_as_the_start(config: RunConfig, tiny_path: Path, tmp_path: Path) -> None:
    """Its weights, words and labels are taken over; new words and labels are added behind them."""
    path = tmp_path / "more.jsonl"
    path.write_text(
        '{"tokens": ["Zorblax", "rained", "in", "Lima"], "entities": [[0, 1, "WEATHER"], [3, 4, "GPE"]]}\n'
        * 3,
        encoding="utf-8",
    )
    start = load_model(tiny_path)
    config = with_data(config, train=(str(path),), dev=str(path))
    setup = prepare(config, read_corpora(config), start=start)
    assert setup.labels == [*start.labels, "WEATHER"]
    assert setup.encoder.vocabularies["cased"].words == [*start.vocabularies["cased"].words, "Zorblax"]
    weights = setup.learner.weights()
    for name, array in weights.items():
        trained = start.weights[name]
        assert np.array_equal(array[: len(trained)], trained), name
    assert weights["layers.1.weight"].shape[0] == len(start.labels) + 1


def test_a_compressed_model_as_the_start(config: RunConfig, tiny_path: Path) -> None:
    start = compress(load_model(tiny_path), Storage("int8", "float16"), words=20)
    setup = prepare(config, read_corpora(config), start=start)
    words = setup.encoder.vocabularies["cased"].words
    assert words[:20] == start.vocabularies["cased"].words
    assert set(words) == set(load_model(tiny_path).vocabularies["cased"].words), "training words come back"
    assert setup.ranked_words["cased"] == 20
    table = Table.from_weights(start.weights, "cased").whole()
    weights = setup.learner.weights()
    assert np.array_equal(weights["tables.cased"][: len(table)], table)
    assert all(array.dtype == np.float32 for array in weights.values())


def test_words_behind_those_of_the_vectors_are_counted_apart(config: RunConfig, tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text(
        "".join(f"{word} {'0.5 ' * 12}\n" for word in ("the", "Oslo", "of")), "utf-8"
    )
    cased = replace(config.model.views[0], vectors=str(tmp_path / "vectors.txt"))
    model = replace(config.model, views=(cased, *config.model.views[1:]))
    setup = prepare(replace(config, model=model), read_corpora(config))
    assert setup.ranked_words == {"cased": 3, "uncased": len(setup.encoder.vocabularies["uncased"].words)}
    assert len(setup.encoder.vocabularies["cased"].words) > 3


def test_devices() -> None:
    assert choose_device("cpu").type == "cpu"
    for name in ("warp", "cuda:99"):
        with pytest.raises(ConfigError, match=f"device '{name}' cannot be used"):
            choose_device(name)
