"""What the commands of `fofe kbp` have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fofe.cli import SOME_LEFT_OUT

if TYPE_CHECKING:
    from fofe.base.errors import InputError
    from fofe.base.report import Report
    from fofe.kbp.source import Reading


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reading source documents."""
    group = parser.add_argument_group("reading")
    group.add_argument("--quotes", action="store_true", help="quoted text is part of a document")
    group.add_argument(
        "--offsets-from",
        choices=("tag", "file"),
        default="tag",
        help="what offsets count from: the document's tag, or the file with its <?xml ...?> (default: tag)",
    )


def reading(args: argparse.Namespace) -> Reading:
    """What these options say."""
    from fofe.kbp.source import Reading

    return Reading(quotes=args.quotes, from_file=args.offsets_from == "file")


def tell(report: Report, bad: Sequence[InputError | str] = (), done: int = 0) -> int:
    """Print what was noted and what could not be read, with the number that was; returns the exit code."""
    for line in (*report.lines(), *map(str, bad)):
        print(f"fofe: {line}", file=sys.stderr)
    if bad:
        print(f"fofe: {len(bad)} documents left out because of errors; {done} done", file=sys.stderr)
    return SOME_LEFT_OUT if bad else 0
