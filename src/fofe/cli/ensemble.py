"""`fofe ensemble`: one model directory from several."""

from __future__ import annotations

import argparse

from fofe.base.errors import FofeError

DESCRIPTION = """\
Make an ensemble: a model directory that holds several models and averages the
probabilities that they give to each fragment. It is used like any other, by
fofe tag, fofe kbp tag, fofe serve and fofe.load. The models must have the same
labels, language and longest fragment; it takes as long as all of them.
"""

EXAMPLES = """\
examples:
  fofe ensemble runs/seed1/model runs/seed2/model runs/seed3/model -o together
  fofe ensemble small large -o together --weights 1,2
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "ensemble",
        help="make one model of several, whose scores are averaged",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "models",
        nargs="+",
        metavar="MODEL",
        help="model directories or names of installed models, which are copied",
    )
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the directory of the ensemble")
    parser.add_argument("--weights", metavar="W,W,...", help="what each model counts (default: the same)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the ensemble and print its path."""
    from fofe.cli._arguments import numbers
    from fofe.model.ensemble import save_ensemble
    from fofe.tagging.installed import model_path

    weights = numbers("--weights", args.weights)
    if weights and (len(weights) != len(args.models) or min(weights) < 0 or not any(weights)):
        raise FofeError(f"{len(args.models)} models need as many weights, none negative and not all 0")
    save_ensemble([model_path(model) for model in args.models], args.output, weights)
    print(args.output)
    return 0
