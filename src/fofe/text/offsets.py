"""Offsets in UTF-16 units or UTF-8 bytes, for programs that do not count code points (JavaScript, Java)."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

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
        self._length = len(text)
        # If all positions are the same in both units, there is nothing to store.
        self._starts = None if unit == "codepoints" or text.isascii() else _unit_starts(text, unit)

    def from_codepoints(self, position: int) -> int:
        """The position in this map's unit of a position in code points."""
        if not 0 <= position <= self._length:
            raise self._outside(position, self._length)
        return position if self._starts is None else int(self._starts[position])

    def to_codepoints(self, position: int) -> int:
        """The position in code points of a position in this map's unit.

        A position inside a character is an error: no code point starts there.
        """
        if self._starts is None:
            return self.from_codepoints(position)
        last = int(self._starts[-1])
        if not 0 <= position <= last:
            raise self._outside(position, last)
        found = int(np.searchsorted(self._starts, position))
        if self._starts[found] != position:
            problem = f"offset {position} in {self.unit} falls inside character {found - 1}"
            raise InputError(problem, remedy="check which unit the offsets are counted in")
        return found

    def _outside(self, position: int, last: int) -> InputError:
        return InputError(
            f"offset {position} lies outside the text, which ends at {last} ({self.unit})",
            remedy="check that the offsets belong to this text and which unit they are counted in",
        )


def _unit_starts(text: str, unit: OffsetUnit) -> NDArray[np.int64]:
    """[len(text) + 1] where each character starts, and the text ends, in another unit."""
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    widths = 1 + (characters >= 0x10000).astype(np.int64)
    if unit == "bytes":
        widths += (characters >= 0x80).astype(np.int64) + (characters >= 0x800)
    return np.concatenate(([0], np.cumsum(widths)), dtype=np.int64)
