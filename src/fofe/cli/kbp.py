"""`fofe kbp`: entity discovery from source documents to scores."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Entity discovery as in TAC-KBP: source documents in, mentions as .tab files
out, in several languages, scored as the track scores.
"""

EXAMPLES = """\
examples:
  fofe kbp tag --model eng=en --model spa=es source/ -o run.tab
  fofe kbp score gold.tab run.tab
  fofe kbp check run.tab source/
  fofe kbp convert source/ --gold gold.tab -o train.jsonl
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its own commands."""
    from fofe.cli import kbp_check, kbp_convert, kbp_score, kbp_tag

    parser = subparsers.add_parser(
        "kbp",
        help="entity discovery from source documents to scores",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (kbp_tag, kbp_score, kbp_check, kbp_convert):
        command.add_parser(commands)
