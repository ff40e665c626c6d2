"""The command line: one module per top-level command, found and run from here."""

import argparse
import difflib
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from fofe.base.errors import FofeError, InputError
from fofe.base.version import __version__
from fofe.cli._command import USAGE_ERROR, Command, Parser

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
    "distil",
    "tune",
    "tag",
    "serve",
    "evaluate",
    "fuse",
    "suggest",
    "model",
    "corpus",
    "vectors",
    "gazetteer",
    "kbp",
    "completion",
)
"""In the order of the help text. The module of each defines a command of the same name."""

SYNONYMS = {
    "annotate": "tag",
    "compare": "evaluate",
    "ensemble": "model average",
    "models": "model list",
    "predict": "tag",
    "score": "evaluate",
    "search": "tune",
    "test": "evaluate",
    "wikipedia": "corpus wiki",
}
"""Other words that users try, and the commands that do it."""

PARTIAL = 1
"""The exit code of a command that finished but skipped some documents or found problems."""
NAMING = {
    "format": "--format",
    "source_format": "--from",
    "target_format": "--to",
    "done_format": "--done-format",
    "input": "--input",
    "set": "--set data.format=F",
}
"""The options that name the format of a corpus, by their attributes."""
INTERRUPTED = 130


def make_parser(commands: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of all commands, or of some."""
    parser = Parser(
        prog="fofe",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"fofe {__version__}")
    parser.add_commands(map(_declared, commands))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Errors that a user can fix end with a message and exit code 2."""
    _open_closed_streams()
    words = sys.argv[1:] if arguments is None else arguments
    if (problem := _unknown_command(words)) is not None:
        print(f"fofe: {problem}", file=sys.stderr)
        return USAGE_ERROR
    # Only the module of the command that was named is imported, which makes the start faster.
    args = make_parser(words[:1] if words and words[0] in COMMANDS else COMMANDS).parse_args(words)
    try:
        code: int | None = args.run(args)
        sys.stdout.flush()
    except FofeError as error:
        print(f"fofe: {_with_option(error, args)}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt as interrupt:  # a command that can be resumed says how
        print("; ".join(["fofe: interrupted", *interrupt.args]), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; without this Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, a directory without write permission
        place = "" if error.filename is None else f"{error.filename}: "
        print(f"fofe: {place}{error.strerror or error}", file=sys.stderr)
        return USAGE_ERROR
    return code or 0


def _with_option(error: FofeError, args: argparse.Namespace) -> FofeError:
    """The error; if its remedy is to name a format, with the options of the command that do so."""
    if not isinstance(error, InputError) or "name the format" not in (error.remedy or ""):
        return error
    options = [option for name, option in NAMING.items() if name in args]
    if "input" in args and "format" in args:  # that of the output
        options.remove(NAMING["format"])
    remedy = f"{error.remedy}, by {' or '.join(options)}" if options else error.remedy
    return InputError(error.problem, path=error.path, line=error.line, remedy=remedy)


def _declared(name: str) -> Command:
    declared: Command = getattr(import_module(f"fofe.cli.{name}"), name)
    return declared


def _inner(name: str) -> list[str]:
    """The commands of a group, such as `model inspect`; none for a command that has none."""
    return [f"{name} {one.name}" for one in _declared(name).commands]


def _unknown_command(words: Sequence[str]) -> str | None:
    """What is wrong with the name of a command, and what was probably meant; None if it exists."""
    if not words or words[0].startswith("-"):
        return None
    word, near = words[0], []
    if word in COMMANDS:
        near = _inner(word)
        if not near or len(words) < 2 or words[1].startswith("-") or f"{word} {words[1]}" in near:
            return None
        word = words[1]
    paths = [path for name in COMMANDS for path in (name, *_inner(name))]
    same = [SYNONYMS[word]] if word in SYNONYMS else [path for path in paths if path.split()[-1] == word]
    meant = _similar(word, near) or same or _similar(word, COMMANDS) or _similar(word, paths)
    hint = f"see fofe {words[0]} --help" if near else "see fofe --help"
    if meant:
        hint = f"did you mean {' or '.join(f'fofe {path}' for path in meant)}?"
    return f"there is no command {word!r}: {hint}"


def _similar(word: str, paths: Sequence[str]) -> list[str]:
    """The paths whose last word is spelled most like this one."""
    closest = difflib.get_close_matches(word, [path.split()[-1] for path in paths], n=1)
    return [path for path in paths if path.split()[-1] in closest]


def _open_closed_streams() -> None:
    """Put the null device in place of standard streams that are closed (`>&-`), for which Python has None.

    They are opened in the order of their numbers, so that each gets its own and no file opened later does.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8", errors="backslashreplace"))  # noqa: SIM115
