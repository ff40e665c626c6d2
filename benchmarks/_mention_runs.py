"""Training runs of configurations with `[[corpus]]` tables, on the corpora and vectors beside the project."""

from __future__ import annotations

import resource
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from _record import HERE, RUNS, shared
from _resources import with_resources

from fofe.cli._io import TerminalCallback
from fofe.model.storage import StoredModel, load_model
from fofe.training.config import RunConfig, load_config
from fofe.training.run import train

CONFIGS = HERE.parent / "configs"


def configured(config: Path, overrides: dict[str, Any]) -> RunConfig:
    """A configuration whose `../data`, `../vectors` and `../gazetteers` are those that are here."""
    whole = with_shared_corpora(config, overrides)
    return replace(whole, model=with_resources(whole.model))


def with_shared_corpora(config: Path, overrides: dict[str, Any]) -> RunConfig:
    """A configuration whose `../data` is what is here; vectors and gazetteers are not looked for."""
    found = load_config(config)
    paths: dict[str, Any] = {}
    for corpus in found.corpus:
        key = f"corpus.{corpus.name}"
        paths[f"{key}.train"] = [_shared(path) for path in corpus.train]
        paths |= {f"{key}.{part}": _shared(path) for part, path in _held_out(corpus) if path}
    return load_config(config, paths | overrides)


def _held_out(corpus: Any) -> list[tuple[str, str | None]]:
    return [("dev", corpus.dev), ("test", corpus.test)]


def _shared(path: str) -> str:
    """The file beside the project that a path like `configs/../data/gum/dev.jsonl` stands for."""
    if Path(path).exists():
        return str(Path(path).resolve())
    parts = Path(path).parts
    return str(shared(*parts[parts.index("..") + 1 :]))


def trained(config: RunConfig, name: str, command: str) -> StoredModel:
    """Train in a directory of that name, or go on with what is there."""
    return load_model(train(config, RUNS / name, TerminalCallback(sys.stderr), command=command, resume=True))


def cost(model: StoredModel) -> dict[str, float]:
    """What the training has taken."""
    return {
        "train_cpu_minutes": round(model.training["cpu_seconds"] / 60, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
