"""Whole runs on a tiny corpus: they learn, they repeat, and they go on after being killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fofe
from fofe.base.errors import FofeError, InputError, ModelError
from fofe.cli import main
from fofe.features.language_models_torch import multiplies_bfloat16
from fofe.model.storage import StoredModel, load_model
from fofe.tagging.model import load
from fofe.training.callback import Callback
from fofe.training.config import RunConfig, load_config
from fofe.training.run import Run, train


class Recorder(Callback):
    """Keeps every report."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.epochs: list[dict[str, Any]] = []
        self.losses: list[float] = []

    def step(self, loss: float) -> None:
        self.losses.append(loss)

    def end_epoch(self, metrics: dict[str, Any]) -> None:
        self.epochs.append(metrics)

    def say(self, line: str) -> None:
        self.lines.append(line)


def configured(path: Path, **overrides: Any) -> RunConfig:
    """A configuration with changes, and without a gate unless they say so: fitting one takes a while."""
    changes = {name.replace("__", "."): value for name, value in overrides.items()}
    return load_config(path, {"gate.enabled": False, **changes})


def trained(config: RunConfig, folder: Path, **options: Any) -> StoredModel:
    return load_model(train(config, folder, Recorder(), command="test", **options))


def metrics_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]


def weights_file(folder: Path) -> bytes:
    return (folder / "model" / "model.safetensors").read_bytes()


def test_a_run_learns(tiny_run: Path) -> None:
    metrics = metrics_of(tiny_run)
    assert [line["epoch"] for line in metrics] == list(range(1, 9))
    assert metrics[-1]["loss"] < metrics[0]["loss"] / 5
    assert ["dev_f1" in line for line in metrics] == [False, True] * 4
    assert max(line.get("dev_f1", 0) for line in metrics) > 90


def test_a_run_leaves_a_model_that_explains_itself(tiny_run: Path) -> None:
    model = load_model(tiny_run / "model")
    best = max(metrics_of(tiny_run), key=lambda line: line.get("dev_f1", 0))
    assert model.training["dev"]["f1"] == pytest.approx(best["dev_f1"], abs=0.01)
    assert model.training["best_epoch"] == best["epoch"]
    assert model.decoding.nested
    assert model.decoding.strategy in ("highest-first", "non-crossing")
    card = (tiny_run / "README.md").read_text("utf-8")
    assert 'fofe.load("PATH OF THIS DIRECTORY")' in model.card
    assert card == model.card.replace("DIRECTORY", "DIRECTORY/model")  # it lies in the run's directory
    assert "| train | train.jsonl | 120 |" in card
    assert "| test |" not in card
    assert f"F1 {best['dev_f1']:.2f}" in card


def test_the_same_seed_gives_the_same_bits(tiny_config: Path, tmp_path: Path) -> None:
    config = configured(tiny_config, training__epochs=2, gate__enabled=True)
    one, other = trained(config, tmp_path / "one"), trained(config, tmp_path / "other")
    for name, array in one.weights.items():
        assert np.array_equal(array, other.weights[name]), name
    assert weights_file(tmp_path / "one") == weights_file(tmp_path / "other")
    different = trained(configured(tiny_config, training__epochs=2, training__seed=2), tmp_path / "different")
    assert not np.array_equal(different.weights["layers.0.weight"], one.weights["layers.0.weight"])


@pytest.mark.parametrize(
    "overrides",
    [
        {
            "training__optimiser": "sgd",
            "training__schedule": "geometric",
            "training__final_rate": 0.0625,
            "training__rate": 0.2,
            "training__average": 0.0,
            "training__final_dropout": 0.0,
        },
        {"model__factor": 0.7},
        {"model__surroundings": "cased", "decoding__agreements": [0.0, 1.0]},
    ],
    ids=["sgd", "factor", "surroundings"],
)
def test_other_settings_learn_too_and_can_be_resumed(
    overrides: dict[str, Any], tiny_config: Path, tmp_path: Path
) -> None:
    config = configured(tiny_config, training__epochs=4, **overrides)
    recorder = Recorder()
    whole = Run(config, tmp_path / "whole", recorder, command="test")
    whole.train()
    assert recorder.epochs[-1]["loss"] < recorder.epochs[0]["loss"] / 2
    if config.training.optimiser == "sgd":
        rates = [group["lr"] for group in whole.setup.learner.optimiser.param_groups]
        assert rates == pytest.approx([0.2 / 16] * 2), "the last epoch runs at a sixteenth of the first rate"
    cut = Run(config, tmp_path / "cut", Interrupting(2), command="test")
    with pytest.raises(KeyboardInterrupt):
        cut.train()
    trained(config, tmp_path / "cut", resume=True)
    assert weights_file(tmp_path / "cut") == weights_file(tmp_path / "whole")


