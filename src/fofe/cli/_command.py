"""How a command is declared: a function whose docstring is its help, with a list of options.

    @command("train a model", option("config CONFIG.toml", "the configuration"), JSON)
    def train(args: argparse.Namespace) -> None:
        '''What `fofe train --help` says.

Examples:
          fofe train my.toml
        '''

Modules that declare commands import nothing heavy at the top: `fofe --help` imports all of them.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

Run: TypeAlias = "Callable[[argparse.Namespace], int | None]"
"""Does the work; returns the exit code, or None for 0."""
Add: TypeAlias = "Callable[[argparse._ActionsContainer], object]"
"""Adds an option, or several, to a parser or to a group of its options."""


USAGE_ERROR = 2
"""The exit code where a command cannot be done as it was given."""


class Parser(argparse.ArgumentParser):
    """A parser that lets options stand between arguments, and suggests the option that was probably meant."""

    _parsing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if self._parsing:  # called back for the options alone, then for the arguments
            return super().parse_known_args(args, namespace)
        self._parsing = True
        plain = self._subparsers or "--" in (args or ())
        parse = super().parse_known_args if plain else super().parse_known_intermixed_args
        parsed, rest = parse(args, namespace)
        self._parsing = False
        for word in rest:
            if word.startswith("-"):
                name = word.partition("=")[0]
                near = difflib.get_close_matches(name, self._option_string_actions, n=1)
                hint = f"did you mean {near[0]}?" if near else f"see {self.prog} --help"
                self.exit(USAGE_ERROR, f"fofe: there is no option {name}: {hint}\n")
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """One line, like every other error, in place of the usage."""
        self.exit(USAGE_ERROR, f"fofe: {message} (see {self.prog} --help)\n")

    def add_commands(self, commands: Iterable[Command]) -> None:
        """Add commands, which the help lists if none is given."""
        self.set_defaults(run=self._ask_for_command)
        inner = self.add_subparsers(title="commands", metavar="COMMAND")
        for one in commands:
            one.add_to(inner)

    def _ask_for_command(self, _: argparse.Namespace) -> int:
        self.print_help(sys.stderr)
        return USAGE_ERROR


@dataclass(frozen=True)
class Command:
    """A command that does something, or a group that only has commands of its own (`fofe model inspect`)."""

    name: str
    help: str
    description: str
    examples: str
    options: tuple[Add, ...] = ()
    run: Run | None = None
    commands: tuple[Command, ...] = ()

    def add_to(self, subparsers: argparse._SubParsersAction[Parser]) -> None:
        """Add the command and its options."""
        parser = subparsers.add_parser(
            self.name,
            help=self.help,
            description=self.description.rstrip(),
            epilog=f"examples:\n{self.examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for add in self.options:
            add(parser)
        if self.commands:
            parser.add_commands(self.commands)
        else:
            parser.set_defaults(run=self.run)


def command(help: str, *options: Add, name: str | None = None) -> Callable[[Run], Command]:
    """Make a command of a function, by default called like it. Its docstring has description and examples."""

    def make(run: Run) -> Command:
        description, _, examples = inspect.cleandoc(run.__doc__ or "").partition("Examples:\n")
        return Command(name or run.__name__, help, description, examples, options, run)

    return make


def group(module: str, doc: str | None, help: str, *commands: Command) -> Command:
    """The group of a module's commands, called like the module, whose docstring describes it."""
    examples = "\n".join(one.examples.partition("\n")[0] for one in commands)
    return Command(module.rpartition(".")[2], help, doc or "", examples, commands=commands)


def option(usage: str, help: str, **settings: Any) -> Add:
    """An option or an argument: `-m --model MODEL`, `--unit line|file`, `--[no-]nested`, `inputs FILE`.

    `settings` are those of `add_argument`. The help states the default.
    """
    words = usage.replace("[no-]", "").split()
    names = [word for word in words if word.startswith("-")] or words[:1]
    for value in words[len(names) :]:
        settings |= {"choices": value.split("|")} if "|" in value else {"metavar": value}
    if "[no-]" in usage:
        settings["action"] = argparse.BooleanOptionalAction
    if settings.get("default") not in (None, [], "", "-") and "default:" not in help:
        help += " (default: %(default)s)"
    return lambda parser: parser.add_argument(*names, help=help, **settings)


def flag(usage: str, help: str, **settings: Any) -> Add:
    """An option without a value."""
    return option(usage, help, action="store_true", **settings)


def repeated(usage: str, help: str, **settings: Any) -> Add:
    """An option that may be given several times; its values are collected in a list."""
    if not settings.get("required"):
        settings["default"] = []
    return option(usage, f"{help}; may be repeated", action="append", **settings)


def titled(title: str, *options: Add) -> Add:
    """Options under a title of their own."""
    return lambda parser: _add_all(parser.add_argument_group(title), options)


def one_of(*options: Add, required: bool = False) -> Add:
    """Options that exclude one another."""
    return lambda parser: _add_all(parser.add_mutually_exclusive_group(required=required), options)


def _add_all(container: argparse._ActionsContainer, options: tuple[Add, ...]) -> None:
    for add in options:
        add(container)
