"""Train on CoNLL-2003 English and score on its test set: one seed a call, resumable.

    python benchmarks/conll2003.py --seed 1
    python benchmarks/conll2003.py --seed 1 --fast
    python benchmarks/conll2003.py --seed 1 --config configs/paper.toml
    python benchmarks/conll2003.py --seed 1 --config configs/paper.toml --seen

Everything is chosen on testa; testb is scored once, at the end. A call that was killed goes on when it is
given again. With --seen, the word vectors have seen the text of the test set, as the paper's had; no other
result may use them. The seeds of one command are joined in one record of results.jsonl.
"""

from __future__ import annotations

import argparse
import resource
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from _conll import CONFIGS, FAST
from _record import RUNS, as_command, record_seed, shared
from _resources import coverage_of_mentions, that_have_seen_the_text, with_resources

from fofe.cli._io import TerminalCallback
from fofe.model.storage import load_model
from fofe.training.config import RunConfig, load_config
from fofe.training.run import train

DEFAULT = CONFIGS / "default.toml"


@dataclass(frozen=True)
class Variant:
    """A configuration and how it is varied."""

    config: Path
    fast: bool = False
    seen: bool = False

    def name(self, separator: str) -> str:
        """What the result and its directory are called, without the seed."""
        words = ["conll2003", self.config.stem, *["fast"] * self.fast, *["seen"] * self.seen]
        return separator.join(words)

    def command(self) -> str:
        """The command of the result, with SEED for the seed."""
        words = ["python", "benchmarks/conll2003.py", "--seed", "SEED", *["--fast"] * self.fast]
        words += [] if self.config.stem == "default" else ["--config", f"configs/{self.config.name}"]
        return shlex.join([*words, *["--seen"] * self.seen])

    def settings(self, seed: int) -> RunConfig:
        """The configuration with the corpora, vectors and names beside the project."""
        data = {
            "data.train": [str(shared("data", "conll2003", "eng.train"))],
            "data.dev": str(shared("data", "conll2003", "eng.testa")),
            "data.test": str(shared("data", "conll2003", "eng.testb")),
        }
        config = load_config(self.config, data | {"training.seed": seed} | (FAST if self.fast else {}))
        model = that_have_seen_the_text(config.model) if self.seen else config.model
        # All seeds share the vectors of language models.
        training = replace(config.training, encoder_cache=str(RUNS / "encoded"))
        return replace(config, model=with_resources(model), training=training)


def main() -> None:
    """Train, score, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--fast", action="store_true", help="fewer epochs, for studies")
    parser.add_argument("--config", type=Path, default=DEFAULT)
    parser.add_argument("--seen", action="store_true", help="vectors that have seen the text, as the paper's")
    args = parser.parse_args()
    variant = Variant(args.config, args.fast, args.seen)
    config = variant.settings(args.seed)
    training = train_seed(args.config, args.seed, fast=args.fast, seen=args.seen)
    metrics = {
        "test_f1": round(training["test"]["f1"], 2),
        "dev_f1": round(training["dev"]["f1"], 2),
        "train_cpu_minutes": round(training["cpu_seconds"] / 60, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    if args.config.stem == "paper":
        metrics |= coverage_of_mentions(config.model)
    print(metrics)
    same_but_seed = replace(config, training=replace(config.training, seed=0))
    benchmark = variant.name("_").replace("_default", "")
    record_seed(benchmark, args.seed, metrics, variant.command(), same_but_seed)


def model_of(path: Path, seed: int, *, fast: bool = False, seen: bool = False) -> Path:
    """Where the model of a configuration lies once it is trained."""
    return RUNS / f"{Variant(path, fast, seen).name('-')}-{seed}" / "model"


def train_seed(path: Path, seed: int, *, fast: bool = False, seen: bool = False) -> dict[str, Any]:
    """Train the model of a configuration, or continue its training, and return what it records of that."""
    variant = Variant(path, fast, seen)
    model = train(
        variant.settings(seed),
        model_of(path, seed, fast=fast, seen=seen).parent,
        TerminalCallback(sys.stderr),
        command=variant.command().replace("SEED", str(seed)),
        resume=True,
    )
    return load_model(model).training


if __name__ == "__main__":
    as_command(main)
