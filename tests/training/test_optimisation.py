"""Word vectors: what they start from, and how they are trained and averaged."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fofe.base.errors import ConfigError
from fofe.features.config import CharacterConfig, ModelConfig, ViewConfig
from fofe.formats.vectors import WordVectors
from fofe.model.network import Network
from fofe.training.config import TrainingConfig
from fofe.training.optimisation import WordTable, make_optimiser
from fofe.training.setup import first_vectors, make_vocabulary


@pytest.mark.parametrize("decay", [0.0, 0.05, 0.5, 0.9, 0.998])
def test_lazy_averages_are_those_of_a_dense_loop(decay: float) -> None:
    random = np.random.default_rng(1)
    first = random.normal(size=(12, 3)).astype(np.float32)
    trained = np.array([0, 1, 2, 5, 6, 7, 7, 2])
    table = WordTable(first.copy(), trained, decay)
    weights, average = first.astype(np.float64), first.astype(np.float64)
    for step in range(60):
        rows = random.choice(np.unique(trained), size=random.integers(1, 4), replace=False)
        gathered = table.gather(torch.from_numpy(rows))
        gradient = random.normal(size=(len(rows), 3))
        gathered.grad = torch.from_numpy(gradient.astype(np.float32))
        table.update(torch.from_numpy(rows), gathered, 0.1, step)
        weights[rows] -= 0.1 * gradient
        young = min(decay, (1 + step) / (10 + step))
        average = young * average + (1 - young) * weights
        if step in (0, 17, 59):  # averages may be asked for at any time, and training goes on
            assert table.averaged(step + 1).numpy() == pytest.approx(average, abs=1e-5)
    assert table.weights.numpy() == pytest.approx(weights, abs=1e-5)
    assert np.array_equal(table.averaged(60)[3].numpy(), first[3]), "what is not trained does not move"


def test_views_that_share_a_table_step_by_the_sum_of_their_gradients() -> None:
    table = WordTable(np.zeros((3, 2), np.float32), np.arange(3), 0.5)
    for step in range(2):
        shared = [(torch.tensor(rows), table.gather(torch.tensor(rows))) for rows in ([0, 1], [1, 2])]
        for rows, gathered in shared:
            gathered.grad = torch.ones_like(gathered)
            table.update(rows, gathered, 0.25, step)
    assert table.weights[:, 0].tolist() == [-0.5, -1.0, -0.5]
    alone = WordTable(np.zeros((1, 2), np.float32), np.arange(1), 0.5)
    for step in range(2):
        gathered = alone.gather(torch.tensor([0]))
        gathered.grad = torch.full((1, 2), 2.0)
        alone.update(torch.tensor([0]), gathered, 0.25, step)
    assert table.averaged(2)[1].tolist() == pytest.approx(alone.averaged(2)[0].tolist())


def test_vectors_without_a_gradient_stay() -> None:
    table = WordTable(np.ones((2, 2), np.float32), np.array([0, 1]), 0.9)
    rows = torch.tensor([0])
    table.update(rows, table.gather(rows), 0.5, 0)
    assert table.weights.tolist() == [[1, 1], [1, 1]]


def test_vocabulary_is_what_the_vectors_know_and_what_is_frequent() -> None:
    view = ViewConfig("u", "uncased", min_count=2)
    words = ["New", "NEW", "Rare", "the", "the", "1996", "2014"]
    vocabulary = make_vocabulary(view, words, ["the", "of"], digits="shape")
    assert vocabulary.words == ["the", "of", "new", "<num4>"]
    everything = make_vocabulary(ViewConfig("c", "cased", min_count=1), words, [], digits="none")
    assert set(everything.words) == set(words)


def test_first_vectors_without_a_file_are_small_and_random() -> None:
    view = ViewConfig("c", "cased", 50, min_count=1)
    vocabulary = make_vocabulary(view, ["a", "b"], [], digits="none")
    table = first_vectors(view, vocabulary, None, np.random.default_rng(1))
    assert table.shape == (7, 50)
    assert np.abs(table).max() <= 0.25
    assert np.array_equal(table, first_vectors(view, vocabulary, None, np.random.default_rng(1)))


def test_first_vectors_from_a_file() -> None:
    words = [f"common{number}" for number in range(8)] + ["rare", "Rare"]
    vectors = WordVectors(words, np.arange(20, dtype=np.float32).reshape(10, 2))
    view = ViewConfig("c", "cased", 2, scale=0.5, min_count=1, vectors="v.txt")
    vocabulary = make_vocabulary(view, ["new"], vectors.words, digits="none")
    table = first_vectors(view, vocabulary, vectors, np.random.default_rng(1))
    assert np.array_equal(table[5:15], 0.5 * vectors.vectors)
    assert table[0].tolist() == (0.5 * vectors.vectors[8]).tolist(), "unknown: as the rarest of its shape"
    assert table[1].tolist() == (0.5 * vectors.vectors[9]).tolist()
    assert np.abs(table[15]).max() > 0


def test_vectors_of_another_dimension_are_refused() -> None:
    view = ViewConfig("glove", "uncased", 100, vectors="v.txt")
    vectors = WordVectors(["a"], np.zeros((1, 50), np.float32))
    vocabulary = make_vocabulary(view, [], vectors.words, digits="none")
    with pytest.raises(
        ConfigError, match=r"v\.txt: view 'glove' has dimension 100, its vectors have 50 \(set"
    ):
        first_vectors(view, vocabulary, vectors, np.random.default_rng(1))


@pytest.mark.parametrize("with_layers", [False, True])
def test_character_cnn_is_trained_like_characters_or_like_layers(with_layers: bool) -> None:
    network = Network(
        ModelConfig(views=(), characters=CharacterConfig(heights=(2,)), hidden=(3,)),
        alphabet_size=4,
        label_count=2,
    )
    config = TrainingConfig(
        optimiser="sgd", rate=0.1, character_rate=0.05, momentum=0.9, cnn_with_layers=with_layers
    )
    group_of = {
        id(parameter): (group["lr"], group["momentum"])
        for group in make_optimiser(config, network).param_groups
        for parameter in group["params"]
    }
    groups = {name: group_of[id(parameter)] for name, parameter in network.named_parameters()}
    assert groups["layers.0.weight"] == (0.1, 0.9)
    assert groups["characters.weight"] == (0.05, 0.0)
    for name in ("character_cnn.embedding.weight", "character_cnn.weights.0"):
        assert groups[name] == ((0.1, 0.9) if with_layers else (0.05, 0.0))
