"""The fields of a JSON object, checked when they are taken: an error names the line and the field."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.files import display_name, read_lines, read_text
from fofe.base.report import EMPTY_FILES, Report, counted

_NAMES = {str: "a string", list: "a list", dict: "an object", bool: "true or false", type(None): "null"}
IF_DOCCANO = "if it is doccano's, name the format doccano"
IF_LABEL_STUDIO = "if it is Label Studio's, name the format label-studio"
IF_PRODIGY = "if it is Prodigy's, name the format prodigy"
IF_HUGGING_FACE = "if it is Hugging Face's, name the format hugging-face"

_BEGINNING = re.compile(r"[^\s,]")
"""Of a value, after blanks and commas."""


class Fields:
    """One JSON object of a line, and its name in messages."""

    def __init__(self, value: object, path: str, line: int, name: str, item: str = "") -> None:
        """`item` says which of several objects it is, or lies in, where a line may hold many."""
        self._path = path
        self._line = line
        self._name = name
        self._item = item
        if not isinstance(value, dict):
            raise self.error(f"{_describe(value)} where an object is needed", "write it as {...}")
        self._values: dict[str, Any] = value
        self._taken: set[str] = set()

    @property
    def place(self) -> str:
        return f"{self._path}:{self._line}" + (f" ({self._item})" if self._item else "")

    def error(self, problem: str, remedy: str | None = None) -> InputError:
        name = ", ".join(filter(None, dict.fromkeys((self._item, self._name))))
        return InputError(f"{name}: {problem}", path=self._path, line=self._line, remedy=remedy)

    def which(self, *keys: str) -> list[str]:
        """The keys that are present."""
        return [key for key in keys if key in self._values]

    def only_one(self, *keys: str) -> str | None:
        """The one key that is present, if any; an error if there are several."""
        present = self.which(*keys)
        if len(present) > 1:
            raise self.error(f'both "{present[0]}" and "{present[1]}"', "give one of them")
        return present[0] if present else None

    def take(self, key: str, kind: type | tuple[type, ...], description: str) -> Any:
        """The value of a field that must be there, of a certain type."""
        if key not in self._values:
            raise self.error(f'"{key}" is missing', f"it should be {description}")
        value = self._values[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
            raise self.error(f'"{key}" is {_describe(value)}, not {description}')
        self._taken.add(key)
        return value

    def string(self, key: str, *, empty: bool = False) -> str:
        value = self.take(key, str, "a string")
        if not value and not empty:
            raise self.error(f'"{key}" is empty')
        return str(value)

    def identifier(self, key: str) -> str:
        """An id, which may be a number in the file."""
        return str(self.take(key, (int, str), "a string")) if key in self._values else ""

    def strings(self, key: str) -> list[str]:
        """A list of words, none of them empty."""
        values: list[str] = self.take(key, list, "a list of words")
        for number, value in enumerate(values, start=1):
            if not isinstance(value, str) or not value:
                problem = "an empty word" if value == "" else f"{_describe(value)}, not a word"
                raise self.error(f'number {number} of "{key}" is {problem}')
        return values

    def number(self, key: str, default: float | None = None) -> float:
        """A number; the default, if there is one, for null or a missing field."""
        if default is not None and self._values.get(key) is None:
            return default
        value = self.take(key, (int, float), "a number")
        if not abs(value) <= sys.float_info.max:
            raise self.error(f'"{key}" is {_describe(value)}, not a number')
        return float(value)

    def flag(self, key: str) -> bool:
        """A boolean; false for null or a missing field."""
        return bool(self._values.get(key)) and bool(self.take(key, bool, "true or false"))

    def inner(self, key: str) -> Fields:
        """Another object inside this one."""
        return self._child(self.take(key, dict, "an object"), f'"{key}"')

    def objects(self, key: str, *, lists_as: tuple[str, ...] = (), optional: bool = False) -> list[Fields]:
        """A list of objects, each of which may also be the list of its fields `lists_as`."""
        if optional and key not in self._values:
            return []
        return self._children(key, self.take(key, list, "a list"), lists_as)

    def spans(self, key: str, length: int, unit: str) -> list[tuple[int, int]]:
        """The spans of a list of [start, end] pairs, or one of everything for `true`; else none."""
        if isinstance(self._values.get(key), bool):
            return [(0, length)] if self.take(key, bool, "a list") and length else []
        pairs = self.objects(key, lists_as=("start", "end"), optional=True)
        return [pair.span(length, unit) for pair in pairs]

    def head(self, start: int, end: int, unit: str) -> tuple[int, int] | None:
        """The span of a mention's head, which lies in the span of the mention."""
        if "head" not in self._values:
            return None
        (head,) = self._children("head", [self.take("head", object, "a span")], ("start", "end"))
        first, last = head.span(end, unit)
        if first < start:
            raise self.error(f"the head {first}:{last} lies outside the span {start}:{end}")
        return first, last

    def span(self, length: int, unit: str, *, inclusive: bool = False) -> tuple[int, int]:
        """The half-open span `start`, `end`, inside something of `length` characters or tokens.

        In the file, the end may be inclusive.
        """
        start: int = self.take("start", int, "a whole number")
        end: int = self.take("end", int, "a whole number") + inclusive
        if start >= end:
            remedy = f"the end is {'inclusive' if inclusive else 'exclusive'}"
            raise self.error(f"span {start}:{end - inclusive} is empty or runs backwards", remedy)
        if start < 0 or end > length:
            what = "offsets count code points" if unit == "characters" else "positions count"
            problem = f"span {start}:{end} lies outside the {counted(length, unit)}"
            raise self.error(problem, f"{what} from 0")
        return start, end

    def check_text(self, covered: str) -> None:
        """Refuse a `text` that is not what the span covers."""
        if self.which("text") and (shown := self.string("text", empty=True)) != covered:
            remedy = "offsets count code points of the text, with a half-open end"
            raise self.error(f'"text" is {shown!r} but the span covers {covered!r}', remedy)

    def renamed(self, names: dict[str, str]) -> Fields:
        """The same object with other names for some of its fields."""
        return self._child({names.get(key, key): value for key, value in self._values.items()}, self._name)

    def rest(self) -> dict[str, object]:
        """The fields that were not taken."""
        return {key: value for key, value in self._values.items() if key not in self._taken}

    def note_rest(self, report: Report) -> None:
        """Count the fields that a document cannot hold."""
        for key in self.rest():
            report.note(f'fields "{key}" of a mention or sentence left out', self.place)

    def _child(self, value: object, name: str) -> Fields:
        return Fields(value, self._path, self._line, name, self._item)

    def _children(self, key: str, values: list[object], lists_as: tuple[str, ...]) -> list[Fields]:
        children = []
        for number, value in enumerate(values, start=1):
            name = f'number {number} of "{key}"'
            if lists_as and isinstance(value, list):
                if len(value) != len(lists_as):
                    raise self.error(
                        f"{name} has {counted(len(value), 'parts')}", f"write [{', '.join(lists_as)}]"
                    )
                value = dict(zip(lists_as, value, strict=True))
            children.append(self._child(value, name))
        return children


