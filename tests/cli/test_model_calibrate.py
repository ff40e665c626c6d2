"""`fofe model calibrate`."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fofe
from fofe.base.errors import FofeError, InputError, ModelError
from fofe.cli import main
from fofe.evaluate.calibration import calibrate
from fofe.formats import read_corpus
from fofe.model.ensemble import Ensemble, save_ensemble
from fofe.model.storage import load_model, save_model


@pytest.fixture
def dev(tiny_config: Path) -> str:
    return str(tiny_config.parent / "dev.jsonl")


@pytest.fixture
def train(tiny_config: Path) -> str:
    return str(tiny_config.parent / "train.jsonl")


def calibrated(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["model", "calibrate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_threshold_scores_what_evaluate_says(
    tiny_path: Path, dev: str, train: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = calibrated(capsys, str(tiny_path), dev, "--test", train, "-o", str(tmp_path / "made"))
    errors = made["calibration_error"]
    assert set(errors) == {"corpus", "test"}
    stored = load_model(tmp_path / "made")
    assert stored.training["calibration"]["ece_after"] == errors["corpus"]["after"]
    assert main(["model", "inspect", str(tmp_path / "made")]) == 0
    assert "calibration" in capsys.readouterr().out
    (threshold,) = made["threshold"]
    assert stored.decoding.threshold == float(threshold)
    assert main(["evaluate", dev, "--model", str(tmp_path / "made"), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]["overall"]
    assert scores["f1"] == pytest.approx(made["threshold"][threshold]["f1"], abs=1)


def test_a_loaded_model_is_calibrated_like_its_directory(tiny_path: Path, dev: str) -> None:
    corpus = list(read_corpus(dev, language="en"))
    assert calibrate(fofe.load(tiny_path), corpus).errors == calibrate(load_model(tiny_path), corpus).errors
    for model, documents in ((str(tiny_path), corpus), (fofe.load(tiny_path), dev)):
        with pytest.raises(FofeError, match=r"the model is what fofe.load|a corpus is a list of documents"):
            calibrate(model, documents)  # type: ignore[arg-type]


def test_documents_must_have_tokens(tiny_path: Path, dev: str) -> None:
    stored = load_model(tiny_path)
    bare, cut = list(read_corpus(dev)), list(read_corpus(dev, language="en"))
    assert calibrate(stored, cut).temperatures
    remedy = r"has text but no tokens \(read the corpus with read_corpus\(path, language='en'\)\)"
    for corpus, test in ((bare, None), (cut, bare), (cut + bare, None)):
        with pytest.raises(InputError, match=remedy):
            calibrate(stored, corpus, test)


@pytest.fixture
def noisy(dev: str, tmp_path: Path) -> str:
    """A corpus that lacks many mentions, so that a model of another is too sure of itself there."""
    path = tmp_path / "noisy.jsonl"
    documents = [json.loads(line) for line in Path(dev).read_text("utf-8").splitlines()]
    draw = random.Random(1)
    for document in documents:
        document["mentions"] = [mention for mention in document["mentions"] if draw.random() < 0.7]
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), "utf-8")
    return str(path)


@pytest.fixture
def several(tiny_path: Path, tmp_path: Path) -> str:
    """An ensemble of two models, of which one is surer than the other."""
    surer = load_model(tiny_path).tempered(dict.fromkeys(load_model(tiny_path).labels, 0.5))
    save_model(surer, tmp_path / "surer")
    save_ensemble(Ensemble.of([tiny_path, tmp_path / "surer"], [3, 1]), tmp_path / "several")
    return str(tmp_path / "several")


@pytest.mark.parametrize("kind", ["tiny_path", "several"])
def test_calibrating_again_changes_little(
    kind: str, noisy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    once = str(tmp_path / "once")
    first = calibrated(capsys, str(request.getfixturevalue(kind)), noisy, "-o", once)["temperatures"]
    again = calibrated(capsys, once, noisy)["temperatures"]
    assert max(first.values()) > 1.1, "too sure of itself"
    assert list(again.values()) == pytest.approx([1.0] * len(again), abs=0.2)


def test_an_ensemble_is_calibrated_as_a_whole(
    several: str, noisy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing, made = tmp_path / "reliability.svg", tmp_path / "made"
    told = calibrated(capsys, several, noisy, "-o", str(made), "--svg", str(drawing))
    assert drawing.read_text("utf-8").startswith("<svg")
    errors = told["calibration_error"]["corpus"]
    assert errors["after"] < errors["before"]
    before, after = fofe.load(several), fofe.load(made)
    assert [after.decoding.threshold] == [float(threshold) for threshold in told["threshold"]]
    document = before("Anna Berg met the mayor of Bergen.")
    one, other = (np.log(model.score(document).probabilities.astype(np.float64)) for model in (before, after))
    odds_before, odds_after = one[:, 1:] - one[:, :1], other[:, 1:] - other[:, :1]
    temperatures = [told["temperatures"][label] for label in before.labels[1:]]
    np.testing.assert_allclose(odds_after * temperatures, odds_before, rtol=1e-3, atol=1e-3)
    assert main(["model", "inspect", str(made)]) == 0
    assert "calibration  temperature " in capsys.readouterr().out
    (scores,) = told["threshold"].values()
    assert main(["evaluate", noisy, "--model", str(made), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["scores"]["overall"]
    assert found["f1"] == pytest.approx(scores["f1"], abs=1)


def test_the_threshold_of_a_calibrated_ensemble_replaces_those_of_its_conventions(
    conditioned_path: Path, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_ensemble(Ensemble.of([conditioned_path, conditioned_path]), tmp_path / "both")
    told = calibrated(capsys, str(tmp_path / "both"), dev, "--precision", "80", "-o", str(tmp_path / "made"))
    model = fofe.load(tmp_path / "made").with_options(scheme="names")
    assert [model.decoding.threshold] == [float(threshold) for threshold in told["threshold"]]


def test_what_is_no_model_is_not_replaced(
    several: str, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letters").mkdir()
    assert main(["model", "calibrate", several, dev, "-o", str(tmp_path / "letters")]) == 2
    assert "letters: exists and is not a model directory" in capsys.readouterr().err


def test_the_model_itself_is_not_replaced(several: str, dev: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "calibrate", several, dev, "-o", f"{several}/"]) == 2
    assert f"{several}/: is the model itself (choose another directory)" in capsys.readouterr().err
    assert not json.loads((Path(several) / "ensemble.json").read_text("utf-8"))["temperatures"]


@pytest.mark.parametrize(
    ("temperatures", "problem"),
    [
        ({"PER": 0}, "is not the description of an ensemble"),
        ({"PER": "warm"}, "is not the description of an ensemble"),
        ([1.5], "is not the description of an ensemble"),
        ({"CITY": 1.5}, "has temperatures of labels that its members lack: CITY"),
    ],
)
def test_temperatures_that_do_not_fit_are_an_error(several: str, temperatures: object, problem: str) -> None:
    file = Path(several) / "ensemble.json"
    table = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**table, "temperatures": temperatures}), "utf-8")
    with pytest.raises(ModelError, match=rf"ensemble\.json: {problem}"):
        fofe.load(several)


def test_a_wanted_precision_and_recall_are_reached(
    tiny_path: Path, dev: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for wanted in ("precision", "recall"):
        (scores,) = calibrated(capsys, str(tiny_path), dev, f"--{wanted}", "80")["threshold"].values()
        assert scores[wanted] >= 80
    assert main(["model", "calibrate", str(tiny_path), dev, "--recall", "100.1"]) == 2
    assert "the highest recall is" in capsys.readouterr().err


def test_a_share_of_one_is_not_taken_for_percent(dev: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["model", "calibrate", "model", dev, "--precision", "0.95"])
    assert "'0.95' is not in percent: give 95 for 95 %" in capsys.readouterr().err


def test_tables_and_a_drawing(
    tiny_path: Path, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "reliability.svg"
    assert main(["model", "calibrate", str(tiny_path), dev, "--svg", str(drawing)]) == 0
    shown = capsys.readouterr().out
    for part in ("temperature", "calibration error (%)", "mean score", "threshold"):
        assert part in shown
    assert drawing.read_text("utf-8").startswith("<svg")


def test_a_corpus_without_text_is_an_error(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"text": ""}\n', "utf-8")
    assert main(["model", "calibrate", str(tiny_path), str(empty)]) == 2
    assert "no text" in capsys.readouterr().err


def test_a_corpus_without_mentions_is_refused(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, output = tmp_path / "none.conll", tmp_path / "calibrated"
    corpus.write_text("Nothing O\nhere O\n\n", "utf-8")
    assert main(["model", "calibrate", str(tiny_path), str(corpus), "-o", str(output)]) == 2
    assert "has no mention to calibrate on (give annotated text)" in capsys.readouterr().err
    corpus.write_text("Soup B-DISH\nhere O\n\n", "utf-8")
    assert main(["model", "calibrate", str(tiny_path), str(corpus), "-o", str(output)]) == 2
    assert "has no mention to calibrate on (the labels of the model are" in capsys.readouterr().err
    assert not output.exists()


def test_other_labels_and_thresholds_are_pointed_out(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, corpus = tmp_path / "model", tmp_path / "few.conll"
    stored = load_model(tiny_path)
    save_model(replace(stored, decoding=replace(stored.decoding, thresholds={"PER": 0.9})), model)
    corpus.write_text("Anna B-PER\ncooked O\nsoup B-DISH\n\n", "utf-8")
    assert main(["model", "calibrate", str(model), str(corpus)]) == 0
    told = capsys.readouterr().err
    assert "few.conll has labels that the model lacks, whose mentions count as missed: DISH\n" in told
    assert "has no mention of labels of the model, which count as wrong: GPE, ORG, " in told
    assert "one threshold for all labels takes the place of those for: PER\n" in told


@pytest.mark.parametrize("other", ["--test", "CORPUS"])
def test_a_corpus_is_not_replaced_by_a_drawing(
    other: str, tiny_path: Path, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = shutil.copy(dev, tmp_path / "corpus.jsonl")
    read = [dev, "--test", corpus] if other == "--test" else [corpus]
    assert main(["model", "calibrate", str(tiny_path), *map(str, read), "--svg", str(corpus)]) == 2
    assert "corpus.jsonl: is the input itself" in capsys.readouterr().err


def test_scores_before_and_after_are_those_of_evaluate(
    tiny_path: Path, noisy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    careful = tmp_path / "careful"
    stored = load_model(tiny_path)
    own = replace(stored.decoding, thresholds=dict.fromkeys(stored.labels[1:], 0.99))
    save_model(replace(stored, decoding=own), careful)
    made = calibrated(capsys, str(careful), noisy, "-o", str(tmp_path / "made"))
    for model, when in ((careful, "before"), (tmp_path / "made", "after")):
        assert main(["evaluate", noisy, "--model", str(model), "--json"]) == 0
        overall = json.loads(capsys.readouterr().out)["scores"]["overall"]
        assert made["scores_corpus"][when]["f1"] == overall["f1"]
    assert made["scores_corpus"]["after"]["f1"] > made["scores_corpus"]["before"]["f1"]


def test_a_model_that_gets_worse_is_pointed_out(
    tiny_path: Path, dev: str, noisy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "calibrate", str(tiny_path), noisy, "--test", dev]) == 0
    assert "calibration made it worse (calibration error" in capsys.readouterr().err
    assert main(["model", "calibrate", str(tiny_path), noisy]) == 0
    assert "made it worse" not in capsys.readouterr().err
