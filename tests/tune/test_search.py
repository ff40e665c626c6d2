"""Whole searches: to the end, cut off and gone on with, in processes, and past hopeless trials."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from optuna.distributions import FloatDistribution as Range

from fofe.base.errors import InputError
from fofe.base.files import lock
from fofe.cli import main
from fofe.training.config import load_config
from fofe.tune.search import JOURNAL, Search
from fofe.tune.space import Space, choices
from fofe.tune.trials import Trial, plot

SPACE: Space = {"training.rate": Range(0.005, 0.02), "model.hidden": choices([[8], [8, 8]])}


def search(config: Path, space: Space = SPACE, **changes: Any) -> Search:
    return Search(str(config), {}, space, str(config.parent / "search"), **changes)


def ignore(_: Trial) -> None:
    pass


def test_a_search_ends_with_a_configuration_that_trains(
    config_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = config_path.parent / "search"
    command = ["tune", str(config_path), "-o", str(folder), "--trials", "2", "--no-prune"]
    assert main(command) == 0
    printed = capsys.readouterr()
    header, *rows = [line.split("\t") for line in printed.out.splitlines()[:-1]]
    assert header[:3] == ["trial", "state", "dev_f1"]
    assert len(rows) == 2
    scores = [float(row[2]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    best = load_config(folder / "best.toml")
    assert str(list(best.model.hidden)) == rows[0][header.index("model.hidden")]
    assert best.training.batch == int(rows[0][header.index("training.batch")])
    assert (folder / "trials.tsv").read_text("utf-8") in printed.out
    assert (folder / "trials.svg").read_text("utf-8").count("<circle") == 2 * (len(header) - 3)
    assert main(["train", str(folder / "best.toml"), "-o", str(folder / "run")]) == 0
    assert main(command) == 0
    assert capsys.readouterr().out.count("complete") == 2, "what is done is not done again"


def test_a_killed_search_goes_on_where_it_was(config_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = config_path.parent / "search"
    command = ["tune", str(config_path), "-o", str(folder), "--no-prune"]
    command += ["--trials", "2", "--set", "training.epochs=12"]
    with subprocess.Popen([sys.executable, "-m", "fofe", *command], stderr=subprocess.PIPE) as process:
        while not list(folder.glob("trials/*/checkpoint.safetensors")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    (trial,) = (folder / "trials").iterdir()
    done_before = len((trial / "metrics.jsonl").read_text("utf-8").splitlines())
    assert 1 <= done_before < 6
    assert main(command) == 0
    assert capsys.readouterr().out.count("\tcomplete\t") == 2
    metrics = [json.loads(line) for line in (trial / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert [entry["epoch"] for entry in metrics] == list(range(1, len(metrics) + 1))
    assert len(metrics) >= 6, "the trial that was cut off was trained to its end"
    assert len(list((folder / "trials").iterdir())) == 2


def test_a_grid_is_gone_through_once_though_it_was_cut_off(config_path: Path) -> None:
    space: Space = {"training.batch": choices([16, 32]), "model.hidden": choices([[4], [8]])}
    grid = search(config_path, space, sampler="grid")
    Path(grid.folder).mkdir()
    cut_off = grid.open_study()
    cut_off.enqueue_trial({"training.batch": "16", "model.hidden": "[4]"})
    cut_off.ask()  # killed before a value was asked for
    trials = grid.run(100, 1, ignore)
    assert sorted((trial.values["training.batch"], *trial.values["model.hidden"]) for trial in trials) == [
        (16, 4),
        (16, 8),
        (32, 4),
        (32, 8),
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX locks")
def test_two_searches_cannot_share_a_directory(config_path: Path) -> None:
    folder = Path(search(config_path).folder)
    folder.mkdir()
    with lock(folder / JOURNAL, wait=False) as is_ours:
        assert is_ours
        with pytest.raises(InputError, match="under way"):
            search(config_path).run(1, 1, ignore)
    assert len(search(config_path).run(1, 1, ignore)) == 1


def test_processes_share_a_search(config_path: Path) -> None:
    heard: list[Trial] = []
    trials = search(config_path).run(2, 2, heard.append)
    assert len(trials) == 2
    assert {trial.number for trial in heard} == {trial.number for trial in trials}
    assert len({trial.values["training.rate"] for trial in trials}) == 2, "each draws values of its own"


def test_hopeless_trials_are_given_up(config_path: Path) -> None:
    """A rate of almost nothing learns nothing: once enough trials are known it is not trained to its end."""
    space: Space = {"training.rate": choices([0.05, 0.06, 0.07, 0.08, 1e-9])}
    overrides = {"training.epochs": 10}
    folder = str(config_path.parent / "search")
    trials = Search(str(config_path), overrides, space, folder, "random", seed=3).run(10, 1, ignore)
    late = [trial for trial in trials if trial.values["training.rate"] == 1e-9 and trial.number >= 5]
    assert late
    assert all(trial.state == "pruned" for trial in late)
    assert trials[0].state == "complete"


def test_another_space_needs_another_directory(config_path: Path) -> None:
    search(config_path).run(1, 1, ignore)
    with pytest.raises(InputError, match="another space"):
        search(config_path, {"training.rate": Range(1, 2)}).run(1, 1, ignore)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("[training.rte]\nlow = 0.01\nhigh = 0.1", r"unknown key 'training.rte' \(did you mean"),
        ("[training.dropout]\nlow = 0.1\nhigh = 2.5", "dropout is a share from 0 to below 1, not 2.5"),
        ("[training.batch]\nvalues = [16, 0]", "batch must be at least 1, not 0"),
        ("[training.epochs]\nlow = 1.0\nhigh = 4.0", "training.epochs must be a whole number, not 1.0"),
        ("[model.views.casd.dimension]\nvalues = [4]", "there is no table 'casd'"),
    ],
)
def test_a_slip_in_a_space_is_reported_before_anything_is_begun(
    config_path: Path, entry: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    space = config_path.parent / "space.toml"
    space.write_text(f"{entry}\n[training.rate]\nlow = 0.005\nhigh = 0.02\n", "utf-8")
    folder = config_path.parent / "search"
    command = ["tune", str(config_path), "-o", str(folder), "--space", str(space), "--trials", "1"]
    assert main(command) == 2
    assert re.search(f"{re.escape(str(space))}: .*{problem}", capsys.readouterr().err)
    assert not folder.exists()


def test_a_space_can_be_mended_in_the_same_directory(
    config_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = config_path.parent / "space.toml"
    folder = config_path.parent / "search"
    command = ["tune", str(config_path), "-o", str(folder), "--space", str(space), "--sampler", "grid"]
    space.write_text("[training.rate]\nlow = 0.01\nhigh = 0.02\n", "utf-8")
    assert main(command) == 2
    assert f"{space}: a grid needs values for training.rate" in capsys.readouterr().err
    space.write_text("[training.rate]\nvalues = [0.01]\n", "utf-8")
    assert main(command) == 0
    assert capsys.readouterr().out.count("complete") == 1


def test_values_may_be_possible_only_together(config_path: Path) -> None:
    space: Space = {
        "training.schedule": choices(["geometric"]),
        "training.final_rate": choices([0.1, 0.2]),
    }
    assert len(search(config_path, space).run(1, 1, ignore)) == 1


def test_a_trial_that_cannot_be_trained_is_reported(config_path: Path) -> None:
    (config_path.parent / "train.conll").write_text("x O\n", "utf-8")
    with pytest.raises(InputError, match="no labelled mention"):
        search(config_path).run(1, 1, ignore)


def test_plots_of_few_trials_are_whole() -> None:
    assert "<circle" not in plot([])
    one = [Trial(0, {"a": 1, "b": [2]}, 50.0, "complete"), Trial(1, {"a": 1, "b": [3]}, None, "failed")]
    assert plot(one).count("<circle") == 2
