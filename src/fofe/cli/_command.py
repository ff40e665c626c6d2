"""How a command is declared: a function whose docstring is its help, with a list of options.

    @command("train a model", option("config", help="the configuration"), JSON)
    def train(args: argparse.Namespace) -> int:
        '''What `fofe train --help` says.

Examples:
          fofe train my.toml
        '''

Modules that declare commands import nothing heavy at the top: `fofe --help` imports all of them.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Run: TypeAlias = "Callable[[argparse.Namespace], int]"
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


@dataclass(frozen=True)
class Option:
    """The arguments of one `add_argument`."""

    names: tuple[str, ...]
    settings: dict[str, Any]

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add it to a parser."""
        parser.add_argument(*self.names, **self.settings)


@dataclass(frozen=True)
class OptionGroup:
    """Options under a title of their own, or, without a title, options that exclude one another."""

    title: str | None
    options: tuple[Option, ...]
    required: bool = False

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add all of them to a parser."""
        group: argparse._ActionsContainer = (
            parser.add_argument_group(self.title)
            if self.title
            else parser.add_mutually_exclusive_group(required=self.required)
        )
        for one in self.options:
            one.add_to(group)


def option(*names: str, help: str, **settings: Any) -> Option:
    """An option or an argument; `settings` are those of `add_argument`. The help states the default."""
    if settings.get("default") not in (None, [], "", "-") and "default:" not in help:
        help += " (default: %(default)s)"
    return Option(names, {"help": help, **settings})


def flag(*names: str, help: str) -> Option:
    """An option without a value."""
    return Option(names, {"help": help, "action": "store_true"})


def repeated(*names: str, help: str, **settings: Any) -> Option:
    """An option that may be given several times; its values are collected in a list."""
    if not settings.get("required"):
        settings["default"] = []
    return Option(names, {"help": f"{help}; may be repeated", "action": "append", **settings})


@dataclass(frozen=True)
class Command:
    """A command that does something."""

    name: str
    help: str
    doc: str
    options: tuple[Option | OptionGroup, ...]
    run: Run

    def add_to(self, subparsers: Subparsers) -> None:
        """Add the command and its options."""
        parser = _add_parser(subparsers, self.name, self.help, self.doc)
        for one in self.options:
            one.add_to(parser)
        parser.set_defaults(run=self.run)


@dataclass(frozen=True)
class CommandGroup:
    """A command that only has commands of its own: `fofe model inspect`."""

    name: str
    help: str
    doc: str
    commands: tuple[Command, ...]

    def add_to(self, subparsers: Subparsers) -> None:
        """Add the group and its commands."""
        parser = _add_parser(subparsers, self.name, self.help, self.doc)
        inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
        for one in self.commands:
            one.add_to(inner)


def command(help: str, *options: Option | OptionGroup, name: str | None = None) -> Callable[[Run], Command]:
    """Make a command of a function, by default called like the function."""

    def declare(run: Run) -> Command:
        return Command(name or run.__name__, help, run.__doc__ or "", options, run)

    return declare


def _add_parser(subparsers: Subparsers, name: str, help: str, doc: str) -> argparse.ArgumentParser:
    """Add a parser whose description and examples are the two parts of a docstring."""
    description, _, examples = inspect.cleandoc(doc).partition("Examples:\n")
    return subparsers.add_parser(
        name,
        help=help,
        description=description.rstrip(),
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
