"""The documents of files and streams, as inputs that are read when their turn comes."""

from __future__ import annotations

import codecs
import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from fofe.base.errors import InputError, NotTextError
from fofe.base.files import STANDARD, check_is_text, decode_utf8, display_name, open_bytes
from fofe.base.report import EMPTY_FILES, Report
from fofe.formats import FORMATS, brat, conll, corpus_files, jsonl
from fofe.tagging.pipeline import Input, Named, given_text
from fofe.text.document import Document

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
    """Everything that is to be read; what does not exist is reported before any work is done."""
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

    A file that cannot be read at all is reported when its turn comes, so that the others are tagged.
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
    """The bytes of all inputs together, or None if that is not known before they are read."""
    sizes = [_size(source) for source in sources]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _size(source: Source) -> int | None:
    try:
        status = os.fstat(sys.stdin.fileno()) if source.path == STANDARD else os.stat(source.path)
    except OSError:
        return None
    known = stat.S_ISREG(status.st_mode) and source.kind in (TEXT_LINES, TEXT_FILE, "jsonl")
    return status.st_size if known else None


def texts(given: Iterable[str]) -> Iterator[Input]:
    """The inputs of texts from the command line."""
    return (given_text(f"text:{number}", text) for number, text in enumerate(given, start=1))


def inputs(sources: Iterable[Source], report: Report) -> Iterator[Input]:
    """The inputs of all sources; one that cannot be read does not keep the others from it."""
    return (one for source in sources for one in _inputs(source, report))


def _inputs(source: Source, report: Report) -> Iterator[Input]:
    try:
        if source.kind in _READERS:
            yield from _READERS[source.kind](source.path, report)
        else:
            yield from _documents(source, report)
    except NotTextError:
        raise
    except InputError as error:
        yield Input(partial(_fail, error), 0)


def _fail(error: InputError, _: Report) -> NoReturn:
    raise error


def _text_lines(path: str, report: Report) -> Iterator[Input]:
    number, begun = 0, False
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                _check_start(line, Source(path, TEXT_LINES))
            if not begun and line.strip():
                begun = True
                if _looks_like_json_line(line):
                    report.found(JSON_AS_TEXT, display_name(path))
            yield text_line(path, number, line)
    if not number:
        report.note(EMPTY_FILES, display_name(path))


def _looks_like_json_line(line: bytes) -> bool:
    line = line.removeprefix(codecs.BOM_UTF8).lstrip()
    try:
        value = json.loads(line) if line.startswith(b"{") else None
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not value.keys().isdisjoint(("text", "tokens", "sentences"))


def text_line(path: str, number: int, line: bytes) -> Input:
    """A line of plain text as a document."""
    return Input(partial(_read_text_line, path, number, line), len(line), is_text=True)


def _read_text_line(path: str, number: int, line: bytes, _: Report) -> Named:
    text = decode_utf8(line, display_name(path), number).rstrip("\r\n")
    id = f"{'stdin' if path == STANDARD else path}:{number}"
    return Named(id, Document(text, id=id))


def _text_file(path: str, _: Report) -> Iterator[Input]:
    with open_bytes(path) as stream:
        data = stream.read()
    yield Input(partial(_read_text_file, path, data), len(data), is_text=True)


def _read_text_file(path: str, data: bytes, _: Report) -> Named:
    name = display_name(path)
    return Named(name, Document(decode_utf8(data, name), id="" if path == STANDARD else path))


def _json_lines(path: str, report: Report) -> Iterator[Input]:
    empty = True
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                check_is_text(line, display_name(path))
            empty = empty and not line.strip()
            yield json_line(path, number, line)
    if empty:
        report.note(EMPTY_FILES, display_name(path))


def json_line(path: str, number: int, line: bytes) -> Input:
    """A line of a JSON corpus as a document; an empty line is none."""
    return Input(partial(_read_json_line, path, number, line), len(line))


def _read_json_line(path: str, number: int, line: bytes, report: Report) -> Named | None:
    name = display_name(path)
    text = decode_utf8(line, name, number)
    if not text.strip():
        return None
    document = jsonl.parse_line(text, name, number, report)
    return Named(document.id or f"{name}:{number}", document)


def _conll(path: str, report: Report) -> Iterator[Input]:
    try:
        for number, document in enumerate(conll.read(path, report), start=1):
            sentences = [sentence.words for sentence in document.sentences]
            name = f"document {number} of {display_name(path)}"
            yield Input(partial(_read_words, name, sentences), len(document.text))
    except InputError as error:
        if error.line is None or isinstance(error.__context__, UnicodeDecodeError):
            raise
        # Its own remedy names options that only commands have which read tags.
        raise InputError(error.problem, path=error.path, line=error.line, remedy=_NOT_CONLL) from None


def _read_words(name: str, sentences: list[list[str]], _: Report) -> Named:
    return Named(name, Document.from_words(sentences))


def _documents(source: Source, report: Report) -> Iterator[Input]:
    for number, document in enumerate(FORMATS[source.kind].read(source.path, report), start=1):
        named = Named(document.id or f"document {number} of {display_name(source.path)}", document)
        yield Input(partial(_read_already, named), len(document.text))


def _read_already(named: Named, _: Report) -> Named:
    return named


def _brat(path: str, report: Report) -> Iterator[Input]:
    for text_path, id in brat.texts(path, report):
        size = text_path.stat().st_size if text_path.exists() else 0
        yield Input(partial(_read_brat, text_path, id), size)


def _read_brat(path: Path, id: str, report: Report) -> Named:
    return Named(id, brat.read_document(path, id, report))


_READERS: dict[str, Callable[[str, Report], Iterator[Input]]] = {
    TEXT_LINES: _text_lines,
    TEXT_FILE: _text_file,
    "jsonl": _json_lines,
    "conll": _conll,
    "brat": _brat,
}
