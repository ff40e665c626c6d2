"""`fofe train`: a model from a configuration."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import Any

from fofe.cli import INTERRUPTED
from fofe.cli._arguments import count
from fofe.cli._settings_option import add_settings_option, overrides

DESCRIPTION = """\
Train a model. The directory given with -o holds the checkpoint, metrics.jsonl
and, at the end, model/. A run that was killed goes on with --resume and ends
with the same weights as one that was not. With --folds several models are
trained, each without another part of the sentences, and model/ averages them,
at several times the cost. With --plan nothing is trained: it
tells what every label, kind and region of the corpora will count as.
"""

EXAMPLES = """\
examples:
  fofe train examples/tiny.toml -o runs/tiny
  fofe train my.toml -o runs/my --set training.epochs=20 --set training.seed=3
  fofe train my.toml -o runs/my --resume
  fofe train my.toml -o runs/my5 --folds 5
  fofe train my.toml --plan
  fofe train more.toml -o runs/more --from runs/my/model    (new types are added)
  fofe train more.toml -o runs/more --from en
  fofe train my.toml -o runs/taught --teacher runs/1/model --teacher runs/2/model
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "train",
        help="train a model",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", metavar="CONFIG.toml", help="the configuration")
    parser.add_argument("-o", "--output", metavar="DIR", help="the directory of the run")
    parser.add_argument(
        "--plan", action="store_true", help="tell what the corpora will count as, and train nothing"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the run in that directory")
    parser.add_argument(
        "--folds",
        type=count,
        metavar="K",
        help="train K models, each without one K-th of the training sentences, and average them",
    )
    parser.add_argument(
        "--from",
        dest="start",
        metavar="MODEL",
        help="start from a trained model, by directory or name, with its views and layers",
    )
    parser.add_argument(
        "--teacher",
        dest="teachers",
        action="append",
        default=[],
        metavar="MODEL",
        help="learn from what this model says of the training text, besides the labels, instead of the "
        "teachers of the configuration; may be given several times",
    )
    add_settings_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train to the end, or only tell the plan."""
    from fofe.base.errors import FofeError
    from fofe.tagging.installed import model_path
    from fofe.training.config import load_config

    given = overrides(args)
    if args.teachers:
        given["training.teachers"] = [str(model_path(teacher).absolute()) for teacher in args.teachers]
    config = load_config(args.config, given)
    if args.plan:
        from fofe.training.plan import plan

        print(plan(config))
        return 0
    if args.output is None:
        raise FofeError("training needs a directory for the run: -o DIR")
    start = None if args.start is None else model_path(args.start)
    try:
        from fofe.cli._progress import TerminalWatcher
        from fofe.training.folds import train_folds
        from fofe.training.run import train
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise FofeError("training needs PyTorch (pip install 'fofe[train]')") from None
    watcher = TerminalWatcher(sys.stderr)
    command = shlex.join(["fofe", *sys.argv[1:]])
    try:
        options: dict[str, Any] = {"command": command, "start": start, "resume": args.resume}
        if args.folds:
            folder = train_folds(config, args.output, watcher, args.folds, **options)
        else:
            folder = train(config, args.output, watcher, **options)
    except KeyboardInterrupt:
        watcher.close()
        again = command if args.resume else f"{command} --resume"
        print(f"\nfofe: interrupted; go on with: {again}", file=sys.stderr)
        return INTERRUPTED
    if os.environ.get("RANK", "0") == "0":  # of several processes one speaks
        print(folder)
    return 0
