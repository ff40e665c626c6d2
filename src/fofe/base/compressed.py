"""Files that may be packed: gz, bz2 or xz, known by how they begin, unpacked as they are read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Any, cast

from fofe.base.errors import InputError
from fofe.base.report import Report

CUT_OFF = "packed files that end before their end, read as far as they go"
NOT_UTF8 = "lines that are not UTF-8 left out"

_OPENERS: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", lzma.open),
)
"""How packed files begin. Their names may say anything."""
BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error)


def open_packed(path: str | Path) -> BufferedIOBase:
    """The bytes of a file, unpacked; what is damaged raises one of `BROKEN` when it is read."""
    try:
        with open(path, "rb") as stream:
            magic = stream.read(6)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    opener = next((opener for begins, opener in _OPENERS if magic.startswith(begins)), open)
    return cast(BufferedIOBase, opener(path, "rb"))


def numbered_lines(path: str | Path, report: Report) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers; what cannot be read is counted and left out."""
    with open_packed(path) as stream:
        lines = enumerate(stream, start=1)
        while True:
            try:
                number, line = next(lines)
            except StopIteration:
                return
            except BROKEN:
                report.note(CUT_OFF, str(path))
                return
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                report.note(NOT_UTF8, f"{path}:{number}")
