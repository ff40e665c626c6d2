"""The paper's experiments, one command each.

    python benchmarks/paper.py table1 --epochs 6           (CoNLL-2003: what each feature is worth)
    python benchmarks/paper.py table1 --epochs 6 --row 3   (one row; several calls may run side by side)
    python benchmarks/paper.py table1 --row 14 --row 15    (128 epochs, as the paper)
    python benchmarks/paper.py table2                      (CoNLL-2003: beside other systems)
    python benchmarks/paper.py table3                      (more training data: the paper's Table 4)
    python benchmarks/paper.py table3 --row weak           (one row of it)
    python benchmarks/paper.py table4                      (the tri-lingual track: the paper's Tables 3 and 5)

Rows 1 to 14 of the first table are the paper's combinations of features, with configs/paper.toml and nothing
added; row 15 is configs/default.toml. What table3 and table4 show stands on open data, which are not the
paper's. table2 and table4 show what other benchmarks have recorded: conll2003.py, best.py and trilingual.py.
All is chosen on dev sets. A row that is done is not trained again; one that was cut off goes on. Once all
rows of a table are there (of table1: 1 to 14), they are recorded together.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from _conll import CONFIGS, STUDIES, Outcome, study
from _paper_tables import ROWS, TRAINING_DATA
from _record import as_command, on_one_thread, record
from _shown import DEFAULT_ROW, latest, table1, table2, table3, table4
from _training_data import SECOND, row_is_done, train_row

from fofe.train.config import RunConfig, load_config

EPOCHS = 128


def main() -> None:
    """Make one of the tables."""
    args = _arguments()
    if args.table == "table2":
        print(table2().markdown())
    elif args.table == "table4":
        print("\n\n".join(table.markdown() for table in table4(latest("trilingual") or {})))
    else:
        on_one_thread()
        {"table1": _features, "table3": _training_data}[args.table](args)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tables = parser.add_subparsers(dest="table", required=True)
    first, third = tables.add_parser("table1"), tables.add_parser("table3")
    for name in ("table2", "table4"):
        tables.add_parser(name)
    first.add_argument("--row", type=int, action="append", choices=range(1, DEFAULT_ROW + 1), metavar="N")
    first.add_argument("--epochs", type=int, default=EPOCHS, help=f"for all rows alike (default: {EPOCHS})")
    third.add_argument("--row", action="append", choices=list(TRAINING_DATA))
    for table in (first, third):
        table.add_argument("--seed", type=int, default=1)
        table.add_argument("--smoke", action="store_true", help="see whether it runs; without a record")
    return parser.parse_args()


def _features(args: argparse.Namespace) -> None:
    """The table of features."""
    for number in args.row or range(1, DEFAULT_ROW + 1):
        _say(f"row {number}", _feature_row(number, args))
    if args.smoke:
        return
    done = {
        f"row{number:02}": _feature_row(number, args)
        for number in range(1, DEFAULT_ROW + 1)
        if (STUDIES / _name(number, args.epochs, args.seed) / "result.json").exists()
    }
    metrics = {"epochs": args.epochs, **_metrics(done)}
    print(table1(metrics).markdown())
    if all(f"row{number:02}" in done for number in range(1, DEFAULT_ROW)):
        record("table1", metrics, _command(args))


def _feature_row(number: int, args: argparse.Namespace) -> Outcome:
    return study(
        _name(number, args.epochs, args.seed),
        CONFIGS / "paper.toml",
        {},
        _command(args, number),
        test=True,
        smoke=args.smoke,
        whole=_config(number, args),
    )


def _name(number: int, epochs: int, seed: int) -> str:
    return f"table1-row{number:02}-{epochs}-{seed}"


def _config(number: int, args: argparse.Namespace) -> RunConfig:
    if number == DEFAULT_ROW:
        return load_config(CONFIGS / "default.toml", {"training.seed": args.seed})
    # Rates and dropout follow the epochs: with few of them, too, they fall all the way.
    changes = {
        "training.seed": args.seed,
        "training.epochs": args.epochs,
        "training.evaluate_every": max(4, args.epochs // 8),
    }
    config = load_config(CONFIGS / "paper.toml", changes)
    return replace(config, model=ROWS[number - 1].of(config.model))


def _training_data(args: argparse.Namespace) -> None:
    """The table of training data."""
    for row in args.row or TRAINING_DATA:
        _say(row, train_row(row, args.seed, _command(args, row), smoke=args.smoke))
    if not args.smoke and all(row_is_done(row, args.seed) for row in TRAINING_DATA):
        rows = {row: train_row(row, args.seed, "") for row in TRAINING_DATA}
        metrics = {**_metrics(rows), "second_corpus": SECOND}
        print(table3(metrics).markdown())
        record("table3", metrics, _command(args))


def _command(args: argparse.Namespace, row: int | str | None = None) -> str:
    words: Sequence[Any] = ["python", "benchmarks/paper.py", args.table]
    for name in ("epochs", "seed"):
        words = [*words, *([f"--{name}", getattr(args, name)] if name in args else [])]
    return shlex.join(map(str, [*words, *([] if row is None else ["--row", row])]))


def _say(row: str, outcome: Outcome) -> None:
    test = " ".join(f"{value:.2f}" for value in outcome.test or ())
    print(f"{row}: test {test}, {outcome.epochs} epochs, {outcome.cpu_minutes:.1f} CPU minutes", flush=True)


def _metrics(rows: Mapping[str, Outcome]) -> dict[str, float]:
    """Precision, recall and F1 of each row, and what its training took."""
    metrics: dict[str, float] = {}
    for row, outcome in rows.items():
        for name, value in zip(("p", "r", "f1"), outcome.test or (), strict=True):
            metrics[f"{row}_{name}"] = round(value, 2)
    metrics["train_cpu_minutes"] = round(sum(outcome.cpu_minutes for outcome in rows.values()), 1)
    return metrics


if __name__ == "__main__":
    as_command(main)
