"""A feature is added by one module, its twin, and one line in the list of features."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from fofe.base.errors import ModelError
from fofe.decode import Decoding
from fofe.features import registry
from fofe.features.config import CharacterConfig, ModelConfig, ViewConfig
from fofe.model.engine import Engine
from fofe.model.storage import StoredModel, load_model, save_model
from fofe.model.torch_engine import TorchEngine

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

MakeModel = Callable[..., "RandomModel"]
MakeText = Callable[..., list[list[str]]]

FEATURE = '''
"""How many words a fragment has, as a learned vector."""

from fofe.features.feature import Feature


class Length(Feature):
    torch_module = "length_torch"

    @staticmethod
    def columns(config):
        return {"length": 3}

    @staticmethod
    def shapes(config, sizes):
        return {"lengths.weight": (config.max_words, 3)}

    def __init__(self, model):
        self._projected = model.weights["lengths.weight"] @ model.columns["length"]

    def of(self, text, fragments):
        lengths = fragments.lasts - fragments.firsts

        def add_to(hidden, part):
            hidden += self._projected[lengths[part]]

        return add_to
'''

TWIN = """
from torch import nn


class Length:
    def __init__(self, config, alphabet_size):
        self._lengths = nn.Embedding(config.max_words, 3)
        self.modules = {"lengths": self._lengths}

    def __call__(self, batch, tables, dropping):
        return [self._lengths(batch["lasts"] - batch["firsts"])]
"""

CONFIG = ModelConfig(
    max_words=4,
    views=(ViewConfig("cased", "cased", 6), ViewConfig("window", "window", 4)),
    characters=CharacterConfig(dimension=4, heights=(2, 3), kernels=3),
    schemes=("news", "novels"),
    hidden=(16, 8),
)


@pytest.fixture
def length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    """The feature, in two files of its own and one line of the list."""
    (tmp_path / "length.py").write_text(FEATURE, "utf-8")
    (tmp_path / "length_torch.py").write_text(TWIN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("length", "length_torch"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    feature: type[Any] = import_module("length").Length
    monkeypatch.setattr(registry, "FEATURES", (*registry.FEATURES, feature))
    return feature


def stored(model: RandomModel) -> StoredModel:
    return StoredModel(
        model=model.config,
        labels=("NONE", "A", "B", "C"),
        decoding=Decoding(),
        vocabularies=model.encoder.vocabularies,
        alphabet=model.encoder.alphabet,
        weights=dict(model.weights),
    )


@pytest.mark.usefixtures("length")
def test_both_engines_give_a_new_feature_the_same_scores(
    make_model: MakeModel, make_text: MakeText, tmp_path: Path
) -> None:
    model = make_model(1, CONFIG)
    assert list(registry.input_columns(CONFIG))[-1] == "length"
    save_model(stored(model), tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.weights["lengths.weight"].shape == (4, 3)
    text = make_text(1)
    parts = (loaded.config, loaded.encoder, loaded.weights)
    numpy, network = Engine(*parts), TorchEngine(*parts, torch.device("cpu"))
    plain = numpy.score(text).probabilities
    assert np.abs(plain - network.score(text).probabilities).max() < 1e-5
    one, other = numpy.conditioned_on("novels"), network.conditioned_on("novels")
    assert np.abs(one.score(text).probabilities - other.score(text).probabilities).max() < 1e-5
    changed = {**loaded.weights, "lengths.weight": 2 * loaded.weights["lengths.weight"]}
    doubled = Engine(loaded.config, loaded.encoder, changed).score(text).probabilities
    assert np.abs(doubled - plain).max() > 1e-3, "it does count"


@pytest.mark.usefixtures("length")
def test_a_new_feature_is_learned(make_model: MakeModel) -> None:
    names = [name for name, _ in make_model(1, CONFIG).network.named_parameters()]
    assert names.index("character_cnn.embedding.weight") < names.index("lengths.weight")
    assert names.index("lengths.weight") < names.index("layers.0.weight")


def test_a_model_from_before_the_feature_lacks_its_weights(
    make_model: MakeModel, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    save_model(stored(make_model(1, CONFIG)), tmp_path / "plain")
    request.getfixturevalue("length")
    with pytest.raises(ModelError, match=r"lacks the weights 'lengths\.weight'"):
        load_model(tmp_path / "plain")
