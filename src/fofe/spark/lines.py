"""Files of lines cut into ranges of bytes, so that workers can read parts of one file.

A line belongs to the range in which it begins. To number lines as one reader would, the lines of all ranges
are counted first; that costs little beside what is done with them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fofe.base.errors import InputError

RANGE_BYTES = 4 << 20


class Range(NamedTuple):
    """A range of bytes of a file, and the number of its first line."""

    path: str
    start: int
    end: int
    first_line: int = 1


def cut_up(paths: Iterable[str], size: int) -> list[Range]:
    """The ranges of some files, in their order."""
    found = []
    for path in paths:
        try:
            total = os.stat(path).st_size
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None
        found += [Range(path, start, min(start + size, total)) for start in range(0, total, size)]
    return found


def read_range(part: Range) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in a range, with their numbers."""
    try:
        with open(part.path, "rb") as stream:
            if part.start:
                stream.seek(part.start - 1)
                stream.readline()  # the rest of a line that began before, or the end of the one before
            number = part.first_line
            while stream.tell() < part.end and (line := stream.readline()):
                yield number, line
                number += 1
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=part.path) from None


def count_lines(part: Range) -> int:
    """How many lines begin in a range."""
    return sum(1 for _ in read_range(part))


def numbered(ranges: Iterable[Range], counts: Iterable[int]) -> list[Range]:
    """The ranges with the numbers of their first lines, from the counts of their lines."""
    found: list[Range] = []
    next_line = 1
    for part, count in zip(ranges, counts, strict=True):
        if not part.start:
            next_line = 1
        found.append(part._replace(first_line=next_line))
        next_line += count
    return found
