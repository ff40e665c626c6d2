"""Offsets in UTF-16 units or UTF-8 bytes, for programs that do not count code points (JavaScript, Java)."""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from fofe.base.errors import InputError

OffsetUnit = Literal["codepoints", "utf16", "bytes"]


class OffsetMap:
    """Converts positions in one text between code points and another unit.

    A lone surrogate counts as one UTF-16 unit and as three bytes, as in `encode(..., "surrogatepass")`.
    """

    def __init__(self, text: str, unit: OffsetUnit) -> None:
        if unit not in get_args(OffsetUnit):
            remedy = f"choose one of {', '.join(get_args(OffsetUnit))}"
            raise InputError(f"unknown unit of offsets {unit!r}", remedy=remedy)
        self.unit = unit
        same = unit == "codepoints" or text.isascii()
        self._starts: Sequence[int] = range(len(text) + 1) if same else _unit_starts(text, unit)

    def from_codepoints(self, position: int) -> int:
        """The position in this map's unit of a position in code points."""
        self._check(position, len(self._starts) - 1)
        return self._starts[position]

    def to_codepoints(self, position: int) -> int:
        """The position in code points of one in this map's unit; an error inside of a character."""
        self._check(position, self._starts[-1])
        found = bisect_left(self._starts, position)
        if self._starts[found] != position:
            problem = f"offset {position} in {self.unit} falls inside character {found - 1}"
            raise InputError(problem, remedy="check which unit the offsets are counted in")
        return found

    def _check(self, position: int, last: int) -> None:
        if not 0 <= position <= last:
            problem = f"offset {position} lies outside the text, which ends at {last} ({self.unit})"
            remedy = "check that the offsets belong to this text and which unit they are counted in"
            raise InputError(problem, remedy=remedy)


def _unit_starts(text: str, unit: OffsetUnit) -> Sequence[int]:
    """[len(text) + 1] where each character starts, and the text ends, in another unit."""
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    widths = 1 + (characters >= 0x10000).astype(np.int64)
    if unit == "bytes":
        widths += (characters >= 0x80).astype(np.int64) + (characters >= 0x800)
    return array("q", np.concatenate(([0], np.cumsum(widths)), dtype=np.int64).tobytes())
