"""`fofe completion`: completion of commands and options in a shell."""

import argparse

from fofe.cli import make_parser
from fofe.cli._command import command, option


@command(
    "print a shell completion script",
    option("shell bash|zsh|tcsh", "the shell"),
)
def completion(args: argparse.Namespace) -> None:
    """Print a script that completes the commands and options of fofe in a shell.

    Examples:
      fofe completion bash > ~/.local/share/bash-completion/completions/fofe
      fofe completion zsh > ~/.zfunc/_fofe
    """
    import shtab

    print(shtab.complete(make_parser(), shell=args.shell))
