"""Recorded results: `benchmarks/results.jsonl`, one object a line.

A record names the commit whose code gave it, one for each seed. So nothing is recorded from code that is part
of no commit. Records are written here alone, never by hand.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields, is_dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import fofe
from fofe.base.errors import FofeError
from fofe.base.files import lock, write_atomically

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = HERE / "results.jsonl"
SHARED = ROOT.parent / "shared"
RUNS = ROOT / "runs"

RECORDED_CODE = ("src", "benchmarks", "configs", "models")
"""Where a change can change a result."""
GENERATED = ("benchmarks/results.jsonl", "benchmarks/*.svg", "benchmarks/*.md", "models/*.md")
"""What the scripts write themselves, and no result depends on."""

Metrics = dict[str, Any]
Entry = dict[str, Any]


def shared(*parts: str) -> Path:
    """A file of the corpora and vectors beside the project; if it is missing, the program ends."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise SystemExit(f"skipped: {path} is missing (see benchmarks/README.md for what it is)")
    return path


def as_command(main: Callable[[], None]) -> None:
    """Run a benchmark as a command: errors that its caller can act on come without a traceback."""
    if reason := why_not_recorded():
        print(f"nothing will be recorded: {reason}", file=sys.stderr)
    try:
        main()
    except FofeError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("\ninterrupted; run the same command again to continue", file=sys.stderr)
        sys.exit(130)


def on_one_thread() -> None:
    """Start this program anew with one thread for every BLAS, which they read when they are loaded."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    if any(os.environ.get(name) != "1" for name in names):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | dict.fromkeys(names, "1"))


def read_results() -> list[Entry]:
    """All records, oldest first."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines() if line.strip()]


@cache
def commit() -> str:
    """The commit of the code that runs, as it was when the program started: others may follow."""
    return _git("rev-parse", "--short=12", "HEAD").strip()


@cache
def why_not_recorded() -> str:
    """Why the results of this program cannot be recorded, or nothing; found when the program starts."""
    try:
        commit()
        changed = _uncommitted()
    except (OSError, subprocess.CalledProcessError):
        return f"{ROOT} is not a git checkout (clone the repository, then run again)"
    if changed:
        return f"uncommitted changes in {', '.join(changed[:3])} (commit them, then run again)"
    imported = Path(fofe.__file__).resolve()
    if not imported.is_relative_to(ROOT / "src"):
        return f"fofe is imported from {imported.parent}, not from {ROOT / 'src'} (pip install -e .)"
    return ""


def _uncommitted() -> list[str]:
    """Files with changes that are part of what runs, but of no commit."""
    listed = _git(
        "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *RECORDED_CODE
    )
    files = [line[3:] for line in listed.split("\0") if line]
    return [file for file in files if not any(fnmatch(file, pattern) for pattern in GENERATED)]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def _check_recordable() -> None:
    """A record names the commit that gave it, so the code that ran must be that of a commit."""
    if reason := why_not_recorded():
        raise FofeError(f"not recorded: {reason}")


def record(benchmark: str, metrics: Metrics, command: str) -> None:
    """Append a record, unless the same command has given the same at the same commit."""
    _check_recordable()
    new = _entry(benchmark, metrics, command)
    same = ("benchmark", "metrics", "command", "commit")
    with _alone():
        results = read_results()
        if not any(all(entry[key] == new[key] for key in same) for entry in results):
            _write([*results, new])


def record_seed(benchmark: str, seed: int, metrics: Metrics, command: str, settings: object = None) -> None:
    """Join the result of one seed to those of the other seeds of the same command and settings.

    `command` has the word SEED in place of the seed. The commit and each metric become lists with one value
    per seed. Results with other `settings`, or with other metrics, stay in a record of their own.
    """
    _check_recordable()
    # Another checkout has its files elsewhere.
    chosen = "" if settings is None else repr(_chosen(settings)).replace(str(RUNS), RUNS.name)
    digest = chosen and hashlib.sha256(chosen.encode()).hexdigest()[:12]
    with _alone():
        results = read_results()
        wanted = (benchmark, command, digest, {"seed", *metrics})
        earlier = next((entry for entry in results if _identity(entry) == wanted), None)
        if earlier is not None:
            results.remove(earlier)
        joined = _joined(_by_seed(earlier), {"seed": seed, **metrics, "commit": commit()})
        commits = joined.pop("commit")
        new = _entry(benchmark, joined, command) | {"commit": commits}
        _write([*results, new | ({"settings": digest} if digest else {})])


def _by_seed(entry: Entry | None) -> Metrics:
    """The metrics of a record with the commit of each seed."""
    if entry is None:
        return {"seed": []}
    return {**entry["metrics"], "commit": commits(entry)}


def commits(entry: Entry) -> list[str]:
    """The commit of each seed of a record, or the one commit of a record without seeds.

    Older records name one commit for all seeds.
    """
    found = entry["commit"]
    return found if isinstance(found, list) else [found] * len(entry["metrics"].get("seed", [0]))


def _chosen(settings: object) -> object:
    """The settings that are not the defaults, so that a setting added later changes no digest."""
    if is_dataclass(settings):
        values = {field: getattr(settings, field.name) for field in fields(settings)}
        return {field.name: _chosen(value) for field, value in values.items() if value != _default(field)}
    if isinstance(settings, (list, tuple)):
        return [_chosen(value) for value in settings]
    return settings


def _default(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _joined(earlier: Metrics, new: Metrics) -> Metrics:
    """The lists of earlier seeds with the values of a new one, or of one that was run again."""
    by_seed: dict[int, Metrics] = {
        seed: {name: values[number] for name, values in earlier.items()}
        for number, seed in enumerate(earlier["seed"])
    }
    by_seed[new["seed"]] = new
    return {name: [by_seed[seed][name] for seed in sorted(by_seed)] for name in new}


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other benchmarks from the record: two that end at once would lose a result."""
    RUNS.mkdir(exist_ok=True)
    with lock(RUNS / "results.lock", wait=True):
        yield


def _identity(entry: Entry) -> tuple[str, str, str, set[str]]:
    return entry["benchmark"], entry["command"], entry.get("settings", ""), set(entry["metrics"])


def _entry(benchmark: str, metrics: Metrics, command: str) -> Entry:
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return {
        "benchmark": benchmark,
        "metrics": metrics,
        "command": command,
        "commit": commit(),
        "date": date,
    }


def _write(results: list[Entry]) -> None:
    with write_atomically(RESULTS) as stream:
        stream.writelines(json.dumps(entry) + "\n" for entry in results)
