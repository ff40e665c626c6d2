"""The record of benchmarks: only from committed code, and with a commit for each seed."""

from __future__ import annotations

import importlib
import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fofe.base.errors import FofeError

ROOT = Path(__file__).resolve().parent.parent
CODE = ("src/fofe/__init__.py", "benchmarks/best.py", "configs/default.toml", "models/en/src/fofe_en/weights")


@dataclass(frozen=True)
class Checkout:
    """A repository of its own, with the module that records in it."""

    folder: Path
    record: ModuleType
    restart: Callable[[], None]
    """Forget what the module found when it started."""

    def change(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        self.restart()

    def commit(self) -> str:
        """Commit everything; the commit, as records name it."""
        self.git("add", "--all")
        self.git("commit", "--allow-empty", "--message", "change")
        self.restart()
        return self.git("rev-parse", "--short=12", "HEAD").strip()

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=Anna", "-c", "user.email=anna@example.org"]
        command = ["git", *who, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def results(self) -> list[dict[str, Any]]:
        lines = (self.folder / "benchmarks" / "results.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    record = importlib.import_module("_record")
    for name, path in (("ROOT", "."), ("RESULTS", "benchmarks/results.jsonl"), ("RUNS", "runs")):
        monkeypatch.setattr(record, name, (tmp_path / path).resolve())
    monkeypatch.setattr(record.fofe, "__file__", str(tmp_path / CODE[0]))

    def restart() -> None:
        record.commit.cache_clear()
        record.why_not_recorded.cache_clear()

    made = Checkout(tmp_path, record, restart)
    made.git("init", "--quiet")
    for file in (*CODE, "benchmarks/results.jsonl"):
        made.change(file, "")
    made.change(".gitignore", "runs/\n")
    made.commit()
    return made


def test_a_result_names_its_commit(checkout: Checkout) -> None:
    first = checkout.commit()
    checkout.record.record("speed", {"f1": 90.0}, "python benchmarks/speed.py")
    second = checkout.commit()
    for f1 in (90.0, 90.0, 91.0):
        checkout.record.record("speed", {"f1": f1}, "python benchmarks/speed.py")
    found = [(entry["metrics"]["f1"], entry["commit"]) for entry in checkout.results()]
    assert found == [(90.0, first), (90.0, second), (91.0, second)], "the same once for each commit"


@pytest.mark.parametrize("file", [*CODE, "src/fofe/new module.py", "configs/näher.toml"])
def test_uncommitted_code_is_refused(checkout: Checkout, file: str) -> None:
    checkout.change(file, "changed")
    refused = rf"not recorded: uncommitted changes in {file} \(commit them"
    with pytest.raises(FofeError, match=refused):
        checkout.record.record("speed", {"f1": 90.0}, "speed.py")
    with pytest.raises(FofeError, match=refused):
        checkout.record.record_seed("gum", 1, {"f1": 90.0}, "gum.py --seed SEED")
    assert checkout.results() == []
    checkout.commit()
    checkout.record.record("speed", {"f1": 90.0}, "speed.py")
    assert len(checkout.results()) == 1


def test_code_that_is_removed_or_renamed_is_refused(checkout: Checkout) -> None:
    checkout.git("mv", "benchmarks/best.py", "benchmarks/better.py")
    checkout.restart()
    with pytest.raises(FofeError, match=r"in benchmarks/best.py, benchmarks/better.py \("):
        checkout.record.record("speed", {"f1": 90.0}, "speed.py")


@pytest.mark.parametrize(
    "file",
    [
        "benchmarks/results.jsonl",
        "benchmarks/speed.svg",
        "benchmarks/speed.md",
        "models/en/README.md",
        "README.md",
    ],
)
def test_what_no_result_depends_on_may_be_changed(checkout: Checkout, file: str) -> None:
    checkout.change(file, "")
    checkout.change("docs/page.md", "changed")
    checkout.record.record("speed", {"f1": 90.0}, "speed.py")
    assert len(checkout.results()) == 1


def test_code_that_changes_after_the_start_is_of_no_account(checkout: Checkout) -> None:
    started = checkout.commit()
    assert checkout.record.why_not_recorded() == ""
    (checkout.folder / CODE[0]).write_text("changed", "utf-8")
    checkout.record.record("speed", {"f1": 90.0}, "speed.py")
    assert checkout.results()[0]["commit"] == started


def test_an_installed_copy_is_refused(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout.record.fofe, "__file__", "/site-packages/fofe/__init__.py")
    with pytest.raises(FofeError, match="fofe is imported from /site-packages/fofe, not from"):
        checkout.record.record("speed", {"f1": 90.0}, "speed.py")


def test_without_a_repository_nothing_is_recorded(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").rename(tmp_path / "git")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    checkout.restart()
    checkout.record.as_command(lambda: print("ran"))
    printed = capsys.readouterr()
    assert printed.out == "ran\n"
    assert f"nothing will be recorded: {tmp_path} is not a git checkout" in printed.err


def test_each_seed_has_its_commit(checkout: Checkout) -> None:
    def run(seed: int, f1: float) -> None:
        checkout.record.record_seed("gum", seed, {"f1": f1}, "gum.py --seed SEED", {"rate": 0.1})

    first = checkout.commit()
    run(2, 60.0)
    run(1, 61.0)
    second = checkout.commit()
    run(3, 62.0)
    run(2, 63.0)
    (entry,) = checkout.results()
    assert entry["metrics"] == {"seed": [1, 2, 3], "f1": [61.0, 63.0, 62.0]}
    assert entry["commit"] == [first, second, second]


def test_seeds_are_joined_with_a_record_that_names_one_commit_for_all(checkout: Checkout) -> None:
    old = {
        "benchmark": "gum",
        "metrics": {"seed": [1, 2], "f1": [60.0, 61.0]},
        "command": "gum.py --seed SEED",
        "commit": "0123456789ab",
        "date": "2026-01-31",
    }
    checkout.change("benchmarks/results.jsonl", json.dumps(old) + "\n")
    checkout.record.record_seed("gum", 3, {"f1": 62.0}, "gum.py --seed SEED")
    (entry,) = checkout.results()
    assert entry["metrics"] == {"seed": [1, 2, 3], "f1": [60.0, 61.0, 62.0]}
    assert entry["commit"] == ["0123456789ab", "0123456789ab", checkout.record.commit()]


def test_other_settings_and_other_metrics_are_records_of_their_own(checkout: Checkout) -> None:
    checkout.record.record_seed("gum", 1, {"f1": 60.0}, "gum.py --seed SEED", {"rate": 0.1})
    checkout.record.record_seed("gum", 1, {"f1": 61.0}, "gum.py --seed SEED", {"rate": 0.2})
    checkout.record.record_seed("gum", 2, {"dev_f1": 62.0}, "gum.py --seed SEED", {"rate": 0.2})
    found = [entry["metrics"] for entry in checkout.results()]
    assert found == [
        {"seed": [1], "f1": [60.0]},
        {"seed": [1], "f1": [61.0]},
        {"seed": [2], "dev_f1": [62.0]},
    ]