class Interrupting(Recorder):
    """Interrupts a run in the middle of an epoch."""

    def __init__(self, epoch: int) -> None:
        super().__init__()
        self._epoch = epoch

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None:
        self._now = epoch
        self._steps = 0

    def step(self, loss: float) -> None:
        self._steps += 1
        if self._now == self._epoch and self._steps == 3:
            raise KeyboardInterrupt


def test_a_run_that_diverges_ends_without_a_model(tiny_config: Path, tmp_path: Path) -> None:
    config = configured(tiny_config, training__rate=1e30, training__epochs=3)
    with pytest.raises(FofeError, match=r"the loss of epoch \d is nan: training has diverged \(lower"):
        train(config, tmp_path / "run", Recorder(), command="test")
    assert not (tmp_path / "run" / "model").exists()
    assert all("NaN" not in json.dumps(epoch) for epoch in metrics_of(tmp_path / "run"))


def test_clipped_gradients_keep_a_high_rate_from_diverging(tiny_config: Path, tmp_path: Path) -> None:
    settings = {"training__optimiser": "sgd", "training__rate": 1e6, "training__epochs": 2}
    with pytest.raises(FofeError, match="diverged"):
        train(configured(tiny_config, **settings), tmp_path / "free", Recorder())
    train(configured(tiny_config, **settings, training__clip=1e-7), tmp_path / "clipped", Recorder())
    assert np.isfinite(metrics_of(tmp_path / "clipped")[0]["loss"])


def test_patience_ends_a_run_that_gets_no_better(tiny_config: Path, tmp_path: Path) -> None:
    config = configured(
        tiny_config, training__epochs=9, training__rate=0.0, training__word_rate=0.0,
        training__evaluate_every=1, training__patience=2,
    )  # fmt: skip
    trained(config, tmp_path / "run")
    assert len(metrics_of(tmp_path / "run")) == 3


def test_dev_is_scored_from_a_given_epoch_on(tiny_config: Path, tmp_path: Path) -> None:
    config = configured(
        tiny_config, training__epochs=5, training__evaluate_every=1, training__evaluate_from=4
    )  # fmt: skip
    trained(config, tmp_path / "run")
    assert ["dev_f1" in epoch for epoch in metrics_of(tmp_path / "run")] == [False] * 3 + [True] * 2


def test_a_corpus_without_dev_is_scored_on_what_was_held_out(tiny_config: Path, tmp_path: Path) -> None:
    text = tiny_config.read_text("utf-8").replace('dev = "dev.jsonl"\n', "")
    path = tiny_config.with_name("split.toml")
    path.write_text(text, encoding="utf-8")
    model = trained(configured(path, training__epochs=2), tmp_path / "run")
    assert set(model.training["test"]) >= {"precision", "recall", "f1"}
    assert "| dev | held out from train | 6 |" in model.card
    assert "| test | held out from train | 6 |" in model.card
    assert "Test: P " in model.card


def test_where_dev_tells_nothing_the_last_epoch_is_kept_and_the_user_warned(
    tiny_config: Path, tmp_path: Path
) -> None:
    (dev := tmp_path / "dev.jsonl").write_text('{"text": "Zz", "mentions": [[0, 2, "ODD"]]}\n', "utf-8")
    config = configured(tiny_config, data__dev=str(dev), training__epochs=3, training__evaluate_every=1)
    recorder = Recorder()
    model = load_model(train(config, tmp_path / "run", recorder))
    assert (model.training["dev"]["f1"], model.training["best_epoch"]) == (0, 3)
    assert recorder.lines[-1].startswith("no dev mention was found, so the last epoch is kept")
    assert "(give more data" in recorder.lines[-1]


