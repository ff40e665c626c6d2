"""Two corpora that mark the same mentions differently, and a model that is told whose manner to follow."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import fofe
from fofe.base.errors import ConfigError, FofeError, ModelError
from fofe.base.report import Report
from fofe.cli import main
from fofe.kbp.tab import read_tab
from fofe.model.engine import Engine
from fofe.model.ensemble import Ensemble, save_ensemble
from fofe.model.storage import load_model, save_model
from fofe.tagging.model import Model
from fofe.training.config import load_config

if TYPE_CHECKING:
    from starlette.testclient import TestClient

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
schemes = {schemes}
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
FOUND = {"bare": ["Quorzam"], "whole": ["the Quorzam", "lost"]}
"""What each corpus would mark in that text."""


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two corpora with the same texts: one marks the name, the other its article too, and the verb."""
    folder = tmp_path_factory.mktemp("schemes")
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
    path.write_text(corpora + CONFIG.replace("{schemes}", '["bare", "whole"]'), "utf-8")
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


def test_a_model_follows_the_schemes_that_it_is_told(model: Model) -> None:
    for corpus, expected in FOUND.items():
        assert found(model.with_options(scheme=corpus)) == expected
    assert found(model.with_options(scheme="whole").with_options(scheme="bare")) == FOUND["bare"]


def test_text_of_unknown_schemes_is_tagged_as_the_corpora_agree(model: Model) -> None:
    (document,) = model.with_options(threshold=0.0, nested=True).tag_tokens([TEXT.split()])
    scores = {mention.text: mention.score for mention in document.mentions}
    assert 0.2 < scores["Quorzam"] < 0.8, "a name in one corpus, part of one in the other"


def test_each_dev_set_is_judged_by_its_own_schemes(model: Model) -> None:
    assert min(model.training["dev"]["f1_by_corpus"].values()) > 95


def test_schemes_bring_their_own_decoding(model: Model) -> None:
    assert model.path is not None
    stored = load_model(model.path)
    assert set(stored.decodings) == {"bare", "whole"}
    assert model.with_options(scheme="bare").decoding == stored.decodings["bare"]
    given = model.with_options(scheme="bare", threshold=0.123)
    assert given.decoding == replace(stored.decodings["bare"], threshold=0.123)
    assert given.with_options(nested=True).decoding.threshold == 0.123, "what is not given stays"


def test_schemes_outlive_a_training_that_adds_labels(model: Model, tmp_path: Path) -> None:
    sentence = {"tokens": ["Rain", "in", "May"], "mentions": [{"start": 0, "end": 1, "type": "WEATHER"}]}
    (tmp_path / "more.jsonl").write_text((json.dumps({"sentences": [sentence]}) + "\n") * 3, "utf-8")
    path = tmp_path / "more.toml"
    path.write_text(
        '[data]\ntrain = ["more.jsonl"]\ndev = "more.jsonl"\n' + CONFIG[: CONFIG.index("[model]")]
    )
    hardly = [f"training.{name}" for name in ("rate=1e-9", "word_rate=1e-9", "epochs=1", "average=0")]
    settings = [word for setting in hardly for word in ("--set", setting)]
    assert main(["train", str(path), "-o", str(tmp_path / "run"), "--from", str(model.path), *settings]) == 0
    assert model.path is not None
    before, after = load_model(model.path), load_model(tmp_path / "run" / "model")
    assert after.labels == (*before.labels, "WEATHER")
    for corpus in FOUND:
        judged, again = (
            Engine(one.config, one.encoder, one.weights)
            .conditioned_on(corpus)
            .score([TEXT.split()])
            .probabilities
            for one in (before, after)
        )
        of_old_labels = again[:, : len(before.labels)]
        assert np.allclose(of_old_labels / of_old_labels.sum(1, keepdims=True), judged, atol=1e-4)


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


