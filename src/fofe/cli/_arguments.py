"""Kinds of arguments that commands share."""

from __future__ import annotations

import argparse
import math

from fofe.base.errors import FofeError


def count(text: str) -> int:
    """A number of things, at least one."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def natural(text: str) -> int:
    """A whole number that may be 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def percent(text: str) -> float:
    """A share in percent. What looks like a share of 1 is refused: 0.95 would ask for next to nothing."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not in percent: give 95 for 95 %")
    return number


def numbers(option: str, text: str | None) -> tuple[float, ...]:
    """The numbers of an option such as `--weights 1,0.5`; none where it was not given."""
    try:
        given = tuple(float(number) for number in text.split(",")) if text else ()
    except ValueError:
        given = (math.nan,)
    if not all(map(math.isfinite, given)):
        raise FofeError(f"{option} {text} is not a list of numbers (for example 1,0.5)")
    return given
