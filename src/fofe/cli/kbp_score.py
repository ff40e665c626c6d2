"""`fofe kbp score`: precision, recall and F1 by language and kind."""

from __future__ import annotations

import argparse

from fofe.cli._kbp_options import tell

DESCRIPTION = """\
Score mentions as the entity discovery track does: the same span and type,
for names, for nominals, and for both with the kind left out. The language of
a document is told by its id.
"""

EXAMPLES = """\
examples:
  fofe kbp score gold.tab run.tab
  fofe kbp score gold.tab run1.tab run2.tab --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "score",
        help="score runs by language and kind",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("gold", metavar="GOLD", help="the gold .tab file")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the .tab files of runs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a table for each run."""
    import json

    from fofe.base.report import Report
    from fofe.kbp.score import layout, score
    from fofe.kbp.tab import read_tab

    report = Report()
    gold = read_tab(args.gold, report)
    tables = {path: score(gold, read_tab(path, report)) for path in args.runs}
    if args.json:
        shown = {
            path: {
                language: {group: counts.as_dict() for group, counts in groups.items()}
                for language, groups in table.items()
            }
            for path, table in tables.items()
        }
        print(json.dumps(shown, indent=2))
    else:
        print("\n\n".join(f"{path}\n{layout(table)}" for path, table in tables.items()))
    return tell(report)
