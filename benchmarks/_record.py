"""Recorded results: `benchmarks/results.jsonl`, one object a line."""

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
from pathlib import Path
from typing import Any

from fofe._files import lock, write_whole
from fofe.errors import FofeError

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.jsonl"
SHARED = HERE.parent.parent / "shared"
RUNS = HERE.parent / "runs"

Metrics = dict[str, Any]


def shared(*parts: str) -> Path:
    """A file of the corpora and vectors beside the project; says so and ends where they are missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        raise SystemExit(f"skipped: needs {path}, which is not here (docs/benchmarks.md tells what it is)")
    return path


def as_command(main: Callable[[], None]) -> None:
    """Run a benchmark as a command: what its caller can act on is told without a traceback."""
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


def record(benchmark: str, metrics: Metrics, command: str) -> None:
    """Append a record, unless the same was found before by the same command."""
    new = {"benchmark": benchmark, "metrics": metrics, "command": command}
    with _alone():
        results = read_results()
        if not any(new.items() <= entry.items() for entry in results):
            _write([*results, _entry(benchmark, metrics, command)])


def record_seed(benchmark: str, seed: int, metrics: Metrics, command: str, settings: object = None) -> None:
    """Join the result of one seed to those of the other seeds of the same command and settings.

    `command` holds the word SEED where the seed stood; each metric becomes a list, one value a seed.
    Where `settings` are told, results of other settings stay in a record of their own.
    """
    digest = "" if settings is None else hashlib.sha256(repr(_chosen(settings)).encode()).hexdigest()[:12]
    with _alone():
        results = read_results()
        wanted = (benchmark, command, digest)
        earlier = next((entry for entry in results if _identity(entry) == wanted), None)
        if earlier is not None:
            results.remove(earlier)
        joined = _joined(earlier["metrics"] if earlier else {"seed": []}, {"seed": seed, **metrics})
        _write([*results, _entry(benchmark, joined, command) | ({"settings": digest} if digest else {})])


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
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE
    ).stdout.strip()
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return {
        "benchmark": benchmark,
        "metrics": metrics,
        "command": command,
        "commit": commit,
        "date": date,
    }


def _write(results: list[dict[str, Any]]) -> None:
    with write_whole(RESULTS) as stream:
        stream.writelines(json.dumps(entry) + "\n" for entry in results)
