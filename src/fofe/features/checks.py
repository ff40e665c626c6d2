"""Checks of settings: a value that cannot be used is a ValueError that names its key."""

from __future__ import annotations

from collections.abc import Iterable


def one_of(key: str, value: str, options: Iterable[str]) -> None:
    if value not in options:
        raise ValueError(f"{key} must be one of {', '.join(options)}, not {value!r}")


def positive(key: str, *values: int) -> None:
    for value in values:
        if value < 1:
            raise ValueError(f"{key} must be at least 1, not {value}")


def forgetting_factor(value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"a forgetting factor lies between 0 and 1, not {value}")
