"""Train on CoNLL-2003 English and score on its test set: one seed a call, resumable.

    python benchmarks/conll2003.py --seed 1
    python benchmarks/conll2003.py --seed 1 --fast
    python benchmarks/conll2003.py --seed 1 --config configs/paper.toml

Everything is chosen on testa; testb is scored once, at the end. A call that was killed goes on when it is
given again. The seeds of one command are joined in one record of results.jsonl.
"""

from __future__ import annotations

import argparse
import resource
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from _conll import CONFIGS, FAST
from _record import RUNS, as_command, record_seed, shared
from _resources import with_resources

from fofe.cli._terminal import TerminalCallback
from fofe.model.storage import load_model
from fofe.training.config import RunConfig, load_config
from fofe.training.run import train


def main() -> None:
    """Train, score, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--fast", action="store_true", help="fewer epochs, for studies")
    parser.add_argument("--config", type=Path, default=CONFIGS / "default.toml")
    args = parser.parse_args()
    config = _settings(args.config, args.seed, fast=args.fast)
    training = train_seed(args.config, args.seed, fast=args.fast)
    metrics = {
        "test_f1": round(training["test"]["f1"], 2),
        "dev_f1": round(training["dev"]["f1"], 2),
        "train_cpu_minutes": round(training["cpu_seconds"] / 60, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(metrics)
    variant = [] if args.config.stem == "default" else [args.config.stem]
    benchmark = "_".join(["conll2003", *variant, *(["fast"] if args.fast else [])])
    same_but_seed = replace(config, training=replace(config.training, seed=0))
    record_seed(benchmark, args.seed, metrics, _command(args.config, fast=args.fast), same_but_seed)


def model_of(path: Path, seed: int, *, fast: bool = False) -> Path:
    """Where the model of a configuration lies once it is trained."""
    name = "-".join(["conll2003", path.stem, *(["fast"] if fast else []), str(seed)])
    return RUNS / name / "model"


def train_seed(path: Path, seed: int, *, fast: bool = False) -> dict[str, Any]:
    """Train the model of a configuration, or continue its training, and return what it records of that."""
    model = train(
        _settings(path, seed, fast=fast),
        model_of(path, seed, fast=fast).parent,
        TerminalCallback(sys.stderr),
        command=_command(path, fast=fast).replace("SEED", str(seed)),
        resume=True,
    )
    return load_model(model).training


def _settings(path: Path, seed: int, *, fast: bool) -> RunConfig:
    """The configuration with the corpora, vectors and names beside the project."""
    data = {
        "data.train": [str(shared("data", "conll2003", "eng.train"))],
        "data.dev": str(shared("data", "conll2003", "eng.testa")),
        "data.test": str(shared("data", "conll2003", "eng.testb")),
    }
    config = load_config(path, data | {"training.seed": seed} | (FAST if fast else {}))
    return replace(config, model=with_resources(config.model))


def _command(path: Path, *, fast: bool) -> str:
    """The command of this result, with SEED for the seed."""
    words = ["python", "benchmarks/conll2003.py", "--seed", "SEED"]
    words += ["--fast"] if fast else []
    words += [] if path.stem == "default" else ["--config", f"configs/{path.name}"]
    return shlex.join(words)


if __name__ == "__main__":
    as_command(main)
