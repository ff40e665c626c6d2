"""What single settings are worth: CoNLL-2003's dev F1 with the compact configuration and one thing changed.

    python benchmarks/ablations.py                     (all points, one after another)
    python benchmarks/ablations.py --point factor_0.7  (one point; several calls may run side by side)
    python benchmarks/ablations.py --list

One seed and few epochs, the same for all points. A point that is done is not trained again. Once all are
there, they are recorded, and each study gets a figure beside this file.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import Any

from _conll import CONFIGS, STUDIES, Outcome, study
from _plots import curve
from _record import HERE, as_command, on_one_thread, record

from fofe.training.config import load_config

COMMAND = "python benchmarks/ablations.py"
SETTINGS = {"training.epochs": 6, "training.evaluate_every": 6, "training.seed": 1}

STUDY_POINTS: dict[str, dict[str, dict[str, Any]]] = {
    "forgetting factor": {
        **{f"factor_{factor}": {"model.factor": factor} for factor in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)},
    },
    "longest fragment": {f"max_words_{count}": {"model.max_words": count} for count in (3, 5, 7, 9, 11)},
    "share of overlapping and disjoint fragments": {
        f"sampling_{overlapping}_{disjoint}": {
            "sampling.overlapping": overlapping,
            "sampling.disjoint": disjoint,
        }
        for overlapping, disjoint in ((0.08, 0.016), (0.18, 0.045), (0.36, 0.09), (0.72, 0.18), (1.0, 0.36))
    },
    "strategy": {
        f"strategy_{name.replace('-', '_')}": {"decoding.strategies": [name]}
        for name in ("highest-first", "longest-first")
    },
    "dropout of the hidden layers": {
        "dropout_none": {"training.dropout": 0.0},
        "dropout_0.2": {"training.dropout": 0.2},
        "dropout_0.4": {"training.dropout": 0.4},
        "dropout_0.6": {"training.dropout": 0.6},
        "dropout_0.4_to_0.1": {"training.dropout": 0.4, "training.final_dropout": 0.1},
        "dropout_0.6_to_0.2": {"training.dropout": 0.6, "training.final_dropout": 0.2},
    },
}


def main() -> None:
    """Train the points that are wanted, and record them when all are there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    points = {name: changes for of_study in STUDY_POINTS.values() for name, changes in of_study.items()}
    parser.add_argument("--point", action="append", choices=points, metavar="NAME")
    parser.add_argument("--list", action="store_true", help="name the points")
    parser.add_argument("--smoke", action="store_true", help="see whether it runs; without a record")
    args = parser.parse_args()
    if args.list:
        print("\n".join(points))
        return
    on_one_thread()
    for name in args.point or points:
        print(f"{name}\t{_train(name, points[name], smoke=args.smoke).dev[2]:.2f}", flush=True)
    if not args.smoke and all(_is_done(*point) for point in points.items()):
        scores = {
            name: round(_train(name, changes, smoke=False).dev[2], 2) for name, changes in points.items()
        }
        record("ablations", scores, COMMAND)
        for study_name, chart in charts(scores).items():
            (HERE / f"ablation-{study_name}.svg").write_text(chart, "utf-8")


def _train(name: str, changes: dict[str, Any], *, smoke: bool) -> Outcome:
    return study(
        _folder(name, changes),
        CONFIGS / "compact.toml",
        SETTINGS | changes,
        f"{COMMAND} --point {name}",
        smoke=smoke,
    )


def _folder(name: str, changes: dict[str, Any]) -> str:
    """Points that change nothing are one model."""
    config = CONFIGS / "compact.toml"
    is_base = load_config(config, SETTINGS | changes) == load_config(config, SETTINGS)
    return f"ablation-{'base' if is_base else name}-{SETTINGS['training.epochs']}"


def _is_done(name: str, changes: dict[str, Any]) -> bool:
    return (STUDIES / _folder(name, changes) / "result.json").exists()


def charts(scores: Mapping[str, float]) -> dict[str, str]:
    """A figure for each study, by the first word of its points."""
    found = {}
    for title, points in STUDY_POINTS.items():
        word = next(iter(points)).partition("_")[0]
        found[word] = curve(f"dev F1 by {title}", {_value(name, word): scores[name] for name in points})
    return found


def _value(point: str, word: str) -> str:
    """What was tried at a point: its name without what all points of the study share."""
    return re.sub(r"^[a-z_]+_(?=\d)", "", point).removeprefix(f"{word}_").replace("_", " ")


if __name__ == "__main__":
    as_command(main)