def parse_object(line: str, path: str, number: int) -> Fields:
    """The fields of a line."""
    remedy = "put one JSON object on each line"
    if line.lstrip().startswith("["):
        remedy += f", as jq -c '.[]' does with a JSON list; {IF_LABEL_STUDIO}"
    try:
        value = STRICT.decode(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", path=path, line=number, remedy=remedy) from None
    if isinstance(value, list):
        problem = "the line: a list where an object is needed"
        raise InputError(problem, path=path, line=number, remedy=remedy)
    return Fields(value, path, number, "the line")


def read_objects(path: str | Path, report: Report) -> Iterator[Fields]:
    """The fields of each line of a file or of standard input; blank lines are skipped."""
    name, fields = display_name(path), None
    for number, line in read_lines(path):
        if line.strip():
            fields = parse_object(line, name, number)
            yield fields
    if fields is None:
        report.note(EMPTY_FILES, name)


def read_items(path: str | Path, report: Report, name: str) -> Iterator[Fields]:
    """The fields of each object of a JSON list, or of objects one after another; messages count them."""
    shown, text = display_name(path), read_text(path)
    opening = re.match(r"[\s,]*\[", text)
    position = opening.end() if opening else 0
    line, counted, number = 1, 0, 0
    while (found := _BEGINNING.search(text, position)) and not (opening and found[0] == "]"):
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        try:
            value, position = STRICT.raw_decode(text, counted)
        except (ValueError, RecursionError) as error:
            remedy = "write a JSON list, or an object per line"
            raise InputError(f"not JSON: {error}", path=shown, line=line, remedy=remedy) from None
        number += 1
        yield Fields(value, shown, line, item := f"{name} {number}", item)
    if opening and not found:
        raise InputError("the list has no end", path=shown, remedy="export or write it again")
    if not number:
        report.note(EMPTY_FILES, shown)


def _no_value(name: str) -> None:
    raise ValueError(f"{name} is no value of JSON, null is")


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError(f"{number:.20} is out of the range of numbers")
    return value


STRICT = json.JSONDecoder(parse_constant=_no_value, parse_float=_finite)
"""Refuses NaN and infinities, also numbers that become infinite, which Python would write again."""


def _describe(value: object) -> str:
    return _NAMES.get(type(value), repr(value))
