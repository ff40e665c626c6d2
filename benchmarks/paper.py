"""The paper's experiments, one command each.

    python benchmarks/paper.py table1 --quick              (CoNLL-2003: what each feature is worth)
    python benchmarks/paper.py table1 --quick --row 3      (one row; several calls may run side by side)
    python benchmarks/paper.py table1 --epochs 16          (the paper's way of training, cut short)
    python benchmarks/paper.py table1 --row 14 --row 15    (128 epochs, as the paper)
    python benchmarks/paper.py table1 --epochs 32 --seen   (vectors that have seen the text)
    python benchmarks/paper.py steps                       (what each part of the recipe is worth)
    python benchmarks/paper.py table2                      (CoNLL-2003: beside other systems)
    python benchmarks/paper.py table3                      (more training data: the paper's Table 4)
    python benchmarks/paper.py table3 --row weak           (one row of it)
    python benchmarks/paper.py table4                      (the tri-lingual track: the paper's Tables 3 and 5)

Rows 1 to 14 of the first table are the paper's combinations of features, with configs/paper.toml and nothing
added; row 15 is configs/default.toml with its own epochs, the model of conll2003.py. The paper's SGD is far
from its end after a few epochs, and the farther the fewer the features; --quick trains the same features and
layers with AdamW and averaged weights, whose 12 epochs come near to what they can reach. What table3 and
table4 show stands on open data, which are not the paper's. table2 and table4 show what other benchmarks
recorded: conll2003.py, best.py and trilingual.py. All is chosen on dev sets. A row that is done is not
trained again; one that was cut off goes on. Once all rows of a table are there (of table1: 1 to 14), they are
recorded together; beside a table1 of fewer epochs stand the rows that were also trained in full.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from _conll import CONFIGS, STUDIES, Outcome, outcome_of, study
from _paper_tables import ROWS, STEPS, TRAINING_DATA
from _record import as_command, on_one_thread, record
from _resources import that_have_seen_the_text
from _shown import DEFAULT_ROW, latest, table1, table2, table3, table4
from _training_data import SECOND, row_is_done, train_row
from conll2003 import DEFAULT, model_of, train_seed

from fofe.model.storage import load_model
from fofe.training.config import RunConfig, load_config

EPOCHS = 128
QUICK_EPOCHS = 12
QUICK = {
    "training.optimiser": "adamw",
    "training.rate": 0.001,
    "training.schedule": "linear",
    "training.final_rate": 0.0,
    "training.word_rate": 0.05,
    "training.character_rate": 0.001,
    "training.input_dropout": 0.1,
    "training.final_input_dropout": 0.1,
    "training.final_dropout": 0.4,
    "training.average": 0.998,
}
"""How features are trained to the end in few epochs: much as configs/default.toml does it."""
PAPER = CONFIGS / "paper.toml"
STEP_EPOCHS = 32


def main() -> None:
    """Make one of the tables."""
    args = _arguments()
    if args.table == "table2":
        print(table2().markdown())
    elif args.table == "table4":
        print("\n\n".join(table.markdown() for table in table4(latest("trilingual") or {})))
    else:
        on_one_thread()
        {"table1": _features, "steps": _steps, "table3": _training_data}[args.table](args)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tables = parser.add_subparsers(dest="table", required=True)
    first, steps, third = (tables.add_parser(name) for name in ("table1", "steps", "table3"))
    for name in ("table2", "table4"):
        tables.add_parser(name)
    first.add_argument("--row", type=int, action="append", choices=range(1, DEFAULT_ROW + 1), metavar="N")
    length = first.add_mutually_exclusive_group()
    length.add_argument("--epochs", type=int, default=EPOCHS, help=f"for all rows alike (default: {EPOCHS})")
    length.add_argument("--quick", action="store_true", help=f"{QUICK_EPOCHS} epochs of AdamW for all rows")
    first.add_argument("--seen", action="store_true", help="vectors that have seen the text of the test set")
    steps.add_argument("--row", action="append", choices=list(STEPS))
    third.add_argument("--row", action="append", choices=list(TRAINING_DATA))
    for table in (first, steps, third):
        table.add_argument("--seed", type=int, default=1)
        table.add_argument("--smoke", action="store_true", help="see whether it runs; without a record")
    return parser.parse_args()


def _features(args: argparse.Namespace) -> None:
    """The table of features."""
    epochs = QUICK_EPOCHS if args.quick else args.epochs
    recipe = Recipe(epochs, args.seed, quick=args.quick, seen=args.seen)
    for number in args.row or range(1, DEFAULT_ROW + 1):
        _say(f"row {number}", _feature_row(number, recipe, smoke=args.smoke))
    if args.smoke:
        return
    done, full = _rows_done(recipe), Recipe(EPOCHS, args.seed, seen=args.seen)
    metrics = {"epochs": recipe.epochs, "quick": recipe.quick, **_metrics(done)}
    if recipe != full:
        metrics |= _scores({f"{row}_full": outcome for row, outcome in _rows_done(full).items()})
    print(table1(metrics).markdown())
    if all(_row(number) in done for number in range(1, DEFAULT_ROW)):
        record("table1_seen" if recipe.seen else "table1", metrics, recipe.command())


@dataclass(frozen=True)
class Recipe:
    """How all rows of the table of features are trained."""

    epochs: int
    seed: int
    quick: bool = False
    seen: bool = False

    def command(self, row: int | None = None) -> str:
        """What trains all rows like this, or one of them."""
        length = ["--quick"] if self.quick else ["--epochs", str(self.epochs)]
        words = ["python", "benchmarks/paper.py", "table1", *length, *["--seen"] * self.seen]
        words += ["--seed", str(self.seed)]
        return shlex.join([*words, *([] if row is None else ["--row", str(row)])])

    def folder(self, row: int) -> str:
        """The name of the directory of a row."""
        how = [*["quick"] * self.quick, *["seen"] * self.seen]
        return "-".join(["table1", _row(row), str(self.epochs), *how, str(self.seed)])

    def config(self, row: int, more: Mapping[str, Any] | None = None) -> RunConfig:
        """The features of a row; `more` are further changes of settings."""
        if row == DEFAULT_ROW:
            return load_config(DEFAULT, {"training.seed": self.seed})
        # Rates and dropout follow the epochs: with few of them, too, they fall all the way.
        changes: dict[str, Any] = {
            "training.seed": self.seed,
            "training.epochs": self.epochs,
            "training.evaluate_every": max(4, self.epochs // 8),
            "training.evaluate_from": self.epochs // 2,
        }
        config = load_config(PAPER, {**changes, **(QUICK if self.quick else {}), **(more or {})})
        model = that_have_seen_the_text(config.model) if self.seen else config.model
        return replace(config, model=ROWS[row - 1].of(model))


def _row(number: int) -> str:
    return f"row{number:02}"


def _rows_done(recipe: Recipe) -> dict[str, Outcome]:
    """The paper's rows that are trained to their end like that, and the default configuration."""
    done = {
        _row(number): _feature_row(number, recipe)
        for number in range(1, DEFAULT_ROW)
        if (STUDIES / recipe.folder(number) / "result.json").exists()
    }
    if model_of(DEFAULT, recipe.seed).exists():
        done[_row(DEFAULT_ROW)] = _feature_row(DEFAULT_ROW, recipe)
    return done


