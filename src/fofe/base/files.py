"""Reading text with clear errors, writing files whole or not at all, and keeping others out meanwhile."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from fofe.base.errors import InputError, NotTextError

ENCODING_REMEDY = "convert the file, for example with iconv -f latin1 -t utf-8"

_OTHER_KINDS = tuple(
    (re.compile(mark, re.DOTALL), kind, remedy)
    for mark, kind, remedy in (
        (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32", "convert it: iconv -f utf-32 -t utf-8"),
        (rb"\xff\xfe|\xfe\xff", "UTF-16", "convert it: iconv -f utf-16 -t utf-8"),
        (rb"\x1f\x8b", "packed by gzip", "unpack it with gunzip, or read it by zcat FILE | fofe ... -"),
        (rb"BZh\d1AY&SY", "packed by bzip2", "unpack it with bunzip2, or read it by bzcat FILE | fofe ... -"),
        (rb"\xfd7zXZ\0", "packed by xz", "unpack it with unxz, or read it by xzcat FILE | fofe ... -"),
        (rb"PK\x03\x04", "a zip archive", "unpack it with unzip; of an office document, save the text"),
        (rb"\x89PNG\r\n", "a PNG image", "give text"),
        (rb"%PDF-\d\.\d[\r\n]", "a PDF document", "take the text out of it, for example with pdftotext"),
    )
)
"""How files begin that are no text in UTF-8, what they are, and what to do about it."""


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, line ends as they are, without a byte order mark."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    return decode_utf8(data, path)


def decode_utf8(data: bytes, path: str | Path | None = None) -> str:
    """Decode bytes as UTF-8; an error names the line and the byte."""
    check_is_text(data, path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8",
            path=path,
            line=data.count(b"\n", 0, error.start) + 1,
            remedy=ENCODING_REMEDY,
        ) from None


def check_is_text(head: bytes, path: str | Path | None = None) -> None:
    """Refuse, by its first bytes, what is no UTF-8 text as a whole, rather than complain of every line."""
    for mark, kind, remedy in _OTHER_KINDS:
        if mark.match(head):
            raise NotTextError(f"is {kind}, not text in UTF-8", path=path, remedy=remedy)


@contextmanager
def write_whole(path: str | Path, mode: str = "w") -> Iterator[IO[str]]:
    """Open a file that appears under its name only when it has been written to the end.

    What a link leads to is replaced, not the link. A pipe or a device, such as /dev/null, is never replaced:
    it is written as it is.
    """
    binary = "b" in mode
    is_file = os.path.isfile(path) or not os.path.exists(path)
    target = Path(os.path.realpath(path))
    try:
        if is_file:
            handle, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        else:
            handle, aside = os.open(path, os.O_WRONLY), ""
    except OSError as error:
        remedy = None if target.parent.is_dir() else f"make the directory {target.parent} first"
        raise InputError(f"cannot be written: {error.strerror}", path=path, remedy=remedy) from None
    try:
        with os.fdopen(
            handle, mode, encoding=None if binary else "utf-8", newline=None if binary else "\n"
        ) as stream:
            yield stream
            stream.flush()
            if aside:
                os.fsync(stream.fileno())
        if aside:
            os.chmod(aside, 0o666 & ~_umask())
            os.replace(aside, target)
    except BaseException:
        if os.path.exists(aside):
            os.unlink(aside)
        raise


@contextmanager
def lock(path: str | Path, *, wait: bool) -> Iterator[bool]:
    """Hold a file that only one process can hold; the system lets go of it however the process ends.

    Yields whether it is held: without `wait` it is not while another process does. Where the system knows no
    such locks (Windows), nobody is kept out.
    """
    try:
        import fcntl
    except ModuleNotFoundError:
        yield True
        return
    with open(path, "a", encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