def test_evaluation_as_a_corpus_follows_its_schemes(
    model: Model, configuration: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for corpus in ("bare", "whole"):
        gold = configuration.with_name(f"{corpus}.jsonl")
        assert main(["evaluate", str(gold), "--model", str(model.path), "--as", corpus, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["scores"]["overall"]["f1"] > 95


@pytest.mark.parametrize("engine", ["numpy", "torch"])
def test_all_engines_and_ensembles_follow(engine: str, model: Model, tmp_path: Path) -> None:
    assert model.path is not None
    save_ensemble(Ensemble.of([model.path, model.path]), tmp_path / "both")
    for path in (model.path, tmp_path / "both"):
        told = fofe.load(path, engine=engine, device="cpu").with_options(scheme="whole")
        assert found(told) == FOUND["whole"]


def test_an_ensemble_follows_what_all_members_know_and_decodes_as_they_do_on_average(
    model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert model.path is not None
    stored = load_model(model.path)
    of_bare = stored.decodings["bare"]
    other = replace(
        stored,
        model=replace(stored.config, schemes=("bare", "novels")),
        decodings={"bare": replace(of_bare, threshold=of_bare.threshold / 2)},
    )
    save_model(other, tmp_path / "other")
    save_ensemble(Ensemble.of([model.path, tmp_path / "other"]), tmp_path / "both")
    told = fofe.load(tmp_path / "both").with_options(scheme="bare")
    assert found(told) == FOUND["bare"]
    assert told.decoding.threshold == pytest.approx(0.75 * of_bare.threshold, abs=1e-4)
    with pytest.raises(FofeError, match=r"'whole' \(it knows: bare\)"):
        told.with_options(scheme="whole")
    assert main(["model", "inspect", str(tmp_path / "both")]) == 0
    assert re.search(r"^schemes +bare$", capsys.readouterr().out, re.MULTILINE)


def test_the_command_line_takes_schemes(model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    tag = ["tag", "-m", str(model.path), "-t", TEXT, "-f", "tsv", "--scheme"]
    assert main([*tag, "whole"]) == 0
    assert "the Quorzam" in capsys.readouterr().out
    assert main([*tag, "novels"]) == 2
    assert "'novels' (it knows: bare, whole)" in capsys.readouterr().err


def test_entity_discovery_takes_schemes(
    model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, output = tmp_path / "doc.xml", tmp_path / "run.tab"
    source.write_text(f'<doc id="ENG_1">\n{TEXT}\n</doc>\n', "utf-8")
    tag = ["kbp", "tag", "-m", f"eng={model.path}", str(source), "-o", str(output), "--scheme"]
    assert main([*tag, "novels"]) == 2
    assert "'novels' (it knows: bare, whole)" in capsys.readouterr().err
    for corpus, expected in FOUND.items():
        assert main([*tag, corpus]) == 0, "a run that failed at once leaves nothing behind"
        assert [mention.text for mention in read_tab(output, Report())] == expected


def test_a_spacy_component_takes_schemes(model: Model) -> None:
    spacy = pytest.importorskip("spacy", reason="the component needs fofe[spacy]")
    for corpus, expected in FOUND.items():
        nlp = spacy.blank("en")
        nlp.add_pipe("fofe", config={"model": str(model.path), "scheme": corpus})
        doc = nlp(TEXT)
        assert [span.text for span in doc.spans["fofe"]] == expected
    with pytest.raises(FofeError, match="it knows: bare, whole"):
        spacy.blank("en").add_pipe("fofe", config={"model": str(model.path), "scheme": "novels"})


@pytest.fixture(scope="module")
def client(model: Model, tiny_model: Model) -> Iterator[TestClient]:
    """Asks a server of two models, of which only the first knows schemes."""
    pytest.importorskip("fastapi", reason="serving needs fofe[serve]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some versions would rather have another HTTP client installed
        from starlette.testclient import TestClient

    from fofe.serve.app import Server
    from fofe.serve.guard import Limits

    with TestClient(Server({"told": model, "plain": tiny_model}, Limits()).guard) as client:
        yield client


@pytest.mark.parametrize("corpus", FOUND)
def test_a_server_takes_schemes(client: TestClient, corpus: str) -> None:
    asked = {"text": TEXT, "scheme": corpus}
    (document,) = client.post("/v1/tag", json=asked).json()["documents"]
    assert [mention["text"] for mention in document["mentions"]] == FOUND[corpus]
    line = client.post("/v1/stream", params={"scheme": corpus}, content=TEXT).json()
    assert line["mentions"] == document["mentions"]
    exported = client.post("/v1/export", json={**asked, "format": "jsonl"}).json()
    assert [mention["text"] for mention in exported["mentions"]] == FOUND[corpus]


def test_a_server_refuses_schemes_that_the_model_does_not_know(client: TestClient) -> None:
    for asked, problem in (
        ({"scheme": "novels"}, "'novels' (it knows: bare, whole)"),
        ({"scheme": "bare", "model": "plain"}, "'bare' (it knows: none)"),
        ({"scheme": "novels", "model": "huge"}, "model: there is no 'huge' here (choose from told, plain)"),
    ):
        refused = client.post("/v1/tag", json={"text": TEXT, **asked})
        streamed = client.post("/v1/stream", params=asked, content=TEXT)
        assert (refused.status_code, streamed.status_code) == (422, 422)
        assert problem in refused.json()["error"]
        assert problem in streamed.json()["error"]
    told = [known["schemes"] for known in client.get("/v1/models").json()["models"]]
    assert told == [["bare", "whole"], []]


def test_a_model_tells_which_schemes_it_knows(model: Model, capsys: pytest.CaptureFixture[str]) -> None:
    assert "annotation schemes: bare, whole" in model.card
    assert main(["model", "inspect", str(model.path)]) == 0
    assert re.search(r"^schemes +bare, whole$", capsys.readouterr().out, re.MULTILINE)


def test_a_model_without_schemes_says_so(tiny_model: Model) -> None:
    with pytest.raises(FofeError, match="it knows: none"):
        tiny_model.with_options(scheme="news")


def test_a_model_can_be_trained_on_with_another_corpus(
    model: Model, configuration: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.toml"
    for name in ("bare", "other"):
        content = configuration.with_name("bare.jsonl").read_text("utf-8")
        (tmp_path / f"{name}.jsonl").write_text(content, "utf-8")
    settings = CONFIG.replace("{schemes}", "[]").replace("epochs = 12", "epochs = 2")
    more.write_text(CORPUS.format(name="other") + settings, "utf-8")
    assert main(["train", str(more), "-o", str(tmp_path / "run"), "--from", str(model.path)]) == 0
    trained_on = fofe.load(tmp_path / "run" / "model")
    assert trained_on.config.schemes == ("bare", "whole")
    assert "Quorzam" in found(trained_on)


def test_schemes_must_be_those_of_a_corpus(configuration: Path, tmp_path: Path) -> None:
    for given, message in (
        ('["bare", "novel"]', "no .* name 'novel'"),
        ('["bare", "bare"]', "each corpus once"),
    ):
        path = tmp_path / "run.toml"
        path.write_text(CORPUS.format(name="bare") + CONFIG.replace("{schemes}", given), "utf-8")
        with pytest.raises(ConfigError, match=message):
            load_config(path)
