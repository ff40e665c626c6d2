"""Kinds of arguments that commands share."""

from __future__ import annotations

import argparse


def count(text: str) -> int:
    """A number of things, at least one."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)
