"""Two corpora that mark the same mentions differently, and a model that is told whose manner to follow."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import fofe
from fofe.cli import main
from fofe.errors import ConfigError, FofeError, ModelError
from fofe.model.ensemble import save_ensemble
from fofe.model.storage import load_model
from fofe.model.tagger import Model
from fofe.train.config import load_config

CORPUS = """
[[corpus]]
name = "{name}"
train = ["{name}.jsonl"]
dev = "{name}.jsonl"
"""
CONFIG = """
[model]
max_words = 3
hidden = [24]
conventions = {conventions}
views = [{ name = "uncased", lookup = "uncased", dimension = 16 }]

[model.characters]
fofe = false
cnn = false

[training]
epochs = 12
batch = 64
optimiser = "adamw"
rate = 0.02
dropout = 0.0
input_dropout = 0.0
evaluate_every = 6

[gate]
enabled = false
"""
SYLLABLES = ("Bor", "Ka", "Lim", "Tes", "Vor", "Za")
NAMES = [first + second.lower() for first in SYLLABLES for second in SYLLABLES]
TEXT = "Later the Quorzam lost ."


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two corpora with the same texts: one marks the name, the other its article too, and the verb."""
    folder = tmp_path_factory.mktemp("conventions")
    article_and_verb = [{"start": 1, "end": 3, "type": "ORG"}, {"start": 3, "end": 4, "type": "ACT"}]
    for corpus, mentions in (
        ("bare", [{"start": 2, "end": 3, "type": "ORG"}]),
        ("whole", article_and_verb),
    ):
        sentences = [{"tokens": ["Later", "the", name, "lost", "."], "mentions": mentions} for name in NAMES]
        content = "".join(json.dumps({"sentences": [sentence]}) + "\n" for sentence in sentences)
        (folder / f"{corpus}.jsonl").write_text(content, "utf-8")
    corpora = CORPUS.format(name="bare") + CORPUS.format(name="whole")
    path = folder / "run.toml"
    path.write_text(corpora + CONFIG.replace("{conventions}", '["bare", "whole"]'), "utf-8")
    return path


@pytest.fixture(scope="module")
def model(configuration: Path) -> Model:
    """A model of both corpora."""
    folder = configuration.with_name("run")
    assert main(["train", str(configuration), "-o", str(folder)]) == 0
    return fofe.load(folder / "model")


def found(model: Model) -> list[str]:
    (document,) = model.tag_tokens([TEXT.split()])
    return [mention.text for mention in document.mentions]


def test_a_model_follows_the_conventions_that_it_is_told(model: Model) -> None:
    assert found(model.with_options(conventions="bare")) == ["Quorzam"]
    assert found(model.with_options(conventions="whole")) == ["the Quorzam", "lost"]
    assert found(model.with_options(conventions="whole").with_options(conventions="bare")) == ["Quorzam"]


def test_each_dev_set_is_judged_by_its_own_conventions(model: Model) -> None:
    assert min(model.training["dev"]["f1_by_corpus"].values()) > 95


def test_conventions_bring_their_own_decoding(model: Model) -> None:
    assert model.path is not None
    stored = load_model(model.path)
    assert set(stored.decodings) == {"bare", "whole"}
    assert model.with_options(conventions="bare").decoding == stored.decodings["bare"]
    given = model.with_options(conventions="bare", threshold=0.123)
    assert given.decoding == replace(stored.decodings["bare"], threshold=0.123)
    assert given.with_options(nested=True).decoding.threshold == 0.123, "what is not given stays"


def test_decodings_of_unknown_corpora_are_an_error(model: Model, tmp_path: Path) -> None:
    assert model.path is not None
    broken = tmp_path / "broken"
    shutil.copytree(model.path, broken)
    content = (
        (broken / "config.json").read_text("utf-8").replace('"decodings": {', '"decodings": {"novels": {},')
    )
    (broken / "config.json").write_text(content, "utf-8")
    with pytest.raises(ModelError, match=r"config\.json: decodings must be those of"):
        load_model(broken)


def test_evaluation_as_a_corpus_follows_its_conventions(
    model: Model, configuration: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for corpus in ("bare", "whole"):
        gold = configuration.with_name(f"{corpus}.jsonl")
        assert main(["evaluate", str(gold), "--model", str(model.path), "--as", corpus, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["scores"]["overall"]["f1"] > 95


@pytest.mark.parametrize("engine", ["numpy", "torch"])
def test_all_engines_and_ensembles_follow(engine: str, model: Model, tmp_path: Path) -> None:
    assert model.path is not None
    save_ensemble([model.path, model.path], tmp_path / "both")
    for path in (model.path, tmp_path / "both"):
        told = fofe.load(path, engine=engine, device="cpu").with_options(conventions="whole")
        assert found(told) == ["the Quorzam", "lost"]


def test_the_command_line_takes_conventions(model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    tag = ["tag", "-m", str(model.path), "-t", TEXT, "-f", "tsv", "--conventions"]
    assert main([*tag, "whole"]) == 0
    assert "the Quorzam" in capsys.readouterr().out
    assert main([*tag, "novels"]) == 2
    assert "'novels' (it knows: bare, whole)" in capsys.readouterr().err


def test_a_model_tells_which_conventions_it_knows(model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    assert "conventions that it can follow: bare, whole" in model.card
    assert main(["inspect", str(model.path)]) == 0
    assert re.search(r"^conventions +bare, whole$", capsys.readouterr().out, re.MULTILINE)


def test_a_model_without_conventions_says_so(tiny_model: Model) -> None:
    with pytest.raises(FofeError, match="it knows: none"):
        tiny_model.with_options(conventions="news")


def test_a_model_can_be_trained_on_with_another_corpus(
    model: Model, configuration: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.toml"
    for name in ("bare", "other"):
        content = configuration.with_name("bare.jsonl").read_text("utf-8")
        (tmp_path / f"{name}.jsonl").write_text(content, "utf-8")
    settings = CONFIG.replace("{conventions}", "[]").replace("epochs = 12", "epochs = 2")
    more.write_text(CORPUS.format(name="other") + settings, "utf-8")
    assert main(["train", str(more), "-o", str(tmp_path / "run"), "--from", str(model.path)]) == 0
    trained_on = fofe.load(tmp_path / "run" / "model")
    assert trained_on.config.conventions == ("bare", "whole")
    assert "Quorzam" in found(trained_on)


def test_conventions_must_be_those_of_a_corpus(configuration: Path, tmp_path: Path) -> None:
    for given, message in (
        ('["bare", "novel"]', "no .* name 'novel'"),
        ('["bare", "bare"]', "each corpus once"),
    ):
        path = tmp_path / "run.toml"
        path.write_text(CORPUS.format(name="bare") + CONFIG.replace("{conventions}", given), "utf-8")
        with pytest.raises(ConfigError, match=message):
            load_config(path)