def test_training_on_from_a_model_adds_new_types(tiny_path: Path, tiny_config: Path, tmp_path: Path) -> None:
    lines = [
        f'{{"text": "{word} Zog hit {place}.", "mentions": [[0, {len(word) + 4}, "STORM"], '
        f'[{len(word) + 9}, {len(word) + 9 + len(place)}, "GPE"]]}}\n'
        for word in ("Storm", "Cyclone")
        for place in ("Lima", "Porto", "Leeds")
    ]
    (tmp_path / "storms.jsonl").write_text("".join(lines) * 8, encoding="utf-8")
    (tmp_path / "storms.toml").write_text(
        '[data]\ntrain = ["storms.jsonl"]\ndev = "storms.jsonl"\n'
        "[training]\nepochs = 4\nbatch = 16\nrate = 0.01\naverage = 0.9\n[decoding]\nnested = true\n",
        encoding="utf-8",
    )
    folder = tmp_path / "run"
    assert (
        main(
            ["train", str(tmp_path / "storms.toml"), "-o", str(folder), "--from", str(tiny_path), "--forget"]
        )
        == 0
    )
    model = load(folder / "model")
    assert model.labels == ("NONE", "GPE", "ORG", "ORG_NOM", "PER", "PER_NOM", "STORM")
    assert model.config == load_model(tiny_path).config, "features and layers are those of the start"
    document = model("Storm Zog hit Porto.")
    assert [(mention.text, mention.type) for mention in document.mentions] == [
        ("Storm Zog", "STORM"),
        ("Porto", "GPE"),
    ]


TWO_CORPORA = """
[[corpus]]
name = "everything"
train = ["train.jsonl"]
dev = "dev.jsonl"
test = "dev.jsonl"
share = 0.7

[[corpus]]
name = "names"
train = ["names.jsonl"]
dev = "names.jsonl"
kinds = ["NAM"]
nested = false
labels = { THING = ["ORG", "GPE"] }
weight = 0.5
"""


@pytest.fixture
def two_corpora(tiny_config: Path, tmp_path: Path) -> Path:
    """Two corpora: the second has names only, flat, and one type for places and companies."""
    lines = []
    for part in ("train", "dev"):
        shutil.copy(tiny_config.with_name(f"{part}.jsonl"), tmp_path)
    for line in (tmp_path / "train.jsonl").read_text("utf-8").splitlines()[:60]:
        document = json.loads(line)
        outer = [
            one
            for one in document["mentions"]
            if not one["type"].endswith("_NOM")
            and not any(
                other["start"] <= one["start"] and one["end"] <= other["end"] and other is not one
                for other in document["mentions"]
            )
        ]
        for mention in outer:
            mention["type"] = "PER" if mention["type"] == "PER" else "THING"
        lines.append(json.dumps({**document, "mentions": outer}) + "\n")
    (tmp_path / "names.jsonl").write_text("".join(lines), encoding="utf-8")
    text = tiny_config.read_text("utf-8").partition("[model]")
    path = tmp_path / "two.toml"
    path.write_text(TWO_CORPORA + "".join(text[1:]), encoding="utf-8")
    return path


def test_one_model_from_two_corpora(two_corpora: Path, tmp_path: Path) -> None:
    config = configured(two_corpora, training__epochs=6)
    model = trained(config, tmp_path / "whole")
    assert model.labels == ("NONE", "GPE", "ORG", "ORG_NOM", "PER", "PER_NOM")
    last = metrics_of(tmp_path / "whole")[-1]
    assert last["dev_f1"] == pytest.approx((last["dev_f1_everything"] + last["dev_f1_names"]) / 2, abs=0.01)
    assert last["dev_f1_names"] > 80, "it tells things from people, by two labels together"
    assert last["dev_f1_everything"] > 80
    scores = model.training["scores"]
    assert list(scores["dev"]) == ["everything", "names"]
    assert list(scores["test"]) == ["everything"]
    assert scores["test"]["everything"]["nominals"]["tp"] > 0
    assert set(scores["dev"]["names"]["labels"]) == {"PER", "THING"}
    assert model.training["corpora"]["names"]["labels"] == {"PER": ["PER"], "THING": ["GPE", "ORG"]}
    assert "| names: train | names.jsonl | 60 |" in model.card
    assert "- names: dev F1 " in model.card
    cut = Run(config, tmp_path / "cut", Interrupting(3), command="test")
    with pytest.raises(KeyboardInterrupt):
        cut.train()
    trained(config, tmp_path / "cut", resume=True)
    assert weights_file(tmp_path / "cut") == weights_file(tmp_path / "whole")


