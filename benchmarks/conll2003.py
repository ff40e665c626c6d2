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

from _conll import CONFIGS, FAST
from _record import RUNS, as_command, record_seed, shared
from _resources import with_resources

from fofe.cli._progress import TerminalWatcher
from fofe.model.storage import load_model
from fofe.train.config import RunConfig, load_config
from fofe.train.run import train


def main() -> None:
    """Train, score, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--fast", action="store_true", help="fewer epochs, for studies")
    parser.add_argument("--config", type=Path, default=CONFIGS / "default.toml")
    args = parser.parse_args()
    config = _settings(args)
    name = "-".join(["conll2003", args.config.stem, *(["fast"] if args.fast else []), str(args.seed)])
    command = _command(args)
    folder = train(
        config,
        RUNS / name,
        TerminalWatcher(sys.stderr),
        command=command.replace("SEED", str(args.seed)),
        resume=True,
    )
    training = load_model(folder).training
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
    record_seed(benchmark, args.seed, metrics, command, same_but_seed)


def _settings(args: argparse.Namespace) -> RunConfig:
    """The configuration with the corpora, vectors and names beside the project."""
    data = {
        "data.train": [str(shared("data", "conll2003", "eng.train"))],
        "data.dev": str(shared("data", "conll2003", "eng.testa")),
        "data.test": str(shared("data", "conll2003", "eng.testb")),
    }
    config = load_config(args.config, data | {"training.seed": args.seed} | (FAST if args.fast else {}))
    return replace(config, model=with_resources(config.model))


def _command(args: argparse.Namespace) -> str:
    """The command of this result, with SEED for the seed."""
    words = ["python", "benchmarks/conll2003.py", "--seed", "SEED"]
    words += ["--fast"] if args.fast else []
    words += [] if args.config.stem == "default" else ["--config", f"configs/{args.config.name}"]
    return shlex.join(words)


if __name__ == "__main__":
    as_command(main)
