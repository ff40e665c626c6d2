"""Language models under the detector of other corpora, and small models that learn from these.

    python benchmarks/fetch_encoders.py news-fast bert-zh
    python benchmarks/encoders.py weibo --seed 1
    python benchmarks/encoded_vectors.py
    python benchmarks/encoders.py weibo --distilled --seed 1

The first adds an encoder view to the configuration of mentions.py and records BENCHMARK_encoder, or, where
small models learn from it, BENCHMARK_teacher: one seed a call, resumable. With --distilled, the models of all
seeds that are there give a model of configs/BENCHMARK_student.toml soft targets for the training set
(BENCHMARK_distilled). Everything is chosen on the dev set; the test set is scored once, at the end.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from _distillation import teachers_of
from _mention_runs import CONFIGS, configured, cost, trained
from _record import RUNS, as_command, record_seed
from fetch_encoders import ENCODERS
from mentions import scores_of, ungated

from fofe.features.config import ViewConfig
from fofe.model.storage import load_model
from fofe.training.config import RunConfig


class Under(NamedTuple):
    """Which encoder a corpus gets, and what else changes."""

    encoder: str
    layers: int = 1
    teaches: bool = False
    without: tuple[str, ...] = ()
    """Views that it makes superfluous."""
    settings: Mapping[str, Any] = MappingProxyType({})
    """What else is set in the configuration."""


FEWER = MappingProxyType({"training.epochs": 12, "training.input_dropout": 0.5})
USED = {
    "weibo": Under("bert-zh", layers=4, teaches=True, without=("lexicon", "window"), settings=FEWER),
    "uner_zh": Under("bert-zh", layers=4, teaches=True, without=("window",), settings=FEWER),
    "genia": Under("news-fast"),
    "litbank": Under("news-fast"),
    "gum": Under("news-fast"),
}


def main() -> None:
    """Train, score, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", choices=USED)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--distilled", action="store_true", help="a small model that learns from the others")
    args = parser.parse_args()
    make = _student if args.distilled else _with_encoder
    given = " --distilled" if args.distilled else ""
    command = f"python benchmarks/encoders.py {args.benchmark}{given} --seed SEED"
    name, config, model = make(args.benchmark, args.seed, command.replace("SEED", str(args.seed)))
    metrics = scores_of(args.benchmark, load_model(model).training, config) | cost(load_model(model))
    print(metrics)
    same_but_seed = replace(config, training=replace(config.training, seed=0, teachers=()))
    record_seed(name, args.seed, metrics, command, same_but_seed)


def _folder(name: str, seed: int) -> Path:
    return RUNS / f"{name}-{seed}"


def _with_encoder(benchmark: str, seed: int, command: str) -> tuple[str, RunConfig, Path]:
    used = USED[benchmark]
    name = f"{benchmark}_{'teacher' if used.teaches else 'encoder'}"
    config = ungated(benchmark, {**used.settings, "training.seed": seed})
    place = ENCODERS / used.encoder
    if not place.exists():
        raise SystemExit(f"skipped: needs {place}; python benchmarks/fetch_encoders.py makes it")
    view = ViewConfig("lm", "encoder", encoder=str(place), layers=used.layers, dimension=256)
    views = (view, *(one for one in config.model.views if one.name not in used.without))
    config = replace(
        config,
        model=replace(config.model, views=views),
        training=replace(config.training, encoder_cache=str(RUNS / "encoded")),
    )
    trained(config, _folder(name, seed).name, command)
    return name, config, _folder(name, seed) / "model"


def _student(benchmark: str, seed: int, command: str) -> tuple[str, RunConfig, Path]:
    name, teacher = f"{benchmark}_distilled", f"{benchmark}_teacher"
    teachers = teachers_of(
        lambda number: _folder(teacher, number) / "model",
        f"python benchmarks/encoders.py {benchmark} --seed 1",
    )
    overrides = {"training.seed": seed, "training.teachers": list(map(str, teachers)), "gate.enabled": False}
    config = configured(CONFIGS / f"{benchmark}_student.toml", overrides)
    trained(config, _folder(name, seed).name, command)
    return name, config, _folder(name, seed) / "model"


if __name__ == "__main__":
    as_command(main)
