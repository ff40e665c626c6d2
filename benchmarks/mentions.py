"""Train on one corpus of mentions and score on its test set: one seed a call, resumable.

    python benchmarks/mentions.py litbank --seed 1
    python benchmarks/mentions.py gum --seed 1
    python benchmarks/mentions.py genia --seed 1
    python benchmarks/mentions.py weibo --seed 1
    python benchmarks/mentions.py uner_zh --seed 1
    python benchmarks/mentions.py conll2002_es --seed 1
    python benchmarks/mentions.py conll2002_es --teachers 3 --seed 1

Everything is chosen on the dev set; the test set is scored once, at the end. GUM has no test set here, so its
figures are of the dev set on which epoch, threshold and strategy were chosen, and are named `dev_*`. LitBank,
GUM and Weibo have names and nominals, the first two as whole phrases; `recall_ceiling` is the share of the
scored mentions that are no longer than the longest fragment. Run a killed call again to continue it.

The models of Weibo are also trained on the soft targets of five others, of seeds 1 to 5 and without teachers;
those that do not exist yet are trained first. `--teachers N` takes another number, as a benchmark of its own:
BENCHMARK_taught, or BENCHMARK_untaught for none.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from _mention_runs import CONFIGS, configured, cost, trained
from _record import RUNS, as_command, record_seed
from _settings import check_trained_with

from fofe.model.storage import StoredModel, load_model
from fofe.training.config import RunConfig
from fofe.training.corpora import read_corpora

BENCHMARKS = {
    "litbank": "litbank.toml",
    "gum": "gum.toml",
    "genia": "genia.toml",
    "weibo": "weibo.toml",
    "uner_zh": "uner_zh.toml",
    "conll2002_es": "conll2002.toml",
}
"""The configuration of each; the corpus in it has the name of the benchmark."""
TEACHERS = {"weibo": 5}
"""How many teachers the models of a benchmark have; none where it is not listed."""
NAMES_ONLY = ("genia", "uner_zh", "conll2002_es")


def main() -> None:
    """Train, score, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", choices=BENCHMARKS)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--teachers", type=int, metavar="N", help="learn from so many models, too")
    parser.add_argument("--epochs", type=int, help="for trials: so many epochs, and nothing is recorded")
    args = parser.parse_args()
    overrides: dict[str, Any] = {"training.seed": args.seed}
    if args.epochs:
        overrides["training.epochs"] = args.epochs
    usual = TEACHERS.get(args.benchmark, 0)
    count = usual if args.teachers is None else args.teachers
    teachers = [_teacher(args.benchmark, seed + 1) for seed in range(count)]
    config = ungated(args.benchmark, {**overrides, "training.teachers": list(map(str, teachers))})
    trial = [f"trial{args.epochs}"] if args.epochs else []
    taught = [f"taught{count}"] if count else []
    any_seed = command(args.benchmark, teachers=count, seed="SEED")
    name = "-".join([args.benchmark, *taught, *trial, str(args.seed)])
    model = trained(config, name, any_seed.replace("SEED", str(args.seed)))
    metrics = scores_of(args.benchmark, model.training, config) | cost(model)
    print(metrics)
    if not args.epochs:
        same_but_seed = replace(config, training=replace(config.training, seed=0, teachers=()))
        other = "" if count == usual else "_taught" if count else "_untaught"
        record_seed(f"{args.benchmark}{other}", args.seed, metrics, any_seed, same_but_seed)


def ungated(benchmark: str, overrides: dict[str, Any]) -> RunConfig:
    """The configuration of a benchmark with what is here, without a gate."""
    config = configured(CONFIGS / BENCHMARKS[benchmark], overrides)
    return replace(config, gate=replace(config.gate, enabled=False))  # it makes tagging faster, not better


def command(benchmark: str, *, teachers: int, seed: int | str) -> str:
    """What trains a model of a benchmark."""
    given = ["--teachers", str(teachers)] if teachers or benchmark in TEACHERS else []
    return shlex.join(["python", "benchmarks/mentions.py", benchmark, *given, "--seed", str(seed)])


def _teacher(benchmark: str, seed: int) -> Path:
    """The model of a seed, without teachers of its own, trained if it is not there."""
    name = f"{benchmark}-{seed}"
    path = RUNS / name / "model"
    if path.exists():
        check_teacher(benchmark, load_model(path), path)
    else:
        config = ungated(benchmark, {"training.seed": seed})
        trained(config, name, command(benchmark, teachers=0, seed=seed))
    return path


def check_teacher(benchmark: str, model: StoredModel, path: Path) -> None:
    """Fail where a model was not trained as the benchmark trains those that have no teachers."""
    seed = int(path.parent.name.removeprefix(f"{benchmark}-"))
    check_trained_with(ungated(benchmark, {"training.seed": seed}), model, path)


def scores_of(benchmark: str, training: dict[str, Any], config: RunConfig) -> dict[str, float]:
    """What is recorded of the scores of a trained model."""
    scored = "test" if training["scores"]["test"] else "dev"
    scores = training["scores"][scored][benchmark]
    f1 = {kind: scores[kind]["f1"] for kind in ("names", "nominals", "overall")}
    dev = {"dev_f1": round(training["dev"]["f1"], 2)}
    ceiling = {"recall_ceiling": round(_ceiling(config, scored), 2)}
    return {**named_metrics(benchmark, f1, scored), **dev, **ceiling}


def named_metrics(benchmark: str, f1: Mapping[str, float], part: str = "test") -> dict[str, float]:
    """F1 of names, nominals and both on a part of the corpus, as recorded; one figure for names only."""
    if benchmark in NAMES_ONLY:
        return {f"{part}_f1": round(f1["overall"], 2)}
    return {
        f"{part}_named_f1": round(f1["names"], 2),
        f"{part}_nominal_f1": round(f1["nominals"], 2),
        f"{part}_overall_f1": round(f1["overall"], 2),
    }


def _ceiling(config: RunConfig, scored: str) -> float:
    """The percentage of mentions that are fragments of at most so many words."""
    (corpus,) = read_corpora(config).parts
    lengths = [end - start for sentence in corpus.part(scored) for start, end, _ in sentence.spans]
    return 100 * sum(length <= config.model.max_words for length in lengths) / len(lengths)


if __name__ == "__main__":
    as_command(main)
