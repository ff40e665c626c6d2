"""`fofe fuse`: one prediction from those of several systems."""

import argparse
import sys

from fofe.base.errors import FofeError, InputError
from fofe.base.report import Report
from fofe.cli._command import command, option, repeated
from fofe.cli._io import refuse_input, say_report
from fofe.cli._options import count, numbers, output
from fofe.kbp.tab import is_tab


@command(
    "join the predictions of several systems",
    option("predictions FILE", "the predictions of each system", nargs="+"),
    output("OUT", "where to write, in the format of the predictions"),
    option("--method union|intersection|votes|weighted", "when a mention is kept", default="votes"),
    option("--votes K", "votes: number needed (default: more than half)", type=count),
    option(
        "--weights W,W,...", "weighted: weight of each system (default: learnt with --dev-gold, else equal)"
    ),
    option("--threshold P", "weighted: lowest mean confidence", type=float, default=0.5),
    option(
        "--dev-gold GOLD",
        "annotated texts to fit confidences on, and the weights and threshold of weighted votes",
    ),
    repeated("--dev FILE", "with --dev-gold: the predictions of each system for it, in the same order"),
    option("--strategy S", "how overlaps are resolved (default: non-crossing if nested, else highest-first)"),
    option("--[no-]nested", "whether mentions may lie inside others (default: if those of a system do)"),
    option("--run-id ID", "first column of a .tab file", default="fused"),
)
def fuse(args: argparse.Namespace) -> None:
    """Join the predictions of several systems for the same texts: .tab files, or JSON
    lines. A mention is kept if any system has it (union), if all have it
    (intersection), if enough have it (votes), or if the mean of their confidences
    is high enough (weighted). A strategy resolves the overlaps that remain.

    Examples:
      fofe fuse a.tab b.tab c.tab -o fused.tab
      fofe fuse a.jsonl b.jsonl -o fused.jsonl --method union --strategy longest-first
      fofe fuse a.tab b.tab -o fused.tab --method weighted --weights 1,0.5 --threshold 0.4
      fofe fuse a.tab b.tab -o fused.tab --method weighted --dev-gold dev.tab --dev a-dev.tab --dev b-dev.tab
    """
    from fofe.fusion import Predictions, Rule, learn

    if len(args.predictions) < 2:
        raise FofeError("there is nothing to join: give the files of at least two systems")
    if len(args.dev) != (len(args.predictions) if args.dev_gold else 0):
        raise FofeError("--dev-gold goes with one --dev for each system, in the same order")
    _check_output(args)
    weights = numbers("--weights", args.weights)
    rule = Rule(args.method, args.votes, weights, args.threshold, args.strategy, args.nested)
    rule.check(len(args.predictions))
    report = Report()
    predictions = Predictions(args.predictions, report)
    confidences = None
    if args.dev_gold:
        gold, *systems = Predictions([args.dev_gold, *args.dev], report).systems()
        confidences, rule = learn(gold, systems, rule)
    fused = predictions.fused(rule, confidences)
    predictions.write(fused, args.output, report, run=args.run_id)
    say_report(report)
    if args.dev_gold and rule.method == "weighted":
        learnt = ", ".join(f"{weight:g}" for weight in rule.weights)
        print(f"threshold {rule.threshold}, weights {learnt}: best on the annotated texts", file=sys.stderr)
    found = [sum(map(len, texts)) for texts in predictions.systems()]
    print(f"{' + '.join(map(str, found))} mentions -> {sum(map(len, fused))}", file=sys.stderr)


def _check_output(args: argparse.Namespace) -> None:
    """Refuse an output that is also an input, or whose suffix is that of the other format."""
    refuse_input(args.output, [*args.predictions, *args.dev, args.dev_gold])
    if is_tab(args.output) and not any(map(is_tab, args.predictions)):
        remedy = "let -o end in .jsonl; fofe kbp convert makes a .tab file of that"
        raise InputError("joined predictions make JSON lines", path=args.output, remedy=remedy)
    if args.output.lower().endswith((".jsonl", ".json")) and all(map(is_tab, args.predictions)):
        raise InputError("joined .tab files make a .tab file", path=args.output, remedy="let -o end in .tab")