def _feature_row(number: int, recipe: Recipe, *, smoke: bool = False) -> Outcome:
    if number == DEFAULT_ROW and not smoke:
        model = model_of(DEFAULT, recipe.seed)
        return outcome_of(load_model(model).training if model.exists() else train_seed(DEFAULT, recipe.seed))
    return study(
        recipe.folder(number),
        PAPER,
        {},
        recipe.command(number),
        test=True,
        smoke=smoke,
        whole=recipe.config(number),
    )


def _steps(args: argparse.Namespace) -> None:
    """The table of what each part of the recipe is worth."""
    for row in args.row or STEPS:
        _say(row, _step(row, args.seed, smoke=args.smoke))
    if not args.smoke and all(_step_result(row, args.seed).exists() for row in STEPS):
        metrics = {"epochs": STEP_EPOCHS, **_metrics({row: _step(row, args.seed) for row in STEPS})}
        record("steps", metrics, f"python benchmarks/paper.py steps --seed {args.seed}")


def _step_result(row: str, seed: int) -> Path:
    return STUDIES / f"steps-{row}-{seed}" / "result.json"


def _step(row: str, seed: int, *, smoke: bool = False) -> Outcome:
    """Train with all changes up to one."""
    before = {key: value for later in _behind(row) for key, value in STEPS[later].before.items()}
    config = Recipe(STEP_EPOCHS, seed, seen=row == "seen").config(
        len(ROWS), {**before, **STEPS[row].only_here}
    )
    command = f"python benchmarks/paper.py steps --row {row} --seed {seed}"
    folder = _step_result(row, seed).parent.name
    return study(folder, PAPER, {}, command, test=True, smoke=smoke, whole=config)


def _behind(row: str) -> list[str]:
    return list(STEPS)[list(STEPS).index(row) + 1 :]


def _training_data(args: argparse.Namespace) -> None:
    """The table of training data."""
    for row in args.row or TRAINING_DATA:
        _say(row, train_row(row, args.seed, _command(args.seed, row), smoke=args.smoke))
    if not args.smoke and all(row_is_done(row, args.seed) for row in TRAINING_DATA):
        rows = {row: train_row(row, args.seed, "") for row in TRAINING_DATA}
        metrics = {**_metrics(rows), "second_corpus": SECOND}
        print(table3(metrics).markdown())
        record("table3", metrics, _command(args.seed))


def _command(seed: int, row: str | None = None) -> str:
    words = ["python", "benchmarks/paper.py", "table3", "--seed", str(seed)]
    return shlex.join([*words, *([] if row is None else ["--row", row])])


def _say(row: str, outcome: Outcome) -> None:
    test = " ".join(f"{value:.2f}" for value in outcome.test or ())
    print(f"{row}: test {test}, {outcome.epochs} epochs, {outcome.cpu_minutes:.1f} CPU minutes", flush=True)


def _metrics(rows: Mapping[str, Outcome]) -> dict[str, float]:
    """The scores of all rows, and what their training took."""
    minutes = sum(outcome.cpu_minutes for outcome in rows.values())
    return {**_scores(rows), "train_cpu_minutes": round(minutes, 1)}


def _scores(rows: Mapping[str, Outcome]) -> dict[str, float]:
    """Precision, recall and F1 of each row."""
    return {
        f"{row}_{name}": round(value, 2)
        for row, outcome in rows.items()
        for name, value in zip(("p", "r", "f1"), outcome.test or (), strict=True)
    }


if __name__ == "__main__":
    as_command(main)
