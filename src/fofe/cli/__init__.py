"""The command line: one file for each command, and the door to them here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from fofe import __version__
from fofe.errors import FofeError

DESCRIPTION = "Find mentions - names and nominals, flat or nested - in text, and train models that do."

EXAMPLES = """\
examples:
  fofe train examples/tiny.toml -o runs/tiny
  fofe tag --model runs/tiny/model --text "Anna Berg met the mayor of Bergen."
  fofe evaluate gold.conll --model runs/tiny/model
  fofe COMMAND --help     more on a command, with examples
"""

USAGE_ERROR = 2
INTERRUPTED = 130


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    from fofe.cli import (
        calibrate,
        check,
        compare,
        completion,
        compress,
        convert,
        ensemble,
        evaluate,
        fuse,
        gazetteer,
        inspect,
        kbp,
        models,
        report,
        serve,
        tag,
        train,
        tune,
        vectors,
        wiki,
    )

    parser = argparse.ArgumentParser(
        prog="fofe",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"fofe {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (
        train,
        tune,
        tag,
        serve,
        evaluate,
        compare,
        models,
        inspect,
        report,
        calibrate,
        compress,
        vectors,
        gazetteer,
        wiki,
        convert,
        check,
        kbp,
        fuse,
        ensemble,
        completion,
    ):
        command.add_parser(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; what a user can mend ends with a message and exit code 2."""
    args = make_parser().parse_args(arguments)
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except FofeError as error:
        print(f"fofe: {error}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("fofe: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; without this Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
