"""Configuration files of training runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fofe.base.errors import ConfigError, InputError
from fofe.base.settings import build, to_table
from fofe.features.config import ModelConfig
from fofe.training.config import (
    START,
    DataConfig,
    DecodingConfig,
    RunConfig,
    SamplingConfig,
    TrainingConfig,
    load_config,
    parse_setting,
)

ROOT = Path(__file__).parents[2]
SHIPPED = sorted([*ROOT.glob("configs/*.toml"), *ROOT.glob("examples/*.toml")])


def write(folder: Path, text: str) -> Path:
    path = folder / "run.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_configuration_loads_without_its_files(path: Path) -> None:
    config = load_config(path)
    assert all(corpus.train for corpus in config.corpora)
    assert build(RunConfig, to_table(config)) == config


def test_configurations_are_shipped() -> None:
    assert {"tiny.toml", "paper.toml"} <= {path.name for path in SHIPPED}


def test_the_least_configuration_and_its_defaults(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, '[data]\ntrain = ["a.conll"]\n'))
    assert config == RunConfig(DataConfig((str(tmp_path / "a.conll"),)))
    assert config.model == ModelConfig()


def test_files_are_relative_to_the_configuration(tmp_path: Path) -> None:
    text = """
        [data]
        train = ["a.conll", "/abs/b.conll"]
        dev = "../c.conll"
        [[model.views]]
        name = "cased"
        lookup = "cased"
        vectors = "v.txt"
    """
    config = load_config(write(tmp_path, text))
    assert config.data is not None
    assert config.data.train == (str(tmp_path / "a.conll"), "/abs/b.conll")
    assert config.data.dev == str(tmp_path / "../c.conll")
    assert config.data.test is None
    assert config.model.views[0].vectors == str(tmp_path / "v.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[data]\ntrain == 3\n", "is not valid TOML: .*line 2"),
        ("", r"give either \[data\] or one or more \[\[corpus\]\] tables"),
        ("[data]\n", "missing key 'data.train'"),
        ("[data]\ntrain = []\n", "data: train must list at least one file"),
        ("[data]\ntrain = 1\n", "data.train must be a list, not 1"),
        ('[data]\ntrain = ["a"]\ntrian = 1\n', r"unknown key 'data.trian' \(did you mean 'train'\?\)"),
        ('[data]\ntrain = ["a"]\n[trainig]\nepochs = 3\n', "unknown key 'trainig' .*'training'"),
        ('[data]\ntrain = ["a"]\n[training]\nepochs = "3"\n', "training.epochs must be a whole number"),
        ('[data]\ntrain = ["a"]\n[training]\nepochs = 0\n', "training: epochs must be at least 1, not 0"),
        ('[data]\ntrain = ["a"]\n[[model.views]]\nname = "x"\n', r"missing key 'model.views\[0\].lookup'"),
    ],
)
def test_errors_name_the_file_and_the_key(text: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=rf"^{path}: {message}"):
        load_config(path)


def test_missing_configuration(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: cannot be read: No such file"):
        load_config(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("cls", "settings", "message"),
    [
        (SamplingConfig, {"exact": 1.5}, "exact is a share between 0 and 1, not 1.5"),
        (SamplingConfig, {"replace_rare": -0.1}, "replace_rare must not be negative"),
        (SamplingConfig, {"lower": 0.7, "upper": 0.4}, "lower, upper and title are at most 1 together"),
        (TrainingConfig, {"optimiser": "adam"}, "optimiser must be one of adamw, sgd, not 'adam'"),
        (TrainingConfig, {"schedule": "cosine"}, "schedule must be one of linear, geometric, constant"),
        (TrainingConfig, {"schedule": "geometric"}, "a geometric schedule needs a final_rate above 0"),
        (TrainingConfig, {"seed": -1}, "seed must not be negative, not -1"),
        (TrainingConfig, {"word_rate": -0.1}, "word_rate must not be negative"),
        (TrainingConfig, {"dropout": 1.0}, "dropout is a share from 0 to below 1, not 1.0"),
        (TrainingConfig, {"final_input_dropout": -0.1}, "final_input_dropout is a share"),
        (TrainingConfig, {"average": 1.0}, "average is a share"),
        (DecodingConfig, {"strategies": ()}, "must not be empty"),
        (DecodingConfig, {"thresholds": ()}, "must not be empty"),
        (DecodingConfig, {"thresholds": (0.5, 50.0)}, "thresholds lie between 0 and 1, not 50.0"),
        (DecodingConfig, {"strategies": ("best",)}, "strategies must be among highest-first.* not 'best'"),
    ],
)
def test_values_that_cannot_work_are_refused(cls: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls(**settings)


@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("training.epochs=20", "training.epochs", 20),
        ("training.rate = 1e-3", "training.rate", 0.001),
        ("model.hidden=[8, 4]", "model.hidden", [8, 4]),
        ('data.dev="x.conll"', "data.dev", "x.conll"),
        ("data.dev=x.conll", "data.dev", "x.conll"),
        ("training.device=cpu", "training.device", "cpu"),
        ("decoding.nested=true", "decoding.nested", True),
        ("data.format=a=b", "data.format", "a=b"),
    ],
)
def test_settings_are_toml_or_else_strings(setting: str, key: str, value: object) -> None:
    assert parse_setting(setting) == (key, value)


@pytest.mark.parametrize("setting", ["training.epochs", "=3", " = 3", ""])
def test_settings_without_a_key_or_value(setting: str) -> None:
    with pytest.raises(ConfigError, match="is not KEY=VALUE"):
        parse_setting(setting)


VIEWS = """
    [data]
    train = ["a"]
    [[model.views]]
    name = "one"
    lookup = "cased"
    [[model.views]]
    name = "two"
    lookup = "uncased"
