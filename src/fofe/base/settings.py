"""Settings: TOML files, plain tables and frozen dataclasses, with errors that name the key."""

import dataclasses
import difflib
import json
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, Union

from fofe.base.errors import ConfigError, InputError, SettingError, in_file
from fofe.base.files import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Settings = TypeVar("Settings")

MOST_PARTS = 64
_LONG_KEY = re.compile(rf"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){{{MOST_PARTS}}}""")
"""Dotted keys nest tables without end, and take time that grows with the square of their length."""
_KINDS = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}


def require(settings: object, names: str, holds: Callable[[Any], bool], rule: str) -> None:
    """Check some settings, or each of their values if they are tuples; None passes.

    The error names the setting: "batch must be at least 1, not 0" for the rule "must be at least 1".
    """
    for name in names.split():
        given = getattr(settings, name)
        for value in given if isinstance(given, tuple) else (given,):
            if value is not None and not holds(value):
                raise SettingError(f"{name} {rule}, not {value!r}")


def build(cls: type[Settings], table: Mapping[str, Any], *, path: str | Path | None = None) -> Settings:
    """Make a settings dataclass from a table; unknown keys and wrong types are errors."""
    with in_file(path):
        return typing.cast(Settings, _build(cls, table, ""))


def to_table(settings: Any) -> dict[str, Any]:
    """The plain table of a settings dataclass, without unset values; the inverse of `build`."""
    return typing.cast(dict[str, Any], _plain(dataclasses.asdict(settings)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _build(cls: Any, table: Any, where: str) -> Any:
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where or 'the configuration'} must be a table, not {table!r}")
    hints = typing.get_type_hints(cls)
    known = [field.name for field in dataclasses.fields(cls)]
    for key in table:
        if key not in known:
            raise ConfigError(f"unknown key {_join(where, key)!r}", remedy=did_you_mean(key, known, "keys"))
    values = {key: _convert(hints[key], value, _join(where, key)) for key, value in table.items()}
    for field in dataclasses.fields(cls):
        required = field.default is field.default_factory is dataclasses.MISSING
        if required and field.name not in values:
            raise ConfigError(f"missing key {_join(where, field.name)!r}", remedy="add it")
    try:
        return cls(**values)
    except ValueError as error:
        raise ConfigError(f"{where + ': ' if where else ''}{error}") from None


def did_you_mean(name: str, known: Iterable[str], what: str) -> str:
    """The known name that is spelled most like this one, else all of them."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f"did you mean {close[0]!r}?" if close else f"known {what}: {', '.join(known)}"


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _convert(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin in (Union, types.UnionType):
        options = [option for option in arguments if option is not type(None)]
        return None if value is None else _convert(options[0], value, where)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where} must be a list, not {value!r}")
        return tuple(_convert(arguments[0], item, f"{where}[{number}]") for number, item in enumerate(value))
    if origin is dict:
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} must be a table, not {value!r}")
        return {key: _convert(arguments[1], item, _join(where, key)) for key, item in value.items()}
    if dataclasses.is_dataclass(hint):
        return _build(hint, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise ConfigError(f"{where} is too large for a number") from None
    if hint is Any or (isinstance(value, hint) and (hint is bool or not isinstance(value, bool))):
        return value
    raise ConfigError(f"{where} must be {_KINDS.get(hint, str(hint))}, not {value!r}")


def read_toml(path: str | Path) -> dict[str, Any]:
    """The table of a TOML file."""
    text = read_text(path)
    if _LONG_KEY.search(text):
        raise ConfigError(f"is not valid TOML: a key has more than {MOST_PARTS} parts", path=path)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also integers of too many digits, and deep nesting
        raise ConfigError(f"is not valid TOML: {error}", path=path) from None


def parse_json(text: str | bytes, path: str | Path | None = None) -> Any:
    """The value of a JSON text; integers of too many digits and deep nesting are errors like any other."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", path=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON that can be read: {error}", path=path) from None


def toml_value(text: str) -> Any:
    """Parse one TOML value, such as `20` or `[1, 2]`; a ValueError if it is not valid."""
    return tomllib.loads(f"value = {text}")["value"]


def to_toml(table: Mapping[str, Any]) -> str:
    """The TOML of a table of plain values, tables and lists of tables."""
    return "\n".join(_lines(table, "")).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], where: str) -> list[str]:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not _is_nested(value)]
    for key, value in table.items():
        name = f"{where}{_key(key)}"
        if isinstance(value, Mapping):
            lines += ["", f"[{name}]", *_lines(value, f"{name}.")]
        elif _is_nested(value):
            for item in value:
                lines += ["", f"[[{name}]]", *_lines(item, f"{name}.")]
    return lines


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isalnum() and bare.isascii() else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    # JSON and TOML write strings, numbers and booleans alike, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
