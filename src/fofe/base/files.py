"""Files in and out: text with clear errors, compressed and standard streams, atomic writes, locks."""

import bz2
import ctypes
import errno
import gzip
import io
import lzma
import os
import re
import secrets
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, cast

from fofe.base.errors import InputError, NotTextError, os_errors
from fofe.base.report import Report

STANDARD = "-"
"""The path of standard input or output."""
Target = str | Path | IO[str]
"""Where text is written: a path, `-` for standard output, or an open stream."""

TRUNCATED = "truncated compressed files, read up to where they break off"
NOT_UTF8 = "lines that are not UTF-8 left out"

_NOT_TEXT = (
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32", "convert it: iconv -f utf-32 -t utf-8"),
    (rb"\xff\xfe|\xfe\xff", "UTF-16", "convert it: iconv -f utf-16 -t utf-8"),
    (rb"\x1f\x8b", "packed by gzip", "unpack it with gunzip, or read it by zcat FILE | fofe ... -"),
    (rb"BZh\d1AY&SY", "packed by bzip2", "unpack it with bunzip2, or read it by bzcat FILE | fofe ... -"),
    (rb"\xfd7zXZ\0", "packed by xz", "unpack it with unxz, or read it by xzcat FILE | fofe ... -"),
    (rb"PK\x03\x04", "a zip archive", "unpack it with unzip; of an office document, save the text"),
    (rb"\x89PNG\r\n", "a PNG image", "give text"),
    (rb"%PDF-\d\.\d[\r\n]", "a PDF document", "take the text out of it, for example with pdftotext"),
)
"""The first bytes of files that are not UTF-8 text, what such a file is, and what to do about it."""

_DECOMPRESSORS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
"""The first bytes of compressed files. Their names are ignored."""
DECOMPRESSION_ERRORS = (EOFError, OSError, lzma.LZMAError, zlib.error)


def display_name(path: str | Path) -> str:
    """The name of a path in messages."""
    return "<stdin>" if str(path) == STANDARD else str(path)


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file or of standard input, without a byte order mark; line ends stay."""
    with open_bytes(path) as stream:
        return decode_utf8(stream.read(), display_name(path))


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file or of standard input with their numbers, one at a time."""
    name = display_name(path)
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            yield number, decode_utf8(line, name, number)


def read_valid_lines(path: str | Path, report: Report) -> Iterator[tuple[int, str]]:
    """The numbered lines of a UTF-8 file, compressed or not; unreadable ones are counted and skipped."""
    with open_compressed(path) as stream:
        try:
            for number, line in enumerate(stream, start=1):
                try:
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:  # noqa: PERF203
                    report.note(NOT_UTF8, f"{path}:{number}")
        except DECOMPRESSION_ERRORS:
            report.note(TRUNCATED, str(path))


def decode_utf8(data: bytes, path: str | Path | None = None, line: int | None = None) -> str:
    """Decode a file, or the line of that number, as UTF-8; an error names the line and the byte."""
    begins = line in (None, 1)
    if begins:
        check_is_text(data, path)
    try:
        return data.decode("utf-8-sig" if begins else "utf-8")
    except UnicodeDecodeError as error:
        place = f"{error.start}{' of the line' if line else ''}"
        number = line or data.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{data[error.start]:02x} at offset {place} is not UTF-8"
        remedy = "convert the file, for example with iconv -f latin1 -t utf-8"
        raise InputError(problem, path=path, line=number, remedy=remedy) from None


def check_is_text(head: bytes, path: str | Path | None = None) -> None:
    """Refuse, by its first bytes, a file that is not UTF-8 text, rather than complain of every line."""
    for mark, kind, remedy in _NOT_TEXT:
        if re.match(mark, head):
            raise NotTextError(f"is {kind}, not text in UTF-8", path=path, remedy=remedy)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of a file or of standard input."""
    if str(path) == STANDARD:
        yield sys.stdin.buffer
        return
    with os_errors("read", path), open(path, "rb") as stream:
        yield stream


def open_compressed(path: str | Path) -> io.BufferedIOBase:
    """The bytes of a file, decompressed if it is gz, bz2 or xz; damage raises `DECOMPRESSION_ERRORS`."""
    with open_bytes(path) as stream:
        magic = stream.read(6)
    opener = next((opener for begins, opener in _DECOMPRESSORS.items() if magic.startswith(begins)), open)
    return cast(io.BufferedIOBase, opener(path, "rb"))


@contextmanager
def open_output(target: Target) -> Iterator[IO[str]]:
    """The stream itself, standard output, or a file that appears only when it is complete."""
    if not isinstance(target, (str, Path)):
        yield target
    elif str(target) == STANDARD:
        sys.stdout.flush()
        wrapper = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
        try:
            yield wrapper
        finally:
            wrapper.detach()
    else:
        with write_atomically(target) as stream:
            yield stream


def _full_disk(path: str | Path) -> AbstractContextManager[None]:
    """Name what was being written when the disk was full: such errors name no file."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return os_errors("written", path, "make room on the disk", only=full)


@contextmanager
def write_atomically(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is complete.

    The target of a symbolic link is replaced, not the link. A pipe or a device, such as /dev/null, is never
    replaced: it is written directly.
    """
    target = Path(os.path.realpath(path))
    is_file = os.path.isfile(path) or not os.path.exists(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}") if is_file else Path(path)
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    remedy = None if target.parent.is_dir() else f"make the directory {target.parent} first"
    with os_errors("written", path, remedy):
        stream = open(temporary, mode, encoding=encoding, newline=newline)  # noqa: SIM115
    try:
        with _full_disk(path), stream:
            yield stream
            stream.flush()
            if is_file:
                os.fsync(stream.fileno())
        if is_file:
            temporary.replace(target)
    except BaseException:
        if is_file:
            temporary.unlink(missing_ok=True)
        raise


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step, so that neither is ever missing; False where the system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and rename(here, bytes(one), here, bytes(other), exchange) == 0


@contextmanager
def atomic_directory(path: Path) -> Iterator[Path]:
    """A directory to write into, which replaces that at a path, or the target of a link, when complete."""
    target = Path(os.path.realpath(path))
    with os_errors("written", path, "choose another directory"):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    old = temporary.with_name(f"{temporary.name}.old")
    try:
        with _full_disk(path):
            yield temporary
        temporary.chmod(0o755)
        for file in filter(Path.is_file, temporary.rglob("*")):
            with open(file, "rb") as stream:
                os.fsync(stream.fileno())
        if target.exists() and _exchange(temporary, target):
            old = temporary
        else:
            if target.exists():
                target.rename(old)
            temporary.rename(target)
    except BaseException:
        if old.exists():
            old.rename(target)
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def lock(path: str | Path, *, wait: bool) -> Iterator[bool]:
    """Lock a file for this process, however it ends; yields False if another has it and we do not `wait`.

    On systems without such locks (Windows) every process gets it.
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