"""


def test_overrides_replace_and_add_values(tmp_path: Path) -> None:
    overrides = {"training.epochs": 3, "model.views.two.dimension": 7, "data.train": ["b"]}
    config = load_config(write(tmp_path, VIEWS), overrides)
    assert config.training.epochs == 3
    assert [view.dimension for view in config.model.views] == [256, 7]
    assert config.corpora[0].train == (str(tmp_path / "b"),)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("training.epoch", "unknown key 'training.epoch' .*'epochs'"),
        ("model.views.three.dimension", "there is no table 'three'"),
        ("model.views.dimension", "'views' is a list of tables"),
        ("data.train.0", "'train' is a list|cannot be set"),
        ("data.train.a.b", "there is no table 'a'"),
        ("epochs", "unknown key 'epochs'"),
    ],
)
def test_overrides_that_fit_nowhere(key: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(write(tmp_path, VIEWS), {key: 1})


def test_the_configuration_to_start_from_can_be_copied() -> None:
    copy = Path(__file__).parents[2] / "configs" / "start.toml"
    assert not copy.is_symlink(), "a copy of configs/ alone must have it"
    assert copy.read_text("utf-8") == START.read_text("utf-8")


def test_a_bad_override_is_not_blamed_on_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, VIEWS)
    wrong = {"training.epoch": 1, "training.epochs": 0, "training.rate": "high", "trainng.epochs": 1}
    for key, value in wrong.items():
        with pytest.raises(ConfigError) as caught:
            load_config(path, {key: value})
        assert path.name not in str(caught.value)


def test_one_file_needs_no_brackets(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, '[data]\ntrain = "a"\n')).corpora[0].train == (str(tmp_path / "a"),)
    several = load_config(write(tmp_path, '[[corpus]]\nname = "x"\ntrain = "b"\n'))
    assert several.corpora[0].train == (str(tmp_path / "b"),)


def test_a_configuration_that_extends_another(tmp_path: Path) -> None:
    view = '[[model.views]]\nname = "{0}"\nlookup = "{0}"\n'
    base = """[[corpus]]\nname = "a"\ntrain = "a.jsonl"
        [training]\nepochs = 3\nrate = 0.5\n[model]\nmax_words = 4\n"""
    (tmp_path / "base.toml").write_text(base + view.format("cased") + view.format("uncased"), "utf-8")
    own = """extends = "base.toml"\n[[corpus]]\nname = "b"\ntrain = "b.jsonl"\n[training]\nepochs = 5\n"""
    config = load_config(write(tmp_path, own + view.format("spelling")), {"corpus.a.share": 0.5})
    assert [(one.name, one.share) for one in config.corpora] == [("a", 0.5), ("b", 1.0)]
    assert (config.training.epochs, config.training.rate, config.model.max_words) == (5, 0.5, 4)
    assert [view.name for view in config.model.views] == ["spelling"]


@pytest.mark.parametrize(
    ("extends", "message"),
    [
        ("run.toml", "run.toml extends this file in turn"),
        ("../run.toml", "a file beside this one"),
        (3, "beside"),
    ],
)
def test_extending_what_cannot_be(extends: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(write(tmp_path, f"extends = {extends!r}\n"))
