"""Compressed models: smaller, nearly the same scores, and unknown words where words were dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fofe.base.errors import FofeError, ModelError
from fofe.decode import Decoding
from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.word_table import Table
from fofe.model.compress import compress, prune, words_of
from fofe.model.engine import Engine
from fofe.model.storage import Storage, StoredModel, load_model, save_model, size_on_disk
from fofe.tagging.model import Model, load

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

MakeModel = Callable[..., "RandomModel"]

SENTENCES = [
    ["Anna", "Berg", "met", "the", "mayor", "of", "Bergen", "."],
    ["Shares", "of", "Acme", "fell", "3.5", "%", "in", "New", "Delhi", "."],
]
SMALLEST = Storage("int8", "float16")


@pytest.fixture
def model(tiny_path: Path) -> StoredModel:
    return load_model(tiny_path)


def scores(model: StoredModel) -> Any:
    engine = Engine(model.config, model.encoder, model.weights, model.gate)
    return engine.score(SENTENCES, exact=True).probabilities


def saved(model: StoredModel, path: Path) -> StoredModel:
    save_model(model, path)
    return load_model(path)


@pytest.mark.parametrize(
    ("storage", "difference"),
    [
        (Storage("float32", "float32"), 0),
        (Storage("float16", "float32"), 0.002),
        (Storage("float32", "float16"), 0.002),
        (SMALLEST, 0.02),
    ],
)
def test_scores_stay_close(model: StoredModel, tmp_path: Path, storage: Storage, difference: float) -> None:
    small = compress(model, storage)
    stored = saved(small, tmp_path / "small")
    assert np.array_equal(scores(small), scores(stored)), "what is measured in memory is what is stored"
    assert np.abs(scores(stored) - scores(model)).max() <= difference
    assert stored.storage == storage
    assert stored.config == model.config


def test_files_shrink_as_the_numbers_do(model: StoredModel, tiny_path: Path, tmp_path: Path) -> None:
    def weights(path: Path) -> int:
        return (path / "model.safetensors").stat().st_size

    save_model(compress(model, Storage("float16", "float16")), tmp_path / "half")
    save_model(compress(model, SMALLEST), tmp_path / "small")
    assert weights(tmp_path / "half") == pytest.approx(weights(tiny_path) / 2, rel=0.1)
    tables = [Table.from_weights(model.weights, view) for view in model.vocabularies]
    gained = sum(table.values.size - 4 * len(table.values) for table in tables)
    assert weights(tmp_path / "half") - weights(tmp_path / "small") == pytest.approx(gained, abs=400)
    assert size_on_disk(tmp_path / "small") < size_on_disk(tmp_path / "half") < size_on_disk(tiny_path)


def test_a_compressed_model_can_be_compressed_again(model: StoredModel, tmp_path: Path) -> None:
    small = saved(compress(model, SMALLEST), tmp_path / "small")
    again = saved(compress(small, SMALLEST), tmp_path / "again")
    for name, array in small.weights.items():
        assert np.array_equal(again.weights[name], array), name
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == (
        tmp_path / "small" / "model.safetensors"
    ).read_bytes()
    assert again.card == small.card, "the section of the card is not there twice"
    large = compress(small, Storage())
    assert all(array.dtype == np.float32 for array in large.weights.values())
    assert scores(large) == pytest.approx(scores(small), abs=1e-6)


def test_the_card_tells_what_was_done(model: StoredModel) -> None:
    card = compress(model, SMALLEST, words=30).card
    assert card.startswith(model.card)
    assert "tables are int8, other weights float16" in card
    assert "30 most frequent" in card
    assert "30 most frequent" in compress(compress(model, SMALLEST, words=30), Storage()).card


def test_dropped_words_become_unknown_of_their_shape(model: StoredModel) -> None:
    words = model.vocabularies["cased"].words
    small = prune(model, 20)
    assert small.vocabularies["cased"].words == words[:20]
    assert small.vocabularies["uncased"].words == model.vocabularies["uncased"].words[:20]
    dropped = next(word for word in words[20:] if word.istitle())
    before, after = (Table.from_weights(of.weights, "cased").whole() for of in (model, small))
    assert len(after) == len(small.vocabularies["cased"])
    row = small.vocabularies["cased"].row(dropped)
    assert row == small.vocabularies["cased"].unknown_row(dropped) == 1
    assert np.array_equal(after[row], before[1])
    for word in words[:20]:
        old, new = (of.vocabularies["cased"].row(word) for of in (model, small))
        assert np.array_equal(after[new], before[old]), word


def ranked(model: StoredModel, count: int) -> StoredModel:
    """The model as if its cased vectors had held so many words and training had added the rest."""
    return replace(model, ranked_words={**model.ranked_words, "cased": count})


def test_words_that_training_added_are_kept(model: StoredModel) -> None:
    words = model.vocabularies["cased"].words
    small = prune(ranked(model, 40), 10)
    assert small.vocabularies["cased"].words == words[:10] + words[40:]
    assert small.ranked_words["cased"] == 10
    smaller = prune(small, 5)
    assert smaller.vocabularies["cased"].words == words[:5] + words[40:]
    assert prune(model, 10**6).vocabularies["cased"].words == words


def test_words_to_keep_are_kept_in_every_view(model: StoredModel) -> None:
    cased = model.vocabularies["cased"].words
    wanted = next(word for word in cased[30:] if word.istitle())
    small = prune(ranked(model, len(cased) - 3), 10, [wanted, "never-seen"])
    assert small.vocabularies["cased"].words == [*cased[:10], wanted, *cased[-3:]]
    assert small.ranked_words["cased"] == 11
    assert wanted in small.vocabularies["uncased"]
    assert wanted.lower() in small.vocabularies["uncased"].words
    assert np.array_equal(
        Table.from_weights(small.weights, "cased").rows(small.vocabularies["cased"].rows([wanted])),
        Table.from_weights(model.weights, "cased").rows(model.vocabularies["cased"].rows([wanted])),
    )


def test_a_pruned_and_compressed_model_tags(model: StoredModel, tmp_path: Path) -> None:
    small = saved(compress(model, SMALLEST, words=0, keep=["Anna", "Berg"]), tmp_path / "small")
    assert sorted(small.vocabularies["cased"].words) == ["Anna", "Berg"]
    assert Model(small)("Anna Berg met the mayor of Bergen.").text


def test_without_ranks_the_training_corpus_is_asked_for(model: StoredModel) -> None:
    old = replace(model, ranked_words={})
    with pytest.raises(ModelError, match=r"'cased' does not say .* \(name that corpus with --keep\)"):
        prune(old, 10)
    small = prune(old, 10, ["Anna"])
    assert len(small.vocabularies["cased"].words) in (10, 11)
    assert small.ranked_words == {}
    with pytest.raises(FofeError, match="cannot be -1"):
        prune(model, -1)


def test_numbers_beyond_float16_are_refused(model: StoredModel) -> None:
    wild = np.full(32, 1e6, np.float32)
    wild_model = replace(model, weights={**model.weights, "layers.0.bias": wild})
    with pytest.raises(
        ModelError, match=r"'layers.0.bias' holds a number that float16 .* \(store it as float32"
    ):
        compress(wild_model, SMALLEST)
    table = np.full_like(model.weights["tables.cased"], np.nan)
    with pytest.raises(ModelError, match=r"'tables.cased' holds a number that int8 cannot hold"):
        compress(replace(model, weights={**model.weights, "tables.cased": table}), SMALLEST)


def test_the_engine_in_torch_reads_compressed_tables(model: StoredModel, tmp_path: Path) -> None:
    save_model(compress(model, SMALLEST), tmp_path / "small")
    engines = [load(tmp_path / "small", engine=name).with_options(exact=True) for name in ("numpy", "torch")]
    found = [next(engine.tag_tokens(SENTENCES[:1])).mentions for engine in engines]
    assert [mention.label for mention in found[0]] == [mention.label for mention in found[1]]
    assert [mention.score for mention in found[0]] == pytest.approx(
        [mention.score for mention in found[1]], abs=1e-5
    )


def test_each_table_may_keep_its_own_number_of_words(model: StoredModel) -> None:
    small = compress(model, SMALLEST, words={"cased": 20})
    assert len(small.vocabularies["cased"].words) == 20
    assert small.vocabularies["uncased"].words == model.vocabularies["uncased"].words
    assert "keeps its 20 (cased) most frequent words" in small.card
    with pytest.raises(FofeError, match=r"no table 'glove' \(it has cased, uncased\)"):
        prune(model, {"glove": 5})


def test_words_that_hold_characters_are_kept_with_them(make_model: MakeModel) -> None:
    views = (ViewConfig("word", "word", 2), ViewConfig("lexicon", "lexicon", 2))
    parts = make_model(1, ModelConfig(segmenter="jieba", views=views, hidden=(4,)))
    model = StoredModel(
        model=parts.config,
        labels=("NONE", "A", "B", "C"),
        decoding=Decoding(),
        vocabularies=parts.encoder.vocabularies,
        alphabet=parts.encoder.alphabet,
        weights=parts.weights,
    )
    kept = words_of(model, [["我", "在", "北", "京", "住"]])
    assert {"北", "京", "北京"} <= kept
    pruned = prune(model, 0, kept)
    assert "北京" in pruned.vocabularies["word"].words
    assert "北京" in pruned.vocabularies["lexicon"].words
    assert "Toronto" not in pruned.vocabularies["lexicon"].words
