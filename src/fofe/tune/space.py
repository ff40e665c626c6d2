"""What a search may change: for each key of a configuration a range or a list of values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fofe.base.errors import ConfigError
from fofe.base.settings import build, read_toml
from fofe.training.config import RunConfig, load_config


@dataclass(frozen=True)
class Range:
    """Values from `low` to `high`, whole numbers where both are; on a logarithmic scale with `log`."""

    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"low must be below high, not {self.low} and {self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"a logarithmic scale begins above 0, not at {self.low}")


@dataclass(frozen=True)
class Choices:
    """A list of values, which may be lists themselves; a search knows them by their JSON."""

    values: tuple[str, ...]


Space = dict[str, Range | Choices]
"""By the dotted keys of a configuration."""


@dataclass(frozen=True)
class _Entry:
    """What may stand for one key in a file."""

    low: Any = None
    high: Any = None
    log: bool = False
    values: Any = None


def default_space(config: RunConfig) -> Space:
    """The default space: around the values of the configuration."""
    training = config.training
    widths = sorted({max(16, config.model.hidden[0] // 2), config.model.hidden[0]})
    layers = [[width] * count for width in widths for count in (1, 2, 3)]
    batches = [max(1, training.batch // 2), training.batch, 2 * training.batch]
    space: Space = {
        "training.rate": Range(training.rate / 3, training.rate * 3, log=True),
        "training.batch": _choices(batches),
        "training.dropout": Range(0.1, 0.6),
        "training.input_dropout": Range(0.0, 0.4),
        "model.hidden": _choices([*layers, list(config.model.hidden)]),
    }
    if training.epochs > 2:
        space["training.epochs"] = Range(math.ceil(training.epochs / 2), training.epochs, whole=True)
    return space


def read_space(path: str | Path) -> Space:
    """The space of a TOML file: a table for each key, with `low` and `high`, or with `values`."""
    space = dict(_entries(read_toml(path), "", path))
    if not space:
        raise ConfigError("names nothing to try", path=path, remedy="add [training.rate] with low and high")
    return space


def check_space(
    space: Space, config: str | Path, overrides: Mapping[str, Any], path: str | Path | None
) -> None:
    """Refuse a space with a key or a value that the configuration cannot have.

    A configuration is built for every choice and both ends of every range, each with the first values of the
    other keys: what one trial may draw must be possible together. `path` is the file of the space.
    """
    load_config(config, dict(overrides))  # what is wrong without the space is not to be blamed on it
    values = {key: _bounds(allowed) for key, allowed in space.items()}
    first = {key: of_key[0] for key, of_key in values.items()}
    try:
        for key, of_key in values.items():
            for value in of_key:
                load_config(config, {**overrides, **first, key: value})
    except ConfigError as error:
        raise ConfigError(error.problem, path=path or config, remedy=error.remedy) from None


def _bounds(allowed: Range | Choices) -> list[Any]:
    """All choices, or the ends of a range, as a configuration has them."""
    if isinstance(allowed, Choices):
        return list(map(json.loads, allowed.values))
    return [int(end) if allowed.whole else end for end in (allowed.low, allowed.high)]


def _entries(tables: Mapping[str, Any], where: str, path: str | Path) -> list[tuple[str, Range | Choices]]:
    found: list[tuple[str, Range | Choices]] = []
    for key, table in tables.items():
        dotted = f"{where}.{key}" if where else key
        if not isinstance(table, Mapping):
            raise ConfigError(
                f"{dotted} must be a table", path=path, remedy=f"write [{where}] on a line of its own above"
            )
        if any(isinstance(value, Mapping) for value in table.values()):
            found += _entries(table, dotted, path)
        else:
            found.append((dotted, _dimension(dotted, build(_Entry, table, path=path), path)))
    return found


def _dimension(key: str, entry: _Entry, path: str | Path) -> Range | Choices:
    try:
        if entry.values is not None:
            if not isinstance(entry.values, list) or not entry.values or entry.low is not None:
                raise ValueError("values must be a list of at least one value, and stand alone")
            return _choices(entry.values)
        ends = (entry.low, entry.high)
        if not all(isinstance(end, (int, float)) and not isinstance(end, bool) for end in ends):
            raise ValueError("give low and high, both numbers, or values")
        whole = all(isinstance(end, int) for end in ends)
        return Range(float(entry.low), float(entry.high), entry.log, whole)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}", path=path) from None


def _choices(values: list[Any]) -> Choices:
    return Choices(tuple(dict.fromkeys(map(json.dumps, values))))
