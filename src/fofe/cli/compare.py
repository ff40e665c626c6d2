"""`fofe compare`: is one prediction better than another, or is it chance?"""

from __future__ import annotations

import argparse

from fofe.cli._arguments import count, natural
from fofe.cli._corpus_options import add_corpus_options

DESCRIPTION = """\
Score two predictions of the same texts and test their difference, B minus A,
by paired bootstrap: both are scored again and again on the same documents,
drawn with replacement.
"""

EXAMPLES = """\
examples:
  fofe compare gold.jsonl before.jsonl after.jsonl
  fofe compare test.conll a.conll b.conll --unit sentence --samples 2000 --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "compare",
        help="test whether one prediction is better than another",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("gold", metavar="GOLD", help="the annotated corpus")
    parser.add_argument("a", metavar="A", help="the same texts with the mentions of one prediction")
    parser.add_argument("b", metavar="B", help="the same texts with the mentions of the other")
    parser.add_argument(
        "--format", help="the format of the corpora (default: recognised by name and content)"
    )
    parser.add_argument(
        "--samples", metavar="N", type=count, default=10_000, help="how often to draw (default: 10000)"
    )
    parser.add_argument("--seed", type=natural, default=0, help="seed of the drawing (default: 0)")
    parser.add_argument(
        "--unit",
        choices=("document", "sentence"),
        default="document",
        help="what is drawn (default: document)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    add_corpus_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from fofe.cli.evaluate import read_documents
    from fofe.evaluate.bootstrap import compare, comparison_section, unit_counts
    from fofe.evaluate.tables import as_json, as_text

    gold = read_documents(args.gold, args)
    a, b = (unit_counts(gold, read_documents(path, args), args.unit) for path in (args.a, args.b))
    comparison = compare(a, b, args.samples, args.seed)
    sections = [comparison_section(comparison, (args.a, args.b), args.samples, args.unit)]
    print(as_json(sections) if args.json else as_text(sections))
    return 0
