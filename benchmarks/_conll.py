"""Studies on CoNLL-2003: many trained models of which only the scores are kept, each trained once."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from _record import HERE, RUNS, shared
from _resources import with_resources

from fofe.base.files import write_atomically
from fofe.cli._io import TerminalCallback
from fofe.formats import Report, read_corpus
from fofe.model.engine import Engine
from fofe.model.storage import StoredModel, load_model
from fofe.training.annotation import labelled_sentences
from fofe.training.config import DecodingConfig, RunConfig, load_config
from fofe.training.run import train
from fofe.training.scoring import Tuned, score_corpus, tune

CONFIGS = HERE.parent / "configs"
FAST = {"training.epochs": 12, "training.evaluate_every": 4}
SMOKE_LINES = 3000
STUDIES = RUNS / "studies"


@dataclass(frozen=True)
class Outcome:
    """The scores of a trained model, in percent, as precision, recall and F1."""

    dev: tuple[float, float, float]
    test: tuple[float, float, float] | None
    cpu_minutes: float
    epochs: int


def study(
    name: str,
    config: Path,
    changes: dict[str, Any],
    command: str,
    *,
    test: bool = False,
    smoke: bool = False,
    whole: RunConfig | None = None,
) -> Outcome:
    """Train a model, or go on with it, or look up what came of it.

    Args:
        name: of the model's directory under runs/studies.
        config: a configuration.
        changes: what replaces its values.
        command: what the model's card gives as the command.
        test: whether the test set is scored too, once, at the end.
        smoke: a few sentences and one epoch, to see whether it runs at all.
        whole: the configuration itself, where changes by key do not reach.
    """
    folder = STUDIES / (f"smoke-{name}" if smoke else name)
    result = folder / "result.json"
    if not result.exists():
        settings = whole or load_config(config, changes)
        model = train(
            on_conll(settings, test=test, smoke=smoke),
            folder,
            TerminalCallback(sys.stderr),
            command=command,
            resume=True,
        )
        _write_outcome(result, load_model(model).training)
        _drop_weights(folder)
    return read_outcome(result)


def score_on_conll(model: StoredModel, result: Path, *, smoke: bool = False) -> None:
    """Choose threshold and strategy on testa alone, score testb with them, and write down both."""
    dev = tuned_on(model, "testa", DecodingConfig(), smoke=smoke)
    chosen = DecodingConfig(False, (dev.strategy,), (dev.threshold,))
    test = tuned_on(model, "testb", chosen, smoke=smoke)
    _write_outcome(result, {**model.training, "dev": asdict(dev), "test": asdict(test)})


def tuned_on(model: StoredModel, part: str, config: DecodingConfig, *, smoke: bool = False) -> Tuned:
    """The best way to decode a part of CoNLL-2003, for a model that has its labels.

    The training of several corpora chooses by the mean over all dev sets, each in the labels of its corpus.
    """
    file = shared("data", "conll2003", f"eng.{part}")
    sentences = labelled_sentences(read_corpus(beginning(file) if smoke else file, "conll"), Report())
    engine = Engine(model.config, model.encoder, model.weights)
    return tune(
        [
            score_corpus(
                part,
                engine,
                sentences,
                model.labels,
                min(config.thresholds),
                agreements=config.agreements,
            )
        ],
        config,
    )


def _write_outcome(result: Path, training: dict[str, Any]) -> None:
    kept = ("dev", "test", "cpu_seconds", "epochs")
    with write_atomically(result) as stream:
        stream.write(json.dumps({key: training[key] for key in kept if key in training}))


def read_outcome(result: Path) -> Outcome:
    """What came of a model."""
    return outcome_of(json.loads(result.read_text("utf-8")))


def outcome_of(training: Mapping[str, Any]) -> Outcome:
    """The scores in what a model records of its training."""
    return Outcome(
        _scores(training["dev"]),
        _scores(training["test"]) if "test" in training else None,
        training["cpu_seconds"] / 60,
        training["epochs"],
    )


def _scores(found: dict[str, Any]) -> tuple[float, float, float]:
    return found["precision"], found["recall"], found["f1"]


def _drop_weights(folder: Path) -> None:
    """A study wants the scores; the weights of all its models would fill the disk."""
    shutil.rmtree(folder / "model", ignore_errors=True)
    for path in folder.glob("*.safetensors"):
        path.unlink()


def on_conll(config: RunConfig, *, test: bool, smoke: bool) -> RunConfig:
    """The configuration with the corpora and vectors beside the project."""
    files = [shared("data", "conll2003", f"eng.{part}") for part in ("train", "testa", "testb")]
    if smoke:
        files = [beginning(file) for file in files]
    assert config.data is not None, "the configurations of these studies have one corpus"
    data = replace(
        config.data, train=(str(files[0]),), dev=str(files[1]), test=str(files[2]) if test else None
    )
    training = replace(config.training, epochs=1) if smoke else config.training
    return replace(
        config,
        data=data,
        model=with_resources(config.model),
        training=training,
        gate=replace(config.gate, enabled=False),
    )


def beginning(file: Path) -> Path:
    """The first lines of a corpus, up to the end of a sentence."""
    lines = file.read_text("utf-8").splitlines()[:SMOKE_LINES]
    while lines and lines[-1].strip():
        lines.pop()
    target = STUDIES / f"beginning-of-{file.name}"
    STUDIES.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n", "utf-8")
    return target
