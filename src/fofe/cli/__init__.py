"""The command line: one file for each command, and the door to them here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from fofe import __version__
from fofe.base.errors import FofeError

DESCRIPTION = "Find mentions - names and nominals, flat or nested - in text, and train models that do."

EXAMPLES = """\
examples:
  fofe tag --text "Anna Berg met the mayor of Bergen."     with the English model, if it is installed
  fofe train examples/tiny.toml -o runs/tiny
  fofe tag --model runs/tiny/model news.txt > mentions.jsonl
  fofe evaluate gold.conll --model runs/tiny/model
  fofe COMMAND --help     more on a command, with examples
"""

COMMANDS = (
    "train",
    "tune",
    "tag",
    "serve",
    "evaluate",
    "compare",
    "models",
    "inspect",
    "report",
    "calibrate",
    "compress",
    "vectors",
    "gazetteer",
    "wiki",
    "convert",
    "check",
    "kbp",
    "fuse",
    "ensemble",
    "completion",
)
"""In the order of the help text; each has a module of its name here."""

SOME_LEFT_OUT = 1
"""The exit code that says: done, but not everything was as it should be."""
USAGE_ERROR = 2
INTERRUPTED = 130


def make_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of all commands, or of some."""
    parser = argparse.ArgumentParser(
        prog="fofe",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"fofe {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in commands:
        import_module(f"fofe.cli.{command}").add_parser(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; what a user can mend ends with a message and exit code 2."""
    _open_closed_streams()
    words = sys.argv[1:] if arguments is None else arguments
    # Whoever names a command need not wait until those of all others are imported.
    named = words[:1] if words and words[0] in COMMANDS else COMMANDS
    args = make_parser(named).parse_args(words)
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
    except OSError as error:  # a full disk, a directory that may not be written to
        place = "" if error.filename is None else f"{error.filename}: "
        print(f"fofe: {place}{error.strerror or error}", file=sys.stderr)
        return USAGE_ERROR
    return code


def _open_closed_streams() -> None:
    """Put the null device in place of standard streams that are closed (`>&-`), for which Python has None.

    In the order of their numbers, so that each takes its own and no file that is opened later does.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8", errors="backslashreplace"))  # noqa: SIM115
