"""TOML in, and out: what a configuration holds, and no more."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fofe.base.errors import ConfigError
from fofe.base.files import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(path: str | Path) -> dict[str, Any]:
    """The table of a TOML file."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"is not valid TOML: {error}", path=path) from None


def toml_value(text: str) -> Any:
    """The value that a text is in TOML, such as `20` or `[1, 2]`; a ValueError where it is none."""
    return tomllib.loads(f"value = {text}")["value"]


def to_toml(table: Mapping[str, Any]) -> str:
    """A table of plain values, tables and lists of tables as TOML."""
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
    # What JSON writes of strings, numbers and truth values TOML reads the same way, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
