"""`fofe tune`: search for better settings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.cli import INTERRUPTED
from fofe.cli._arguments import count, natural
from fofe.cli._settings_option import add_settings_option, overrides

if TYPE_CHECKING:
    from fofe.tune.search import Trial

DESCRIPTION = """\
Search for settings with a better F1 on the dev set: train a model for each of
many sets of values, give those up early that are hopeless, and write the best
configuration to best.toml. By default the learning rate, batch size, dropout,
layers and epochs are tried around those of the configuration; a space in TOML
names others. A search that was cut off goes on when the same command is given
again, in the middle of the trial where it was.
"""

EXAMPLES = """\
examples:
  fofe tune my.toml -o runs/search --trials 30
  fofe tune my.toml -o runs/search --trials 30 --workers 2
  fofe tune my.toml -o runs/search --space space.toml --sampler grid
  fofe train runs/search/best.toml -o runs/best
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "tune",
        help="search for better settings",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", metavar="CONFIG.toml", help="the configuration to start from")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the directory of the search")
    parser.add_argument("--trials", type=count, default=20, metavar="N", help="trials in all (default: 20)")
    parser.add_argument(
        "--workers", type=count, default=1, metavar="N", help="trials at the same time (default: 1)"
    )
    parser.add_argument("--space", metavar="SPACE.toml", help="what may be changed, and how far")
    parser.add_argument(
        "--sampler",
        choices=("tpe", "random", "grid"),
        default="tpe",
        help="how values are chosen: by what did well so far, at random, or all of them (default: tpe)",
    )
    parser.add_argument("--no-prune", action="store_true", help="train every trial to its end")
    parser.add_argument("--seed", type=natural, default=1, help="of what is drawn at random (default: 1)")
    add_settings_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Search to the end; print the table of trials."""
    from fofe.base.files import write_atomically
    from fofe.base.settings import to_table
    from fofe.base.toml import to_toml
    from fofe.training.config import load_config
    from fofe.tune.report import plot, table
    from fofe.tune.search import Settings, best_config, search
    from fofe.tune.space import default_space, read_space

    given = overrides(args)
    config = load_config(args.config, given)
    settings = Settings(
        config=str(Path(args.config).resolve()),
        overrides=given,
        space=read_space(args.space) if args.space else default_space(config),
        folder=str(Path(args.output).resolve()),
        sampler=args.sampler,
        seed=args.seed,
        prune=not args.no_prune,
        space_path=args.space,
    )
    try:
        trials = search(settings, args.trials, args.workers, _say)
    except KeyboardInterrupt:
        print("\nfofe: interrupted; the same command goes on with the search", file=sys.stderr)
        return INTERRUPTED
    folder = Path(args.output)
    for name, text in (("trials.tsv", table(trials)), ("trials.svg", plot(trials))):
        with write_atomically(folder / name) as stream:
            stream.write(text)
    print(table(trials), end="")
    if trials and trials[0].state == "complete":
        with write_atomically(folder / "best.toml") as stream:
            stream.write(to_toml(to_table(best_config(settings, trials[0]))))
        print(folder / "best.toml")
    return 0


def _say(trial: Trial) -> None:
    score = "no score" if trial.f1 is None else f"dev F1 {trial.f1:.2f}"
    print(f"trial {trial.number}: {trial.state}, {score}", file=sys.stderr, flush=True)
