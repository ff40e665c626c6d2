"""Fine-tuning: new types are learned, and what the model knew stays."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fofe.cli import main
from fofe.model.storage import load_model, save_model
from fofe.tagging.model import load

torch = pytest.importorskip("torch")

CONFIG = """
[data]
train = "train.conll"
dev = "train.conll"

[training]
epochs = 100
batch = 64
rate = 0.01
input_dropout = 0.0
dropout = 0.1
average = 0.9
evaluate_every = 50

[sampling]
disjoint = 0.3
replace_rare = 0.0

[decoding]
nested = true
"""
DISHES = ("soup", "stew", "bread", "rice")
OLD_TEXT = (
    "Anna Berg met the mayor of Bergen.",
    "The University of Bergen hired Omar Diaz in Leeds.",
    "Nobody knew the teacher.",
)


def corpus(label: str) -> str:
    return "".join(
        f"{who} O\ncooked O\n{dish} {label}\nfor O\nus O\n\n" for dish in DISHES for who in ("She", "They")
    )


@pytest.fixture(scope="module", params=["tiny_path", "conditioned_path"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a replay text, conditioned on corpora or not."""
    folder = tmp_path_factory.mktemp("base") / "model"
    shutil.copytree(request.getfixturevalue(request.param), folder)
    (folder / "replay.txt").write_text("\n".join(OLD_TEXT * 3) + "\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def grown(base: Path) -> Path:
    """The same model with dishes."""
    folder = base.parent / "more"
    folder.mkdir()
    (folder / "more.toml").write_text(CONFIG, "utf-8")
    (folder / "train.conll").write_text(corpus("B-DISH"), "utf-8")
    assert main(["train", str(folder / "more.toml"), "-o", str(folder / "run"), "--from", str(base)]) == 0
    return folder / "run" / "model"


@pytest.mark.parametrize("text", [*OLD_TEXT, "Strange soup , she said , in Ulm !"])
def test_old_labels_keep_their_odds(base: Path, grown: Path, text: str) -> None:
    labels = load(base).labels
    assert load(grown).labels == (*labels, "DISH")
    model, wider = load(base), load(grown)
    (document,) = model.tag([text])
    before = np.log(model.score(document).probabilities)
    after = np.log(wider.score(document).probabilities[:, : len(labels)])
    assert np.allclose(before - before[:, :1], after - after[:, :1], atol=1e-3)


def test_old_mentions_stay_and_new_ones_are_found(base: Path, grown: Path) -> None:
    # The wider gate may let more through, so all fragments are scored on both sides.
    model, wider = (load(path).with_options(exact=True) for path in (base, grown))
    for text in OLD_TEXT:
        found = [(one.start, one.end, one.label) for one in wider(text).mentions if one.label != "DISH"]
        assert found == [(one.start, one.end, one.label) for one in model(text).mentions]
        assert "DISH" not in [one.label for one in wider(text).mentions], "the replay text has no dishes"
    assert [(one.text, one.label) for one in wider("They cooked stew for us .").mentions] == [
        ("stew", "DISH")
    ]


def test_the_schemes_of_old_corpora_have_no_new_types(base: Path, grown: Path) -> None:
    model, wider = load(base), load(grown)
    for scheme in load_model(base).config.schemes:
        for text in (*OLD_TEXT, "They cooked stew for us .", "Anna Berg cooked rice and bread in Leeds ."):
            before, after = (
                one.with_options(scheme=scheme, exact=True)(text).mentions for one in (model, wider)
            )
            assert [(one.start, one.end, one.label) for one in after] == [
                (one.start, one.end, one.label) for one in before
            ]
            assert [one.score for one in after] == pytest.approx([one.score for one in before], abs=1e-5)


def test_new_types_keep_their_threshold_where_names_alone_are_wanted(grown: Path) -> None:
    model = load(grown)
    model.decoding = replace(model.decoding, names_threshold=1.0)
    names = model.with_options(names=True)("They cooked stew for us .").mentions
    assert [(one.text, one.label) for one in names] == [("stew", "DISH")]


def test_the_gate_lets_through_what_it_did(base: Path, grown: Path) -> None:
    model, wider = load(base), load(grown)
    for text in (*OLD_TEXT, "She cooked bread for Anna Berg ."):
        words = [sentence.words for sentence in next(model.tag([text])).sentences]
        before, after = (
            {
                (int(first), int(last))
                for first, last in zip(scores.fragments.firsts, scores.fragments.lasts, strict=True)
            }
            for scores in (model._engine.score(words), wider._engine.score(words))
        )
        assert before <= after


def test_decoding_and_corpora_of_the_base_stay(base: Path, grown: Path) -> None:
    before, after = load_model(base), load_model(grown)
    assert set(after.decoding.thresholds) == {"DISH"}
    assert after.decoding.threshold == before.decoding.threshold
    assert after.decoding.strategy == before.decoding.strategy
    assert set(after.training["corpora"]) == {*before.training["corpora"], "data"}
    assert after.decodings.keys() == before.decodings.keys()
    assert after.replay == before.replay, "it can grow again"
    careful = load(grown).with_options(threshold=1.0)
    assert not careful("They cooked stew for us .").mentions, (
        "a threshold that is given is that of all labels"
    )


def test_more_text_of_old_types(base: Path) -> None:
    folder = base.parent / "same"
    folder.mkdir()
    (folder / "more.toml").write_text(CONFIG, "utf-8")
    (folder / "train.conll").write_text(corpus("B-ORG"), "utf-8")
    assert main(["train", str(folder / "more.toml"), "-o", str(folder / "run"), "--from", str(base)]) == 0
    model, more = (load(path).with_options(exact=True) for path in (base, folder / "run" / "model"))
    assert more.labels == model.labels
    assert [one.label for one in more("They cooked stew for us .").mentions] == ["ORG"]
    for text in OLD_TEXT:
        assert [one.label for one in more(text).mentions] == [one.label for one in model(text).mentions]


@pytest.mark.parametrize(("old", "new"), [(0.999, 0.3), (0.3, 1.0)])
def test_dev_scores_are_those_of_the_model(
    old: float,
    new: float,
    tiny_path: Path,
    tiny_config: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Old labels keep their thresholds, in training too."""
    base, run = tmp_path / "base", tmp_path / "run"
    stored = load_model(tiny_path)
    save_model(replace(stored, decoding=replace(stored.decoding, thresholds={"PER": old})), base)
    data = [str(tiny_config.parent / f"{part}.jsonl") for part in ("train", "dev")]
    (tmp_path / "more.toml").write_text(CONFIG, "utf-8")
    command = ["train", str(tmp_path / "more.toml"), "--from", str(base), "-o", str(run)]
    settings = [f'data.train=["{data[0]}"]', f'data.dev="{data[1]}"', 'data.format="jsonl"']
    settings.append(f"decoding.thresholds=[{new}]")
    assert main([*command, *(part for one in settings for part in ("--set", one))]) == 0
    capsys.readouterr()
    assert main(["evaluate", data[1], "-m", str(run / "model"), "--as", "data", "--json"]) == 0
    overall = json.loads(capsys.readouterr().out)["scores"]["overall"]
    training = load_model(run / "model").training
    assert training["dev"]["f1"] == pytest.approx(overall["f1"])
    assert training["scores"]["dev"]["data"]["overall"]["f1"] == pytest.approx(overall["f1"])


def test_all_weights_are_trained_on_request(base: Path, grown: Path) -> None:
    config, folder = grown.parents[1] / "more.toml", base.parent / "forgets"
    quick = ["--set", "training.epochs=1", "--set", "gate.enabled=false"]
    assert main(["train", str(config), "-o", str(folder), "--from", str(base), "--forget", *quick]) == 0
    before, after, wider = load_model(base), load_model(folder / "model"), load_model(grown)
    assert after.config.hidden == before.config.hidden != wider.config.hidden
    old = before.weights["layers.0.weight"]
    assert not np.array_equal(after.weights["layers.0.weight"], old)
    assert np.array_equal(wider.weights["layers.0.weight"][: len(old)], old)
    assert not after.decoding.thresholds


def test_forgetting_needs_something_to_forget(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = base.parent / "more" / "more.toml"
    assert main(["train", str(config), "-o", str(base.parent / "none"), "--forget"]) == 2
    assert "--forget goes with --from" in capsys.readouterr().err
