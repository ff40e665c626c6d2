"""What a search may change: for each key of a configuration a range or a list of values."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from fofe.base.errors import ConfigError, SettingError
from fofe.base.settings import build, read_toml
from fofe.training.config import RunConfig

Allowed = FloatDistribution | IntDistribution | CategoricalDistribution
"""A range of numbers, or choices, which may be lists: Optuna knows them by their JSON."""
Space = dict[str, Allowed]
"""By the dotted keys of a configuration."""


@dataclass(frozen=True)
class _Entry:
    """What may stand for one key in a file."""

    low: Any = None
    high: Any = None
    log: bool = False
    values: Any = None

    def allowed(self) -> Allowed:
        """A range of whole numbers where both ends are whole; a ValueError says what is wrong."""
        if self.values is not None:
            if not isinstance(self.values, list) or not self.values or self.low is not None:
                raise SettingError("values must be a list of at least one value, and stand alone")
            return choices(self.values)
        if not {type(self.low), type(self.high)} <= {int, float}:
            raise SettingError("give low and high, both numbers, or values")
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        return (IntDistribution if whole else FloatDistribution)(self.low, self.high, log=self.log)


def choices(values: Iterable[Any]) -> CategoricalDistribution:
    """The choice between values; a ValueError for those that no setting has, such as dates."""
    try:
        return CategoricalDistribution(tuple(dict.fromkeys(map(json.dumps, values))))
    except TypeError as error:
        raise SettingError(f"values cannot be tried: {error}") from None


def value_of(drawn: Any) -> Any:
    """The value in a configuration for what Optuna has drawn: a number, or the JSON of a choice."""
    return json.loads(drawn) if isinstance(drawn, str) else drawn


def default_space(config: RunConfig) -> Space:
    """The default space: around the values of the configuration."""
    training = config.training
    widths = sorted({max(16, config.model.hidden[0] // 2), config.model.hidden[0]})
    layers = [[width] * count for width in widths for count in (1, 2, 3)]
    space: Space = {
        "training.rate": FloatDistribution(training.rate / 3, training.rate * 3, log=True),
        "training.batch": choices([max(1, training.batch // 2), training.batch, 2 * training.batch]),
        "training.dropout": FloatDistribution(0.1, 0.6),
        "training.input_dropout": FloatDistribution(0.0, 0.4),
        "model.hidden": choices([*layers, list(config.model.hidden)]),
    }
    if training.epochs > 2:
        space["training.epochs"] = IntDistribution(math.ceil(training.epochs / 2), training.epochs)
    return space


def read_space(path: str | Path) -> Space:
    """The space of a TOML file: a table for each key, with `low` and `high`, or with `values`."""
    space = dict(_entries(read_toml(path), "", path))
    if not space:
        raise ConfigError("names nothing to try", path=path, remedy="add [training.rate] with low and high")
    return space


def _entries(tables: Mapping[str, Any], where: str, path: str | Path) -> Iterator[tuple[str, Allowed]]:
    for key, table in tables.items():
        dotted = f"{where}.{key}" if where else key
        if not isinstance(table, Mapping):
            remedy = f"write [{where}] on a line of its own above"
            raise ConfigError(f"{dotted} must be a table", path=path, remedy=remedy)
        if any(isinstance(value, Mapping) for value in table.values()):
            yield from _entries(table, dotted, path)
            continue
        try:
            yield dotted, build(_Entry, table, path=path).allowed()
        except (ValueError, OverflowError) as error:
            raise ConfigError(f"{dotted}: {error}", path=path) from None
