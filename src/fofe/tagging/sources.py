"""Where `fofe tag` finds its documents, and chunks of them, read as they are needed."""

from __future__ import annotations

import codecs
import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fofe.base.errors import InputError, NotTextError
from fofe.base.files import STANDARD, check_is_text, display_name, open_bytes
from fofe.base.report import EMPTY_FILES, Report
from fofe.formats import FORMATS, brat, conll, corpus_files
from fofe.tagging.inputs import (
    BratText,
    GivenText,
    JsonLine,
    Piece,
    ReadAlready,
    TextFile,
    TextLine,
    Unreadable,
    Words,
)

CHUNK_BYTES = 32_768
"""Some thousand words: few messages between processes, and results soon."""

TEXT_LINES = "text, a line a document"
TEXT_FILE = "text, a file a document"

JSON_AS_TEXT = "read as plain text, but looks like JSON lines (give --input jsonl)"
_PLAIN_FILES = "name files of plain text one by one, or by a pattern of the shell: DIR/*.txt"
_TEXT_ITSELF = "give the name of a file, or the text itself with --text"
_NOT_CONLL = "CoNLL has a word and a tag on each line; --input text takes the file for plain text"


_NUL_BYTES = "of UTF-16 text, convert the file: iconv -f utf-16le -t utf-8"
_FAIL_ALONE = (TEXT_FILE, "brat", "spacy")
"""Kinds of input where a file is one document, or is no text anyway."""
_GLANCE = 4096


@dataclass(frozen=True)
class Source:
    """A file or standard input, and what it is: plain text of either kind, or the name of a format."""

    path: str
    kind: str


def find_sources(paths: Iterable[str], format: str | None, unit: str, report: Report) -> list[Source]:
    """Everything that is to be read; what does not exist is told here, before any work is done."""
    found = []
    for path in paths:
        if _is_corpus(path, format):
            files = [Source(str(file), name) for file, name in corpus_files(path, format, report)]
            if not files:
                raise InputError("holds no file of a known format", path=path, remedy=_PLAIN_FILES)
            found += files
        elif Path(path).is_dir():
            raise InputError("is a directory", path=path, remedy=_PLAIN_FILES)
        elif path == STANDARD or Path(path).exists():
            found.append(Source(path, TEXT_LINES if unit == "line" else TEXT_FILE))
        else:
            raise InputError("cannot be read: No such file or directory", path=path, remedy=_TEXT_ITSELF)
    for source in found:
        _check_file(source)
    return found


def _check_file(source: Source) -> None:
    """Look at the start of a file; a stream, which cannot be read twice, waits until its turn comes.

    A file that cannot be read at all is told when its turn comes, so that the others are tagged.
    """
    alone = source.kind in _FAIL_ALONE
    if not alone and source.path != STANDARD and Path(source.path).is_file():
        try:
            with open_bytes(source.path) as stream:
                _check_start(stream.read(_GLANCE), source)
        except NotTextError:
            raise
        except InputError:
            return


def _check_start(head: bytes, source: Source) -> None:
    """Refuse what would only be a flood of bad lines."""
    name = display_name(source.path)
    check_is_text(head, name)
    if source.kind == TEXT_LINES and b"\0" in head:
        raise NotTextError("holds NUL bytes, as no text does", path=name, remedy=_NUL_BYTES)


def _is_corpus(path: str, format: str | None) -> bool:
    if format is not None:
        return format != "text"
    suffixes = {suffix for known in FORMATS.values() for suffix in known.suffixes}
    return path != STANDARD and (Path(path).suffix.lower() in suffixes or Path(path).is_dir())


def total_size(sources: Iterable[Source]) -> int | None:
    """The bytes of all pieces together, or None if that is not known before they are read."""
    sizes = [_size(source) for source in sources]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _size(source: Source) -> int | None:
    try:
        status = os.fstat(sys.stdin.fileno()) if source.path == STANDARD else os.stat(source.path)
    except OSError:
        return None
    known = stat.S_ISREG(status.st_mode) and source.kind in (TEXT_LINES, TEXT_FILE, "jsonl")
    return status.st_size if known else None


def texts(given: Iterable[str]) -> Iterator[Piece]:
    """The pieces of texts from the command line."""
    return (GivenText(number, text) for number, text in enumerate(given, start=1))


def pieces(sources: Iterable[Source], report: Report) -> Iterator[Piece]:
    """The pieces of all sources; one that cannot be read does not keep the others from it."""
    return (piece for source in sources for piece in _pieces(source, report))


def _pieces(source: Source, report: Report) -> Iterator[Piece]:
    try:
        if source.kind in _READERS:
            yield from _READERS[source.kind](source.path, report)
        else:
            yield from _documents(source, report)
    except NotTextError:
        raise
    except InputError as error:
        yield Unreadable(error)


def chunks(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Lists of consecutive pieces."""
    chunk: list[Piece] = []
    size = 0
    for piece in pieces:
        chunk.append(piece)
        size += 1 + piece.size  # empty ones count too: a stream of those must not pile up
        if size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _text_lines(path: str, report: Report) -> Iterator[Piece]:
    number, begun = 0, False
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                _check_start(line, Source(path, TEXT_LINES))
            if not begun and line.strip():
                begun = True
                if _looks_like_json_line(line):
                    report.found(JSON_AS_TEXT, display_name(path))
            yield TextLine(path, number, line)
    if not number:
        report.note(EMPTY_FILES, display_name(path))


def _looks_like_json_line(line: bytes) -> bool:
    line = line.removeprefix(codecs.BOM_UTF8).lstrip()
    try:
        value = json.loads(line) if line.startswith(b"{") else None
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not value.keys().isdisjoint(("text", "tokens", "sentences"))


def _text_file(path: str, _: Report) -> Iterator[Piece]:
    with open_bytes(path) as stream:
        data = stream.read()
    yield TextFile(path, data)


def _json_lines(path: str, report: Report) -> Iterator[Piece]:
    empty = True
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                check_is_text(line, display_name(path))
            empty = empty and not line.strip()
            yield JsonLine(path, number, line)
    if empty:
        report.note(EMPTY_FILES, display_name(path))


def _conll(path: str, report: Report) -> Iterator[Piece]:
    try:
        for number, document in enumerate(conll.read(path, report), start=1):
            yield Words(path, number, [sentence.words for sentence in document.sentences])
    except InputError as error:
        if error.line is None or isinstance(error.__context__, UnicodeDecodeError):
            raise
        # Its own remedy names options that only commands have which read tags.
        raise InputError(error.problem, path=error.path, line=error.line, remedy=_NOT_CONLL) from None


def _documents(source: Source, report: Report) -> Iterator[Piece]:
    for number, document in enumerate(FORMATS[source.kind].read(source.path, report), start=1):
        yield ReadAlready(document.id or f"document {number} of {display_name(source.path)}", document)


def _brat(path: str, report: Report) -> Iterator[Piece]:
    for text_path, id in brat.texts(path, report):
        yield BratText(str(text_path), id)


_READERS: dict[str, Callable[[str, Report], Iterator[Piece]]] = {
    TEXT_LINES: _text_lines,
    TEXT_FILE: _text_file,
    "jsonl": _json_lines,
    "conll": _conll,
    "brat": _brat,
}
