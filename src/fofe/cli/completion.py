"""`fofe completion`: completion of commands and options for a shell."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  fofe completion bash > ~/.local/share/bash-completion/completions/fofe
  fofe completion zsh > ~/.zfunc/_fofe
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser(
        "completion",
        help="print a shell completion script",
        description="Print a script that completes the commands and options of fofe in a shell.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from fofe.cli import make_parser

    print(shtab.complete(make_parser(), shell=args.shell))
    return 0
