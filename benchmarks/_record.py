"""Recorded results: `benchmarks/results.jsonl`, one object a line."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fofe.base.errors import FofeError
from fofe.base.files import lock, write_atomically

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.jsonl"
SHARED = HERE.parent.parent / "shared"
RUNS = HERE.parent / "runs"

RECORDED_CODE = ("src", "benchmarks", "configs")
"""Where a change can change a result."""
GENERATED_SUFFIXES = (".jsonl", ".svg", ".md")
"""Files under benchmarks/ that the benchmarks write themselves."""

Metrics = dict[str, Any]


def shared(*parts: str) -> Path:
    """A file of the corpora and vectors beside the project; says so and ends where they are missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise SystemExit(f"skipped: needs {path}, which is not here (docs/benchmarks.md tells what it is)")
    return path


def as_command(main: Callable[[], None]) -> None:
    """Run a benchmark as a command: errors that its caller can act on come without a traceback."""
    if changed := uncommitted():
        print(f"nothing will be recorded: {_uncommitted_message(changed)}", file=sys.stderr)
    try:
        main()
    except FofeError as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("\ninterrupted; what is done is kept for when the command is given again", file=sys.stderr)
        sys.exit(130)


def on_one_thread() -> None:
    """Start this program anew with one thread for every BLAS, which they read when they are loaded."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    if any(os.environ.get(name) != "1" for name in names):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | dict.fromkeys(names, "1"))


def read_results() -> list[dict[str, Any]]:
    """All records, oldest first."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text("utf-8").splitlines() if line.strip()]


@cache
def commit() -> str:
    """The commit that runs. Asked for when the program starts: others may follow while it runs."""
    return _git("rev-parse", "--short=12", "HEAD").strip()


@cache
def uncommitted() -> tuple[str, ...]:
    """Files whose changes are part of what runs, but of no commit; asked for when the program starts."""
    lines = _git("status", "--porcelain", "--untracked-files=all", "--", *RECORDED_CODE).splitlines()
    files = (line[3:] for line in lines)
    return tuple(file for file in files if Path(file).suffix not in GENERATED_SUFFIXES)


def _git(*arguments: str) -> str:
    top = HERE.parent
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True, cwd=top).stdout


def _check_committed() -> None:
    """A record names the commit that gave it, so the code that ran must be that of a commit."""
    if changed := uncommitted():
        raise FofeError(f"not recorded: {_uncommitted_message(changed)}")


def _uncommitted_message(changed: Sequence[str]) -> str:
    return f"{', '.join(changed[:3])} had uncommitted changes when this began (commit them, then run again)"


def record(benchmark: str, metrics: Metrics, command: str) -> None:
    """Append a record, unless the same was found before by the same command."""
    _check_committed()
    new = {"benchmark": benchmark, "metrics": metrics, "command": command}
    with _alone():
        results = read_results()
        if not any(new.items() <= entry.items() for entry in results):
            _write([*results, _entry(benchmark, metrics, command)])


def record_seed(benchmark: str, seed: int, metrics: Metrics, command: str, settings: object = None) -> None:
    """Join the result of one seed to those of the other seeds of the same command and settings.

    `command` holds the word SEED where the seed stood; the commit and each metric become lists, one value a
    seed. Where `settings` are given, results of other settings stay in a record of their own.
    """
    _check_committed()
    digest = "" if settings is None else hashlib.sha256(repr(_chosen(settings)).encode()).hexdigest()[:12]
    with _alone():
        results = read_results()
        wanted = (benchmark, command, digest)
        earlier = next((entry for entry in results if _identity(entry) == wanted), None)
        if earlier is not None:
            results.remove(earlier)
        joined = _joined(_by_commit(earlier), {"seed": seed, **metrics, "commit": commit()})
        commits = joined.pop("commit")
        new = _entry(benchmark, joined, command) | {"commit": commits}
        _write([*results, new | ({"settings": digest} if digest else {})])


def _by_commit(entry: dict[str, Any] | None) -> Metrics:
    """The metrics of a record with the commit of each seed; older records name one for all seeds."""
    if entry is None:
        return {"seed": []}
    metrics: Metrics = entry["metrics"]
    commits = entry["commit"]
    return metrics | {"commit": commits if isinstance(commits, list) else [commits] * len(metrics["seed"])}


def _chosen(settings: object) -> object:
    """The settings that are not the defaults, so that one that is added later changes no digest."""
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


def _identity(entry: dict[str, Any]) -> tuple[str, str, str]:
    return entry["benchmark"], entry["command"], entry.get("settings", "")


def _entry(benchmark: str, metrics: Metrics, command: str) -> dict[str, Any]:
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return {
        "benchmark": benchmark,
        "metrics": metrics,
        "command": command,
        "commit": commit(),
        "date": date,
    }


def _write(results: list[dict[str, Any]]) -> None:
    with write_atomically(RESULTS) as stream:
        stream.writelines(json.dumps(entry) + "\n" for entry in results)
