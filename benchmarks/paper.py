"""The paper's experiments on CoNLL-2003.

    python benchmarks/paper.py table1 --epochs 16              (all rows, one after another)
    python benchmarks/paper.py table1 --epochs 16 --row 3      (one row; several calls may run side by side)
    python benchmarks/paper.py table1 --row 14 --row 15        (128 epochs, as the paper)
    python benchmarks/paper.py table2

Rows 1 to 14 are the feature combinations of the paper's table, with configs/paper.toml and nothing added; row
15 is configs/default.toml. All is chosen on testa. A row that is done is not trained again; one that was
cut off goes on. Once rows 1 to 14 are there for a number of epochs, they are recorded together.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean

from _conll import CONFIGS, STUDIES, Outcome, study
from _paper_tables import FEATURES, ROWS, SYSTEMS
from _record import on_one_thread, read_results, record

from fofe.train.config import RunConfig, load_config

DEFAULT_ROW = len(ROWS) + 1
EPOCHS = 128


def main() -> None:
    """Make one of the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=("table1", "table2"))
    parser.add_argument("--row", type=int, action="append", choices=range(1, DEFAULT_ROW + 1), metavar="N")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help=f"for all rows alike (default: {EPOCHS})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--smoke", action="store_true", help="see whether it runs; without a record")
    args = parser.parse_args()
    if args.table == "table2":
        print(table2())
        return
    on_one_thread()
    for number in args.row or range(1, DEFAULT_ROW + 1):
        outcome = _train(number, args)
        print(_line(number, outcome), flush=True)
    if not args.smoke:
        _record(args)


def _train(number: int, args: argparse.Namespace) -> Outcome:
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
    # A tenth of the recipe still lets the rates and dropout fall all the way; they follow the epochs.
    changes = {
        "training.seed": args.seed,
        "training.epochs": args.epochs,
        "training.evaluate_every": max(1, args.epochs // 8),
    }
    config = load_config(CONFIGS / "paper.toml", changes)
    return replace(config, model=ROWS[number - 1].of(config.model))


def _command(args: argparse.Namespace, number: int | None = None) -> str:
    words = [
        "python",
        "benchmarks/paper.py",
        "table1",
        "--epochs",
        str(args.epochs),
        "--seed",
        str(args.seed),
    ]
    return shlex.join([*words, *([] if number is None else ["--row", str(number)])])


def _line(number: int, outcome: Outcome) -> str:
    """A row of the table: the paper's figures and ours."""
    name = "configs/default.toml" if number == DEFAULT_ROW else ROWS[number - 1].name
    paper = ("", "", "") if number == DEFAULT_ROW else tuple(f"{x:.2f}" for x in ROWS[number - 1].paper)
    ours = [f"{value:.2f}" for value in outcome.test or (0.0, 0.0, 0.0)]
    cells = [str(number), name, *paper, *ours, str(outcome.epochs), f"{outcome.cpu_minutes:.0f}"]
    return f"| {' | '.join(cells)} |"


def _record(args: argparse.Namespace) -> None:
    """Print the table as far as it is done, and record it once it is whole."""
    done = [
        number
        for number in range(1, DEFAULT_ROW + 1)
        if (STUDIES / _name(number, args.epochs, args.seed) / "result.json").exists()
    ]
    outcomes = {number: _train(number, args) for number in done}
    print("\n| | features | P | R | F1 (paper) | P | R | F1 (here) | epochs | CPU minutes |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for number, outcome in outcomes.items():
        print(_line(number, outcome))
    if set(range(1, DEFAULT_ROW)) <= set(done):
        metrics: dict[str, float] = {"epochs": args.epochs}
        for number, outcome in outcomes.items():
            for name, value in zip("prf", outcome.test or (), strict=True):
                metrics[f"row{number:02}_{'f1' if name == 'f' else name}"] = round(value, 2)
        record("table1", metrics, _command(args))


def table2() -> str:
    """The second table with what is recorded here, as Markdown."""
    lines = [
        f"| system | {' | '.join(FEATURES)} | test F1 |",
        f"| --- | {' | '.join(['---'] * len(FEATURES))} | ---: |",
    ]
    lines += [_system_line(system.name, system.features, f"{system.f1:.2f}") for system in SYSTEMS]
    for benchmark, name, features in (
        ("conll2003_paper", "here, configs/paper.toml", {"words", "characters"}),
        ("conll2003_compact", "here, configs/compact.toml", {"words", "characters"}),
        ("conll2003", "here, configs/default.toml", {"words", "characters"}),
    ):
        found = [entry["metrics"]["test_f1"] for entry in read_results() if entry["benchmark"] == benchmark]
        if found:
            seeds = f" ({len(found[-1])} seed{'s' if len(found[-1]) > 1 else ''})"
            lines.append(_system_line(name + seeds, frozenset(features), f"{mean(found[-1]):.2f}"))
    return "\n".join(lines)


def _system_line(name: str, features: frozenset[str], f1: str) -> str:
    marks: Sequence[str] = ["x" if feature in features else "" for feature in FEATURES]
    return f"| {name} | {' | '.join(marks)} | {f1} |"


if __name__ == "__main__":
    main()
