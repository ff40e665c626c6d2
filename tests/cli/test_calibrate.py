"""`fofe calibrate`."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from fofe.cli import main
from fofe.model.storage import load_model


@pytest.fixture
def dev(tiny_config: Path) -> str:
    return str(tiny_config.parent / "dev.jsonl")


@pytest.fixture
def train(tiny_config: Path) -> str:
    return str(tiny_config.parent / "train.jsonl")


def calibrated(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["calibrate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_threshold_scores_what_evaluate_says(
    tiny_path: Path, dev: str, train: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = calibrated(capsys, str(tiny_path), dev, "--test", train, "-o", str(tmp_path / "made"))
    errors = made["calibration_error"]
    assert set(errors) == {"corpus", "test"}
    stored = load_model(tmp_path / "made")
    assert stored.training["calibration"]["ece_after"] == errors["corpus"]["after"]
    assert main(["inspect", str(tmp_path / "made")]) == 0
    assert "calibration" in capsys.readouterr().out
    (threshold,) = made["threshold"]
    assert stored.decoding.threshold == float(threshold)
    assert main(["evaluate", dev, "--model", str(tmp_path / "made"), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]["overall"]
    assert scores["f1"] == pytest.approx(made["threshold"][threshold]["f1"], abs=1)


def test_calibrating_again_changes_little(
    tiny_path: Path, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noisy = tmp_path / "noisy.jsonl"
    documents = [json.loads(line) for line in Path(dev).read_text("utf-8").splitlines()]
    draw = random.Random(1)
    for document in documents:
        document["mentions"] = [mention for mention in document["mentions"] if draw.random() < 0.7]
    noisy.write_text("".join(json.dumps(document) + "\n" for document in documents), "utf-8")
    once = str(tmp_path / "once")
    first = calibrated(capsys, str(tiny_path), str(noisy), "-o", once)["temperatures"]
    again = calibrated(capsys, once, str(noisy))["temperatures"]
    assert max(first.values()) > 1.1, "too sure of itself"
    assert list(again.values()) == pytest.approx([1.0] * len(again), abs=0.2)


def test_a_wanted_precision_and_recall_are_reached(
    tiny_path: Path, dev: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for wanted in ("precision", "recall"):
        (scores,) = calibrated(capsys, str(tiny_path), dev, f"--{wanted}", "80")["threshold"].values()
        assert scores[wanted] >= 80
    assert main(["calibrate", str(tiny_path), dev, "--recall", "100.1"]) == 2
    assert "the highest recall is" in capsys.readouterr().err


def test_a_share_of_one_is_not_taken_for_percent(dev: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["calibrate", "model", dev, "--precision", "0.95"])
    assert "'0.95' is not in percent: give 95 for 95 %" in capsys.readouterr().err


def test_tables_and_a_drawing(
    tiny_path: Path, dev: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "reliability.svg"
    assert main(["calibrate", str(tiny_path), dev, "--svg", str(drawing)]) == 0
    shown = capsys.readouterr().out
    for part in ("temperature", "calibration error (%)", "mean score", "threshold"):
        assert part in shown
    assert drawing.read_text("utf-8").startswith("<svg")


def test_a_corpus_without_text_is_an_error(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"text": ""}\n', "utf-8")
    assert main(["calibrate", str(tiny_path), str(empty)]) == 2
    assert "no text" in capsys.readouterr().err
