"""`fofe tune`: search for better settings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.errors import needs
from fofe.base.files import write_atomically
from fofe.cli._command import command, flag, option
from fofe.cli._io import resumable
from fofe.cli._options import SET, count, output, overrides, seed

if TYPE_CHECKING:
    from fofe.tune.trials import Trial


@command(
    "search for better settings",
    option("config CONFIG.toml", "the configuration to start from"),
    output("DIR", "the directory of the search"),
    option("--trials N", "number of trials in all", type=count, default=20),
    option("--workers N", "trials at the same time", type=count, default=1),
    option("--space SPACE.toml", "which settings to vary, and how far"),
    option(
        "--sampler tpe|random|grid", "choose values by the results so far, at random, or all", default="tpe"
    ),
    flag("--no-prune", "train every trial to its end"),
    seed(1),
    SET,
)
def tune(args: argparse.Namespace) -> None:
    """Search for settings with a better F1 on the dev set: train a model for each of
    many sets of values, stop hopeless ones early, and write the best configuration
    to best.toml. By default the learning rate, batch size, dropout, layers and
    epochs are varied around those of the configuration; a space in TOML names
    others. An interrupted search continues when the same command is given again,
    in the middle of the trial where it stopped.

    Examples:
      fofe tune my.toml -o runs/search --trials 30
      fofe tune my.toml -o runs/search --trials 30 --workers 2
      fofe tune my.toml -o runs/search --space space.toml --sampler grid
      fofe train runs/search/best.toml -o runs/best
    """
    from fofe.base.settings import to_table, to_toml
    from fofe.training.config import load_config

    with needs("searching needs Optuna", "tune", "optuna", "torch"):
        from fofe.tune.search import Search
        from fofe.tune.space import default_space, read_space
        from fofe.tune.trials import plot, table
    given = overrides(args)
    config = load_config(args.config, given)
    search = Search(
        config=str(Path(args.config).resolve()),
        overrides=given,
        space=read_space(args.space) if args.space else default_space(config),
        folder=str(Path(args.output).resolve()),
        sampler=args.sampler,
        seed=args.seed,
        prune=not args.no_prune,
        space_path=args.space,
    )
    with resumable("the same command goes on with the search"):
        trials = search.run(args.trials, args.workers, _say)
    folder = Path(args.output)
    for name, text in (("trials.tsv", table(trials)), ("trials.svg", plot(trials))):
        with write_atomically(folder / name) as stream:
            stream.write(text)
    print(table(trials), end="")
    if trials and trials[0].state == "complete":
        with write_atomically(folder / "best.toml") as stream:
            stream.write(to_toml(to_table(search.configured(trials[0].values))))
        print(folder / "best.toml")


def _say(trial: Trial) -> None:
    score = "no score" if trial.f1 is None else f"dev F1 {trial.f1:.2f}"
    print(f"trial {trial.number}: {trial.state}, {score}", file=sys.stderr, flush=True)
