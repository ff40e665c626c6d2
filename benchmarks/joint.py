"""One English model from CoNLL-2003, LitBank and GUM against one for each: one training a call, resumable.

    python benchmarks/joint.py --seed 1 joint
    python benchmarks/joint.py --seed 1 conll2003
    python benchmarks/joint.py --seed 1 litbank
    python benchmarks/joint.py --seed 1 gum
    python benchmarks/joint.py --seed 1

The model of each corpus is trained as the joint one is (configs/english.toml), from that corpus alone and
in its own labels; nominals are heads in all of them, names as each corpus writes them. Each is scored in the
corpus's own types on its test set (GUM: dev). The corpora mark mentions differently ("the White House" or
"White House"), so the joint model is conditioned on the corpus of a training sentence, and is scored by the
annotation scheme of each. Without a name, what has not been trained yet is trained, and all are compared and
recorded: the joint model's F1 minus that of the single one. A call that was killed goes on when it is given
again.
"""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from typing import Any

from _mention_runs import CONFIGS, configured, cost, trained
from _record import RUNS, as_command, record_seed

from fofe.model.storage import StoredModel, load_model
from fofe.training.config import RunConfig

JOINT = "joint"
CORPORA = ("conll2003", "litbank", "gum")


def main() -> None:
    """Train one of the models, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", nargs="?", choices=(JOINT, *CORPORA))
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--epochs", type=int, help="for trials: so many epochs, and nothing is recorded")
    args = parser.parse_args()
    if args.model is None:
        _compare(args.seed, args.epochs)
    else:
        model = _trained(args.model, args.seed, args.epochs)
        print(_f1(model.training), cost(model))


def _trained(name: str, seed: int, epochs: int | None) -> StoredModel:
    config = _settings(seed, epochs)
    if name != JOINT:
        config = _alone(config, name)
    command = shlex.join(["python", "benchmarks/joint.py", "--seed", str(seed), name])
    return trained(config, _folder(name, seed, epochs), command)


def _settings(seed: int, epochs: int | None) -> RunConfig:
    overrides: dict[str, Any] = {"training.seed": seed} | ({"training.epochs": epochs} if epochs else {})
    config = configured(CONFIGS / "english.toml", overrides)
    return replace(config, corpus=tuple(replace(corpus, bare_names=False) for corpus in config.corpus))


def _alone(config: RunConfig, name: str) -> RunConfig:
    """One corpus with its own labels; a flat one makes a flat model."""
    (corpus,) = (corpus for corpus in config.corpus if corpus.name == name)
    decoding = config.decoding
    if not corpus.nested:
        decoding = replace(decoding, nested=False, strategies=("highest-first", "longest-first"))
    ungated = replace(config.gate, enabled=False)  # a gate makes tagging faster, not better
    untold = replace(config.model, schemes=())
    own = replace(corpus, labels={})
    return replace(config, corpus=(own,), model=untold, decoding=decoding, gate=ungated)


def _folder(model: str, seed: int, epochs: int | None) -> str:
    return "-".join(["joint", model, *([f"trial{epochs}"] if epochs else []), str(seed)])


def _compare(seed: int, epochs: int | None) -> None:
    trainings: dict[str, Any] = {}
    for name in (JOINT, *CORPORA):
        done = RUNS / _folder(name, seed, epochs) / "model"
        model = load_model(done) if done.exists() else _trained(name, seed, epochs)
        trainings[name] = model.training
    together = _f1(trainings[JOINT])
    metrics: dict[str, float] = {}
    for corpus in CORPORA:
        alone = _f1(trainings[corpus])[corpus]
        metrics[f"{corpus}_delta"] = round(together[corpus] - alone, 2)
        metrics[f"{corpus}_f1"] = round(together[corpus], 2)
        metrics[f"{corpus}_alone_f1"] = round(alone, 2)
    metrics["train_cpu_minutes"] = round(trainings[JOINT]["cpu_seconds"] / 60, 1)
    print(metrics)
    if not epochs:
        same_but_seed = _settings(0, epochs)
        record_seed("joint", seed, metrics, "python benchmarks/joint.py --seed SEED", same_but_seed)


def _f1(training: dict[str, Any]) -> dict[str, float]:
    """The overall F1 on each corpus's test set, or on its dev set where it has none."""
    scores = training["scores"]["dev"] | training["scores"]["test"]
    return {name: scores[name]["overall"]["f1"] for name in scores}


if __name__ == "__main__":
    as_command(main)
