"""`fofe fuse`: one prediction from those of several systems."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from fofe.base.errors import FofeError, InputError
from fofe.cli._arguments import count, numbers
from fofe.cli._outputs import refuse_input

if TYPE_CHECKING:
    from fofe.fusion.vote import Rule

DESCRIPTION = """\
Join what several systems found in the same texts: .tab files, or predictions
in JSON lines. A mention is kept if any system has it (union), if all have it
(intersection), if enough have it (votes), or if the mean of their confidences
is high enough (weighted). What overlaps then is resolved by a strategy.
"""

EXAMPLES = """\
examples:
  fofe fuse a.tab b.tab c.tab -o fused.tab
  fofe fuse a.jsonl b.jsonl -o fused.jsonl --method union --strategy longest-first
  fofe fuse a.tab b.tab -o fused.tab --method weighted --weights 1,0.5 --threshold 0.4
  fofe fuse a.tab b.tab -o fused.tab --method weighted --dev-gold dev.tab --dev a-dev.tab --dev b-dev.tab
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "fuse",
        help="join the predictions of several systems",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("predictions", nargs="+", metavar="FILE", help="what each system found")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="where to write, in the format of what is joined"
    )
    parser.add_argument(
        "--method",
        choices=("union", "intersection", "votes", "weighted"),
        default="votes",
        help="when a mention is kept (default: votes)",
    )
    parser.add_argument(
        "--votes", type=count, metavar="K", help="votes: how many are needed (default: more than half)"
    )
    parser.add_argument(
        "--weights", metavar="W,W,...", help="weighted: what each system's vote counts (default: the same)"
    )
    parser.add_argument(
        "--threshold", type=float, default=0.5, metavar="P", help="weighted: the least mean (default: 0.5)"
    )
    parser.add_argument(
        "--dev-gold",
        metavar="GOLD",
        help="annotated texts from which confidences, and the threshold of weighted votes, are learned",
    )
    parser.add_argument(
        "--dev",
        action="append",
        default=[],
        metavar="FILE",
        help="with --dev-gold: what a system found there; once for each system, in the same order",
    )
    parser.add_argument(
        "--strategy",
        default="highest-first",
        metavar="S",
        help="how overlaps are resolved (default: highest-first)",
    )
    parser.add_argument(
        "--nested",
        action=argparse.BooleanOptionalAction,
        help="whether mentions may lie in one another (default: if a system's do)",
    )
    parser.add_argument(
        "--run-id", default="fused", metavar="ID", help="the first column of a .tab file (default: fused)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fuse, write, and tell how much was left."""
    from fofe.base.report import Report
    from fofe.fusion.files import calibrate, fuse_predictions, read_predictions

    if len(args.predictions) < 2:
        raise FofeError("there is nothing to join: give the files of at least two systems")
    if len(args.dev) != (len(args.predictions) if args.dev_gold else 0):
        raise FofeError("--dev-gold goes with one --dev for each system, in the same order")
    _check_output(args)
    rule = _rule(args)
    rule.check(len(args.predictions))
    report = Report()
    predictions = read_predictions(args.predictions, report, run=args.run_id)
    calibration = calibrate(args.dev_gold, args.dev, rule, report) if args.dev_gold else None
    fused = fuse_predictions(predictions, rule, calibration)
    predictions.write(fused, args.output, report)
    for line in report.lines():
        print(f"fofe: {line}", file=sys.stderr)
    if calibration is not None and rule.method == "weighted":
        print(f"threshold {calibration.threshold}, as the annotated texts want it", file=sys.stderr)
    found = [sum(map(len, texts)) for texts in predictions.systems()]
    print(f"{' + '.join(map(str, found))} mentions -> {sum(map(len, fused))}", file=sys.stderr)
    return 0


def _check_output(args: argparse.Namespace) -> None:
    """Refuse a file that is read, and a name that promises another kind than the files that are joined."""
    from fofe.kbp.tab import is_tab

    refuse_input(args.output, [*args.predictions, *args.dev, *filter(None, [args.dev_gold])])
    if is_tab(args.output) and not any(map(is_tab, args.predictions)):
        remedy = "let -o end in .jsonl; fofe kbp convert makes a .tab file of that"
        raise InputError("joined predictions make JSON lines", path=args.output, remedy=remedy)
    if args.output.lower().endswith((".jsonl", ".json")) and all(map(is_tab, args.predictions)):
        raise InputError("joined .tab files make a .tab file", path=args.output, remedy="let -o end in .tab")


def _rule(args: argparse.Namespace) -> Rule:
    from fofe.fusion.vote import Rule

    weights = numbers("--weights", args.weights)
    return Rule(args.method, args.votes, weights, args.threshold, args.strategy, args.nested)
