"""The best that was trained on CoNLL-2003: single models, and what several of them find together.

    python benchmarks/best.py

Takes the models that `benchmarks/conll2003.py --seed N` has left, at least three, and fuses them in two ways:
by the mean of their probabilities, and by votes. The way, its threshold and strategy or the number of votes
are chosen on testa; testb is scored once, with what was chosen. What single models reach was scored when they
were trained. Every fragment is scored, without gates.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from _conll import beginning
from _record import RUNS, as_command, on_one_thread, record, shared
from fused import averaged

from fofe.base.report import Report
from fofe.base.settings import build
from fofe.evaluate.scores import Counts
from fofe.formats import read_corpus
from fofe.fusion import VOTES, Rule, fuse
from fofe.model.engine import Engine
from fofe.model.storage import StoredModel, load_model
from fofe.text.document import Mention, split_label
from fofe.training.annotation import Sentences, labelled_sentences
from fofe.training.config import DecodingConfig, RunConfig
from fofe.training.scoring import score_corpus, tune

FEWEST, MOST = 3, 5
DECODING = DecodingConfig()


@dataclass(frozen=True)
class Fusion:
    """A way to fuse models, as the dev set chose it."""

    rule: str
    dev_f1: float
    f1_on: Callable[[Sentences], float]


def main() -> None:
    """Choose on testa, score on testb, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--smoke", action="store_true", help="a few sentences, whatever models; no record")
    args = parser.parse_args()
    on_one_thread()
    models = _models(args.smoke)
    dev = _sentences("testa", args.smoke)
    fusions = {"averaged": by_mean(models, dev), "voted": by_votes(models, dev)}
    for name, fusion in fusions.items():
        print(f"{name}\tdev F1 {fusion.dev_f1:.2f}\t{fusion.rule}")
    best = max(fusions.values(), key=lambda fusion: fusion.dev_f1)
    metrics: dict[str, Any] = {
        "test_f1_single": [_scored(model, "test") for model in models],
        "test_f1_fused": round(best.f1_on(_sentences("testb", args.smoke)), 2),
        "dev_f1_single": [_scored(model, "dev") for model in models],
        "dev_f1_fused": round(best.dev_f1, 2),
        **{f"dev_f1_{name}": round(fusion.dev_f1, 2) for name, fusion in fusions.items()},
        "fused_models": len(models),
        "rule": best.rule,
    }
    print(metrics)
    if not args.smoke:
        record("best", metrics, "python benchmarks/best.py")


def _models(smoke: bool) -> list[StoredModel]:
    """The models of the default configuration, one a seed."""
    paths = [RUNS / f"conll2003-default-{seed}" / "model" for seed in range(1, MOST + 1)]
    found = [path for path in paths if path.exists()]
    if smoke:
        found = list(islice(cycle(RUNS.glob("conll2003-*/model")), FEWEST))
    if len(found) < FEWEST:
        raise SystemExit(
            f"skipped: {len(found)} of at least {FEWEST} models are there; "
            "python benchmarks/conll2003.py --seed N trains another"
        )
    models = [load_model(path) for path in found]
    if not smoke:
        _check_settings(found, models)
    return models


def _check_settings(paths: Sequence[Path], models: Sequence[StoredModel]) -> None:
    """Seeds can be compared only if nothing else differs, but for the gates, which are not used here."""

    def settings(model: StoredModel) -> RunConfig:
        run: dict[str, Any] = model.training["run"]
        return build(RunConfig, run | {"training": {**run["training"], "seed": 0}, "gate": {}})

    for path, model in zip(paths, models, strict=True):
        if settings(model) != settings(models[0]):
            raise SystemExit(f"{path} was trained with other settings than {paths[0]}: train it anew")


def _sentences(part: str, smoke: bool) -> Sentences:
    file = shared("data", "conll2003", f"eng.{part}")
    return labelled_sentences(read_corpus(beginning(file) if smoke else file, "conll"), Report())


def _scored(model: StoredModel, part: str) -> float:
    return round(float(model.training[part]["f1"]), 2)


def _engine(model: StoredModel) -> Engine:
    return Engine(model.config, model.encoder, model.weights)


def by_mean(models: Sequence[StoredModel], dev: Sentences) -> Fusion:
    """One model of several, whose probabilities are averaged."""
    engine = averaged(models)
    labels = models[0].labels
    tuned = tune([score_corpus("dev", engine, dev, labels, min(DECODING.thresholds))], DECODING)
    chosen = DecodingConfig(False, (tuned.strategy,), (tuned.threshold,))

    def f1_on(sentences: Sentences) -> float:
        return tune([score_corpus("test", engine, sentences, labels, tuned.threshold)], chosen).f1

    return Fusion(f"mean of probabilities, {tuned.strategy} from {tuned.threshold}", tuned.f1, f1_on)


def by_votes(models: Sequence[StoredModel], dev: Sentences) -> Fusion:
    """The mentions that enough models find, each decoded as it was tuned."""
    ballots = _ballots(models, dev)
    by_number = {
        votes: _f1(dev, ballots, Rule(VOTES, votes, nested=False)) for votes in range(1, len(models) + 1)
    }
    votes = max(by_number, key=by_number.__getitem__)

    def f1_on(sentences: Sentences) -> float:
        return _f1(sentences, _ballots(models, sentences), Rule(VOTES, votes, nested=False))

    return Fusion(f"{votes} of {len(models)} votes", by_number[votes], f1_on)


def _ballots(models: Sequence[StoredModel], sentences: Sentences) -> list[list[list[Mention]]]:
    """What each model finds in each sentence; offsets count tokens."""
    ballots = []
    for model in models:
        decoding = model.decoding
        scored = score_corpus(
            "one",
            _engine(model),
            sentences,
            model.labels,
            decoding.threshold,
            agreements=[decoding.agreement],
        )
        found = scored.found(replace(decoding, nested=False))
        ballots.append(
            [
                [Mention(start, end, *split_label(label), score) for start, end, label, score in kept]
                for kept in found
            ]
        )
    return ballots


def _f1(sentences: Sentences, ballots: Sequence[Sequence[Sequence[Mention]]], rule: Rule) -> float:
    total = Counts()
    for sentence, *of_sentence in zip(sentences, *ballots, strict=True):
        found = {(mention.start, mention.end, mention.label) for mention in fuse(of_sentence, rule)}
        right = len(found.intersection(sentence.spans))
        total += Counts(right, len(found) - right, len(sentence.spans) - right)
    return total.f1


if __name__ == "__main__":
    as_command(main)
