"""What the formats have in common: files and standard streams, labels, and what a format cannot hold."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from fofe.base.errors import InputError
from fofe.base.files import ENCODING_REMEDY, check_is_text, decode_utf8, read_text, write_whole
from fofe.base.report import Report
from fofe.text.document import NAME, NOMINAL, Document, Mention, split_label

STANDARD = "-"
"""The path that stands for standard input or output."""

EMPTY_FILES = "files without a document"

Target = str | Path | IO[str]

_KIND_SUFFIXES = {".NAM": NAME, ".NOM": NOMINAL}
_SURROGATES = re.compile("[\ud800-\udfff]")
_WHITESPACE = re.compile(r"\s")


def display_name(path: str | Path) -> str:
    """How messages call a path."""
    return "<stdin>" if str(path) == STANDARD else str(path)


def read_all(path: str | Path) -> str:
    """The text of a UTF-8 file or of standard input."""
    if str(path) == STANDARD:
        return decode_utf8(sys.stdin.buffer.read(), display_name(path))
    return read_text(path)


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file or of standard input with their numbers, one at a time."""
    name = display_name(path)
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                check_is_text(line, name)
            yield number, decode_line(line, name, number)


def decode_line(line: bytes, name: str, number: int) -> str:
    """The text of one line of a UTF-8 file."""
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte 0x{line[error.start]:02x} at offset {error.start} of the line is not UTF-8",
            path=name,
            line=number,
            remedy=ENCODING_REMEDY,
        ) from None


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """A file, or standard input."""
    if str(path) == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        with open(path, "rb") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None


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
        with write_whole(target) as stream:
            yield stream


def parse_label(label: str) -> tuple[str, str]:
    """The type and kind of a label in a file: `PER`, `PER_NOM`, `PER.NAM` or `PER.NOM`."""
    kind = _KIND_SUFFIXES.get(label[-4:])
    if kind is not None and len(label) > 4:
        return label[:-4], kind
    return split_label(label)


def label_without_spaces(mention: Mention, report: Report) -> str:
    """The label of a mention for a format whose columns are separated by whitespace."""
    label, changed = _WHITESPACE.subn("_", mention.label)
    if changed:
        report.note("labels with whitespace written with underscores", mention.label)
    return label


def without_surrogates(text: str, report: Report, place: str) -> str:
    """The text as UTF-8 can hold it: U+FFFD for every lone surrogate, so that offsets stay the same."""
    text, changed = _SURROGATES.subn("\ufffd", text)
    for _ in range(changed):
        report.note("lone surrogates written as U+FFFD", place)
    return text


def has_scores(mention: Mention) -> bool:
    """Whether a mention says more than gold annotation does."""
    return mention.score != 1.0 or bool(mention.alternatives)


def text_of(mention: Mention, text: str) -> str:
    """The text of a mention, also of one that was made without it."""
    return mention.text or text[mention.start : mention.end]


def meta_beside(
    document: Document, reserved: Collection[str], report: Report, place: str
) -> dict[str, object]:
    """What a document carries along, but for what bears a name that the format uses itself."""
    for key in document.meta:
        if key in reserved:
            report.note(f"metadata {key!r} left out because the format uses that name", place)
    return {key: value for key, value in document.meta.items() if key not in reserved}


def to_json(content: dict[str, object], place: str) -> str:
    """JSON in one line; what a document carries along may be anything, and need not be JSON."""
    try:
        return json.dumps(content, ensure_ascii=False)
    except TypeError as error:
        raise InputError(f"the metadata of {place} is not JSON: {error}") from None


def note_unheld(document: Document, report: Report, format: str, place: str) -> None:
    """Count what only the JSON format keeps: scores, heads, regions and what a document carries along."""
    if document.meta:
        report.note(f"documents whose metadata {format} cannot hold", place)
    for _ in document.regions:
        report.note(f"unknown, known or negative regions that {format} cannot hold", place)
    for mention in document.mentions:
        if has_scores(mention):
            report.note(f"mention scores that {format} cannot hold", place)
        if mention.head:
            report.note(f"heads of mentions that {format} cannot hold", place)
