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
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, cast

from fofe.base.errors import InputError, NotTextError, os_errors
from fofe.base.report import Report

STANDARD = "-"
"""The path of standard input or output."""
Target = str | Path | IO[str]
"""Where text is written: a path, `-` for standard output, or an open stream."""

WRITING = ".writing"
"""How the names of files and directories end that are not complete."""

TRUNCATED = "truncated compressed files, read up to the break"
NOT_UTF8 = "lines not in UTF-8 left out"
NUL_BYTES = "holds NUL bytes, as no text does"
WITHOUT_NUL_BYTES = "of UTF-16 text, convert the file: iconv -f utf-16le -t utf-8; else use tr -d '\\000'"

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


def decode_plain_text(data: bytes, path: str | Path, line: int | None = None) -> str:
    """Like `decode_utf8`, for text that people wrote, which holds no NUL bytes either."""
    text = decode_utf8(data, path, line)
    if (place := data.find(b"\0")) >= 0:
        number = line or data.count(b"\n", 0, place) + 1
        raise InputError(NUL_BYTES, path=path, line=number, remedy=WITHOUT_NUL_BYTES)
    return text


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


def is_standard_output(path: Path) -> bool:
    """Whether standard output is redirected into a file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(1))
    except OSError:
        return False


def _full_disk(path: str | Path) -> AbstractContextManager[None]:
    """Name what was being written when the disk was full: such errors name no file."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return os_errors("written", path, "make room on the disk", only=full)


@contextmanager
def write_atomically(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is complete, and then outlives a power failure.

    The target of a symbolic link is replaced, not the link. A pipe or a device, such as /dev/null, is never
    replaced: it is written directly.
    """
    target = Path(os.path.realpath(path))
    is_file = os.path.isfile(path) or not os.path.exists(path)
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "\n")
    remedy = None if target.parent.is_dir() else f"make the directory {target.parent} first"
    with os_errors("written", path, remedy):
        temporary, opened = _aside(target) if is_file else (Path(path), path)
        stream = open(opened, mode, encoding=encoding, newline=newline)  # noqa: SIM115
    try:
        with _full_disk(path), stream:
            yield stream
            stream.flush()
            if is_file:
                os.fsync(stream.fileno())
        if is_file:
            temporary.replace(target)
            _sync(target.parent)
    except BaseException:
        if is_file:
            temporary.unlink(missing_ok=True)
        raise


def _aside(target: Path, *, is_directory: bool = False) -> tuple[Path, int]:
    """A new file or directory beside a target, and a descriptor that locks it until it is closed.

    What is there and not locked was left by a process that was killed: the first use of a folder deletes it.
    """
    _remove_leftovers(target.parent)
    while True:
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}{WRITING}")
        if is_directory:
            temporary.mkdir(0o700)
        flags = os.O_RDONLY if is_directory else os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(temporary, flags | getattr(os, "O_BINARY", 0), 0o666)
        _try_lock(descriptor)
        if os.fstat(descriptor).st_nlink:
            return temporary, descriptor
        os.close(descriptor)  # another process took it for a leftover before it was locked


@cache
def _remove_leftovers(folder: Path) -> None:
    """Delete what killed processes were writing in a folder, where locks tell that they have ended."""
    if sys.platform == "win32":
        return
    for leftover in folder.glob(f".*.{'[0-9a-f]' * 8}{WRITING}"):
        with suppress(OSError):
            is_directory = leftover.is_dir()
            flags = os.O_RDONLY if is_directory else os.O_WRONLY
            descriptor = os.open(leftover, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if _try_lock(descriptor):
                    shutil.rmtree(leftover) if is_directory else leftover.unlink()
            finally:
                os.close(descriptor)


def _sync(path: Path) -> None:
    """Have a file, or the names in a directory, on disk; some systems cannot do so for directories."""
    with suppress(OSError) if path.is_dir() else nullcontext():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
        temporary, descriptor = _aside(target, is_directory=True)
    old = temporary.with_name(f"{temporary.name}.old")
    try:
        with _full_disk(path):
            yield temporary
        temporary.chmod(0o755)
        for file in temporary.rglob("*"):
            _sync(file)
        _sync(temporary)
        if target.exists() and _exchange(temporary, target):
            old = temporary
        else:
            if target.exists():
                target.rename(old)
            temporary.rename(target)
        _sync(target.parent)
    except BaseException:
        if old.exists():
            old.rename(target)
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        os.close(descriptor)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def lock(path: str | Path, *, wait: bool) -> Iterator[bool]:
    """Lock a file for this process, however it ends; yields False if another has it and we do not `wait`.

    On systems without such locks (Windows) every process gets it.
    """
    with open(path, "a", encoding="utf-8") as stream:
        yield _try_lock(stream.fileno(), wait=wait) is not False


def _try_lock(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file until it is closed; False if another process has it, None if there are no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ModuleNotFoundError, OSError):
        return None
    return True
