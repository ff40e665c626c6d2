"""Train on one corpus of mentions and score on its test set: one seed a call, resumable.

    python benchmarks/mentions.py litbank --seed 1
    python benchmarks/mentions.py gum --seed 1
    python benchmarks/mentions.py genia --seed 1
    python benchmarks/mentions.py weibo --seed 1
    python benchmarks/mentions.py uner_zh --seed 1
    python benchmarks/mentions.py conll2002_es --seed 1

Everything is chosen on the dev set; the test set is scored once, at the end. GUM has no test set here, so its
figures are those of the dev set on which epoch, threshold and strategy were chosen. LitBank, GUM and Weibo
have names and nominals, the first two as whole phrases; `recall_ceiling` is the share of the scored mentions
that are no longer than the longest fragment. A call that was killed goes on when it is given again.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from _mention_runs import CONFIGS, configured, cost, trained
from _record import as_command, record_seed

from fofe.train.config import RunConfig
from fofe.train.corpora import read_corpora

BENCHMARKS = {
    "litbank": "litbank.toml",
    "gum": "gum.toml",
    "genia": "genia.toml",
    "weibo": "weibo.toml",
    "uner_zh": "uner_zh.toml",
    "conll2002_es": "conll2002.toml",
}
"""The configuration of each; the corpus in it bears the name of the benchmark."""
NAMES_ONLY = ("genia", "uner_zh", "conll2002_es")


def main() -> None:
    """Train, score, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", choices=BENCHMARKS)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--epochs", type=int, help="for trials: so many epochs, and nothing is recorded")
    args = parser.parse_args()
    overrides: dict[str, Any] = {"training.seed": args.seed}
    if args.epochs:
        overrides["training.epochs"] = args.epochs
    config = configured(CONFIGS / BENCHMARKS[args.benchmark], overrides)
    config = replace(config, gate=replace(config.gate, enabled=False))  # it makes tagging faster, not better
    trial = [f"trial{args.epochs}"] if args.epochs else []
    command = shlex.join(["python", "benchmarks/mentions.py", args.benchmark, "--seed", "SEED"])
    name = "-".join([args.benchmark, *trial, str(args.seed)])
    model = trained(config, name, command.replace("SEED", str(args.seed)))
    metrics = _metrics(args.benchmark, model.training, config) | cost(model)
    print(metrics)
    if not args.epochs:
        same_but_seed = replace(config, training=replace(config.training, seed=0))
        record_seed(args.benchmark, args.seed, metrics, command, same_but_seed)


def _metrics(benchmark: str, training: dict[str, Any], config: RunConfig) -> dict[str, float]:
    scored = "test" if training["scores"]["test"] else "dev"
    scores = training["scores"][scored][benchmark]
    f1 = {kind: scores[kind]["f1"] for kind in ("names", "nominals", "overall")}
    dev = {"dev_f1": round(training["dev"]["f1"], 2)}
    ceiling = {"recall_ceiling": round(_ceiling(config, scored), 2)}
    return {**named_metrics(benchmark, f1), **dev, **ceiling}


def named_metrics(benchmark: str, f1: Mapping[str, float]) -> dict[str, float]:
    """F1 of names, nominals and both, under the names of the record; one where there are names only."""
    if benchmark in NAMES_ONLY:
        return {"test_f1": round(f1["overall"], 2)}
    return {
        "test_named_f1": round(f1["names"], 2),
        "test_nominal_f1": round(f1["nominals"], 2),
        "test_overall_f1": round(f1["overall"], 2),
    }


def _ceiling(config: RunConfig, scored: str) -> float:
    """The percentage of mentions that are fragments of at most so many words."""
    (corpus,) = read_corpora(config).parts
    lengths = [end - start for sentence in corpus.part(scored) for start, end, _ in sentence.spans]
    return 100 * sum(length <= config.model.max_words for length in lengths) / len(lengths)


if __name__ == "__main__":
    as_command(main)
