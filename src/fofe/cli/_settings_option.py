"""The option by which commands replace values of a configuration."""

from __future__ import annotations

import argparse
from typing import Any


def add_settings_option(parser: argparse.ArgumentParser) -> None:
    """Add `--set KEY=VALUE`."""
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="replace a value of the configuration (TOML syntax); may be given several times",
    )


def overrides(args: argparse.Namespace) -> dict[str, Any]:
    """The values that were given, by their dotted keys."""
    from fofe.training.config import parse_setting

    return dict(parse_setting(setting) for setting in args.settings)