def test_half_precision_only_where_the_processor_has_it(tiny_config: Path, tmp_path: Path) -> None:
    """Elsewhere it would be imitated, and slow."""
    for precision in ("float32", "bfloat16"):
        settings = {"training__epochs": 1, "training__precision": precision}
        trained(configured(tiny_config, **settings), tmp_path / precision)
    same = weights_file(tmp_path / "float32") == weights_file(tmp_path / "bfloat16")
    assert same != multiplies_bfloat16(torch.device("cpu"))


def test_resuming_with_another_configuration_is_refused(tiny_config: Path, tiny_run: Path) -> None:
    config = configured(tiny_config, training__seed=5)
    with pytest.raises(ModelError, match=r"run with other settings: .*training\.seed = 1, here 5"):
        train(config, tiny_run, Recorder(), command="test", resume=True)


def test_resuming_with_other_data_is_refused(tiny_config: Path, tmp_path: Path) -> None:
    """The settings are the same, but not what the file holds that they name."""
    corpus = Path(shutil.copy(tiny_config.parent / "train.jsonl", tmp_path))
    config = configured(tiny_config, data__train=[str(corpus)], training__epochs=1)
    trained(config, tmp_path / "run")
    corpus.write_text("".join(corpus.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    with pytest.raises(ModelError, match=r"run with other data, or another start or version of fofe \("):
        trained(config, tmp_path / "run", resume=True)


def test_resuming_a_finished_run_changes_nothing(tiny_config: Path, tiny_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(tiny_run, tmp_path / "run")  # the command in its card changes
    recorder = Recorder()
    train(load_config(tiny_config), run, recorder, command="test", resume=True)
    assert weights_file(run) == weights_file(tiny_run)
    assert "resuming after epoch 8" in recorder.lines
    assert len(metrics_of(run)) == 8


def test_what_the_model_could_not_replace_is_refused_before_training(
    tiny_config: Path, tmp_path: Path
) -> None:
    (tmp_path / "model").mkdir()
    recorder = Recorder()
    with pytest.raises(InputError, match="exists and is not a model directory"):
        train(load_config(tiny_config), tmp_path, recorder, command="test")
    assert recorder.lines == []


def test_an_earlier_run_is_not_overwritten(tiny_config: Path, tiny_run: Path) -> None:
    before = weights_file(tiny_run)
    with pytest.raises(InputError, match=r"run: holds an earlier run \(resume it by --resume"):
        train(load_config(tiny_config), tiny_run, Recorder(), command="test")
    assert weights_file(tiny_run) == before


def test_a_broken_checkpoint_is_refused(tiny_config: Path, tmp_path: Path) -> None:
    config = configured(tiny_config, training__epochs=1)
    trained(config, tmp_path / "run")
    checkpoint = tmp_path / "run" / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:5000])
    with pytest.raises(InputError, match=r"checkpoint\.safetensors: is broken"):
        train(config, tmp_path / "run", Recorder(), command="test", resume=True)


def test_a_directory_that_cannot_be_made(tiny_config: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="file: cannot be written"):
        train(load_config(tiny_config), tmp_path / "file", Recorder(), command="test")


SLOW = ("--set", "training.epochs=4", "--set", "training.batch=16", "--set", "training.evaluate_every=1")


def kill_when(arguments: list[str], ready: Callable[[], bool], delay: float) -> None:
    """Start `fofe train` in a process of its own and kill it some seconds after it is ready for that."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fofe", "train", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not ready() and process.poll() is None:
        time.sleep(0.005)
    time.sleep(delay)
    process.kill()
    assert process.wait() == -signal.SIGKILL, "it must not have come to its end by itself"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_a_killed_run_ends_with_the_same_bits(tiny_config: Path, tmp_path: Path) -> None:
    assert main(["train", str(tiny_config), "-o", str(tmp_path / "whole"), *SLOW]) == 0
    folder = tmp_path / "killed"
    arguments = [str(tiny_config), "-o", str(folder), *SLOW]

    def noted(epochs: int) -> Callable[[], bool]:
        path = folder / "metrics.jsonl"
        return lambda: path.exists() and len(path.read_text("utf-8").splitlines()) >= epochs

    kill_when(arguments, noted(1), delay=0)  # as its first epoch ends
    kill_when([*arguments, "--resume"], noted(2), delay=0.05)  # in the middle of a later one
    assert main(["train", *arguments, "--resume"]) == 0
    assert weights_file(folder) == weights_file(tmp_path / "whole")
    lines, whole = metrics_of(folder), metrics_of(tmp_path / "whole")
    for line in [*lines, *whole]:
        line.pop("cpu_minutes")
    assert lines == whole


def test_an_ensemble_is_trained_and_resumed(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run"
    quick = ["--set", "training.epochs=2", "--set", "gate.enabled=false"]
    command = ["train", str(tiny_config), "-o", str(output), "--folds", "2", *quick]
    assert main(command) == 0
    assert capsys.readouterr().out == f"{output / 'model'}\n"
    first, second = (load_model(output / f"fold-{number}" / "model") for number in (1, 2))
    assert (first.weights["layers.0.weight"] != second.weights["layers.0.weight"]).any()
    model = fofe.load(output / "model")
    assert model.labels == first.labels
    assert main(command) == 2
    before = (output / "fold-1" / "model" / "config.json").stat().st_mtime_ns
    assert main([*command, "--resume"]) == 0
    assert (output / "fold-1" / "model" / "config.json").stat().st_mtime_ns == before
    assert main([*command[:4], "--folds", "1"]) == 2


def test_threads_wait_passively_unless_set_otherwise() -> None:
    script = (
        "import os, sys, fofe.training; assert 'torch' not in sys.modules; "
        "print(os.environ['OMP_WAIT_POLICY'], os.environ['KMP_BLOCKTIME'])"
    )
    names = ("OMP_WAIT_POLICY", "KMP_BLOCKTIME")
    given = {name: value for name, value in os.environ.items() if name not in names}
    for environment, expected in ((given, "PASSIVE 0"), ({**given, "OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE 0")):
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected


def test_train_from_the_package_loads_the_model(tiny_config: Path, tmp_path: Path) -> None:
    model = fofe.train(tiny_config, tmp_path / "run", {"training.epochs": 1, "gate.enabled": False})
    assert model.path == tmp_path / "run" / "model"
    assert model.training["epochs"] == 1
    assert isinstance(model("Anna Berg left."), fofe.Document)
    with pytest.raises(FofeError, match="in Python by resume=True"):
        fofe.train(tiny_config, tmp_path / "run")
    config = load_config(tiny_config)
    with pytest.raises(FofeError, match="settings replace those of a file"):
        fofe.train(config, tmp_path / "other", {"training.epochs": 1})


def test_train_takes_paths(tiny_config: Path, tmp_path: Path) -> None:
    for config, folder in ((None, tmp_path), (tiny_config, None), (3, tmp_path)):
        with pytest.raises(FofeError, match="is a path, not of type"):
            fofe.train(config, folder)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"callback": print}, "a callback is a fofe.training.callback.Callback, not of type builtin"),
        ({"settings": ["training.epochs=1"]}, "settings are a dictionary .*, not of type list"),
        ({"start": 3}, "the model to start from is a path or a name, not of type int"),
    ],
)
def test_train_refuses_options_of_another_type(
    wrong: dict[str, Any], message: str, tiny_config: Path, tmp_path: Path
) -> None:
    with pytest.raises(FofeError, match=message):
        fofe.train(tiny_config, tmp_path / "run", **wrong)
