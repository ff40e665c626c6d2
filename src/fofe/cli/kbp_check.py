"""`fofe kbp check`: whether mentions stand where a `.tab` file says."""

from __future__ import annotations

import argparse

from fofe.cli import SOME_LEFT_OUT
from fofe.cli._kbp_options import add_reading_options, reading, tell

DESCRIPTION = """\
Check that every mention string of a .tab file equals the text of the source
documents at its offsets, and that no mention id is used twice.
"""

EXAMPLES = """\
examples:
  fofe kbp check run.tab source/
  fofe kbp check gold.tab a.xml b.xml --offsets-from file
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "check",
        help="check mentions against the source documents",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tab", metavar="TAB", help="a .tab file")
    parser.add_argument(
        "documents", nargs="+", metavar="DOCS", help="source documents, or directories of them"
    )
    add_reading_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print every problem, then how many there are."""
    from fofe.base.errors import InputError
    from fofe.base.report import Report
    from fofe.kbp.check import problems
    from fofe.kbp.source import read_all, source_files
    from fofe.kbp.tab import read_tab

    report = Report()
    bad: list[InputError] = []
    mentions = read_tab(args.tab, report)
    sources = read_all(source_files(args.documents), reading(args), report, bad)
    found = list(problems(mentions, {source.id: source for source in sources}))
    for problem in found:
        print(problem)
    print(f"{len(mentions)} mentions, {len(found)} problems")
    return tell(report, bad) or (SOME_LEFT_OUT if found else 0)
