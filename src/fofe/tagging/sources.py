"""The documents of files and streams, as inputs that are read when their turn comes."""

import codecs
import glob
import io
import json
import os
import re
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from fofe.base.errors import FofeError, InputError, NotTextError
from fofe.base.files import (
    NUL_BYTES,
    STANDARD,
    WITHOUT_NUL_BYTES,
    check_is_text,
    decode_plain_text,
    decode_utf8,
    display_name,
    open_bytes,
)
from fofe.base.report import EMPTY_FILES, Report
from fofe.formats import FORMATS, OTHER_FILES, brat, corpus_files, files_in, format_function, jsonl
from fofe.tagging.pipeline import Input, fail, given_text, ready
from fofe.tagging.tables import TABLES, NoColumnError, rows
from fofe.text.document import Document

TEXT_LINES = "text, a line a document"
TEXT_FILE = "text, a file a document"

JSON_AS_TEXT = "read as plain text, but looks like JSON lines (give --input jsonl)"
LONG_LINE = 1 << 19
"""Bytes from which on a line of plain text is read in parts: it may be longer than memory."""
MOST_BYTES = 8 << 20
"""Bytes of any other document, which cannot be cut."""
IN_PARTS = "lines of more than half a megabyte tagged in parts, as documents of their own"
MOST_OF_CHARACTER = 4
"""Bytes of a character of UTF-8."""
_TOO_LONG = f"is longer than {MOST_BYTES >> 20} MB, the most that a document can have"
_SHORTER = "cut the document up, or give its text as a line of plain text, of any length"
_NO_UNIT = "leave --unit file out: each line is then a document"
_PLAIN_FILES = "only files right in it are read: give others by a pattern of the shell, DIR/*/*.txt"
_NAME_A_FILE = "give the name of a file"
_TEXT_ITSELF = f"{_NAME_A_FILE}; fofe tag takes the text itself with --text"
_NOT_CONLL = (
    "CoNLL has a word and a tag on each line; --input text takes the file for plain text, and --text-column "
    "a .tsv file for a table"
)
_NUL_BYTES = re.compile(rb"\0.?\0", re.DOTALL)
"""As in UTF-16 and in binary files; a single one is a slip in text."""
_FAIL_ALONE = (TEXT_FILE, "brat", "spacy")
"""Kinds of input where a file is one document, or is no text anyway."""
_GLANCE = 4096
_SUFFIXES = {"text": ".txt", **{kind: f".{kind}" for kind in TABLES}}
"""Of files in a directory that are no corpora."""


@dataclass(frozen=True)
class Source:
    """A file or standard input, and what it is: plain text of either kind, or the name of a format."""

    path: str
    kind: str
    column: str = "text"
    """Of a table, the column of the texts."""


def find_sources(
    paths: Iterable[str], format: str | None, unit: str, report: Report, text_column: str | None = None
) -> list[Source]:
    """Everything that is to be read; what does not exist is reported before any work is done."""
    found = []
    text_kind = TEXT_LINES if unit == "line" else TEXT_FILE
    for path in _matches(paths):
        if Path(path).is_dir():
            found += _in_folder(path, format, text_kind, text_column, report)
        elif table := _kind_of_table(path, format, text_column):
            found.append(Source(path, table, text_column or Source.column))
        elif _is_corpus(path, format):
            found += [Source(str(file), name) for file, name in corpus_files(path, format, report)]
        elif path == STANDARD or Path(path).exists():
            found.append(Source(path, text_kind))
        else:
            remedy = _TEXT_ITSELF if " " in path else _NAME_A_FILE
            raise InputError("cannot be read: No such file or directory", path=path, remedy=remedy)
    if unit == "file" and not any(source.kind == TEXT_FILE for source in found):
        read = f"{found[0].path} is none" if found else "there is none"
        raise FofeError(f"--unit file is for plain text, and {read}: name the texts, or leave it out")
    for source in found:
        # A stream, which cannot be read twice, waits until its turn comes. So does a file that cannot be read
        # at all, so that the others are tagged.
        if source.kind not in _FAIL_ALONE and source.path != STANDARD and Path(source.path).is_file():
            with suppress(OSError), open(source.path, "rb") as stream:
                _check_start(stream.read(_GLANCE), source)
    return found


def _matches(paths: Iterable[str]) -> Iterator[str]:
    """The paths, with the files that match in place of a quoted pattern."""
    for path in paths:
        is_there = path == STANDARD or Path(path).exists()
        yield from ([] if is_there else sorted(glob.glob(path, recursive=True))) or [path]


def _check_start(head: bytes, source: Source) -> None:
    """Refuse what would only be a flood of bad lines."""
    name = display_name(source.path)
    check_is_text(head, name)
    if source.kind == TEXT_LINES and _NUL_BYTES.search(head):
        raise NotTextError(NUL_BYTES, path=name, remedy=WITHOUT_NUL_BYTES)


def _kind_of_table(path: str, format: str | None, text_column: str | None) -> str | None:
    """`csv` or `tsv`; a .tsv file is a table only if a column of it is named, since CoNLL has that suffix."""
    kind = Path(path).suffix.lower().removeprefix(".") if format is None else format
    return kind if kind in TABLES and (format or kind != "tsv" or text_column) else None


def _in_folder(
    folder: str, format: str | None, text_kind: str, text_column: str | None, report: Report
) -> list[Source]:
    """The files right in a directory of the first kind that it has; the others are counted."""
    usual = [f".{kind}" for kind in TABLES] if text_column else ["corpus", ".txt", ".csv"]
    kinds = [_SUFFIXES.get(format, format)] if format else usual
    for kind in kinds:
        noted = Report()
        if kind in _SUFFIXES.values():
            files = _with_suffix(folder, kind, noted)
        else:
            files = list(corpus_files(folder, format, noted))
        if files:
            report.add(noted)
            column = text_column or Source.column
            return [Source(str(file), text_kind if name == "txt" else name, column) for file, name in files]
    raise InputError(f"holds no {' or '.join(kinds)} file", path=folder, remedy=_PLAIN_FILES)


def _with_suffix(folder: str, suffix: str, report: Report) -> list[tuple[str | Path, str]]:
    """The files with that suffix right in a directory, each with the suffix as its kind."""
    found: list[tuple[str | Path, str]] = []
    for file in files_in(Path(folder), report):
        if file.suffix.lower() == suffix:
            found.append((file, suffix[1:]))
        else:
            report.note(OTHER_FILES, str(file))
    return found


def _is_corpus(path: str, format: str | None) -> bool:
    if format is not None:
        return format != "text"
    suffixes = {suffix for known in FORMATS.values() for suffix in known}
    return path != STANDARD and Path(path).suffix.lower() in suffixes


def total_size(sources: Iterable[Source]) -> int | None:
    """The bytes of all inputs together, or None if that is not known before they are read."""
    total = 0
    for source in sources:
        try:
            status = os.fstat(sys.stdin.fileno()) if source.path == STANDARD else os.stat(source.path)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode) or source.kind not in (TEXT_LINES, TEXT_FILE, "jsonl"):
            return None
        total += status.st_size
    return total


def texts(given: Iterable[str]) -> Iterator[Input]:
    """The inputs of texts from the command line."""
    return (given_text(f"text:{number}", text) for number, text in enumerate(given, start=1))


def inputs(sources: Iterable[Source], report: Report) -> Iterator[Input | None]:
    """The inputs of all sources; one that cannot be read does not keep the others from it.

    None stands where the next input has not arrived yet: those before it should not wait for it.
    """
    for source in sources:
        read = _READERS.get(source.kind, _documents)
        try:
            yield from read(source, report)
        except InputError as error:
            if isinstance(error, (NotTextError, NoColumnError)) and source.kind not in _FAIL_ALONE:
                raise
            yield Input(partial(fail, error), 0)


class _Pipe(io.RawIOBase):
    """What arrives at a file descriptor, and whether a line has arrived."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._file = stream.fileno()
        self._peeking = False
        self.lines = io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._peeking:
            return None
        read = os.read(self._file, len(buffer))
        buffer[: len(read)] = read
        return len(read)

    def pauses(self) -> bool:
        """Whether the next line would have to be waited for."""
        self._peeking = True
        arrived = self.lines.peek()
        self._peeking = False
        return b"\n" not in arrived and not select.select([self._file], [], [], 0)[0]


def _pipe(stream: IO[bytes]) -> _Pipe | None:
    """The stream as a pipe, or None if it is a file, whose lines are all there."""
    with suppress(OSError):  # such as a stream in memory
        if os.name == "posix" and not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return _Pipe(stream)
    return None


def _lines(source: Source, report: Report) -> Iterator[Input | None]:
    """The lines of plain text, or of a JSON corpus, as documents; None where a pipe pauses."""
    is_text, name = source.kind == TEXT_LINES, display_name(source.path)
    number, begun = 0, False
    with open_bytes(source.path) as stream:
        pipe = _pipe(stream)
        lines = pipe.lines if pipe else stream
        for number, part, line in _text_lines(lines) if is_text else _json_lines(lines):
            if number == 1 and part < 2:
                _check_start(line, source)
            if not begun and line.strip():
                begun = True
                if is_text and _looks_like_json_line(line):
                    report.found(JSON_AS_TEXT, name)
            if part == 1:
                report.note(IN_PARTS, f"{name}:{number}")
            if is_text or len(line) <= MOST_BYTES:
                yield line_input(source, number, line, part)
            else:
                error = InputError(_TOO_LONG, path=name, line=number, remedy=_SHORTER)
                yield Input(partial(fail, error), len(line))
            if pipe and pipe.pauses():
                yield None
    if not (number if is_text else begun):
        report.note(EMPTY_FILES, name)


def _text_lines(stream: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Numbered lines; of one that is too long numbered parts from 1, while others have part 0."""
    number, part, rest = 1, 0, b""
    while line := rest + stream.readline(LONG_LINE - len(rest)):
        ended = line.endswith(b"\n") or len(line) < LONG_LINE
        end = len(line) if ended else _end_of_part(line)
        line, rest = line[:end], line[end:]
        part += bool(part) or not ended
        if part < 2 or line.strip():
            yield number, part, line
        if ended:
            number, part = number + 1, 0


def _end_of_part(line: bytes) -> int:
    """Where to cut a line that goes on: behind its last space, else before its last character."""
    if end := max(line.rfind(b" "), line.rfind(b"\t")) + 1:
        return end
    last = range(len(line) - 1, len(line) - 1 - MOST_OF_CHARACTER, -1)
    return next((place for place in last if line[place] & 0xC0 != 0x80), len(line))


def _json_lines(stream: IO[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Numbered lines, each with a 0 for a whole line; of one that is too long no more than shows that."""
    number = 0
    while line := stream.readline(MOST_BYTES + 1):
        number, rest = number + 1, line
        while len(rest) > MOST_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(MOST_BYTES + 1)
        yield number, 0, line


def _looks_like_json_line(line: bytes) -> bool:
    line = line.removeprefix(codecs.BOM_UTF8).lstrip()
    try:
        value = json.loads(line) if line.startswith(b"{") else None
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not value.keys().isdisjoint(("text", "tokens", "sentences"))


def line_input(source: Source, number: int, line: bytes, part: int = 0) -> Input:
    """A line, or a part of one, as a document; an empty line of JSON is none."""
    read = partial(_read_line, source, number, part, line)
    place = f"{number}:{part}" if part else str(number)
    return Input(read, len(line), f"{display_name(source.path)}:{place}", source.kind == TEXT_LINES)


def _read_line(source: Source, number: int, part: int, line: bytes, report: Report) -> Document | None:
    name = display_name(source.path)
    place = f"{number}:{part}" if part else number
    id = f"{'stdin' if source.path == STANDARD else source.path}:{place}"
    if source.kind == TEXT_LINES:
        return Document(decode_plain_text(line, name, number).rstrip("\r\n"), id=id)
    text = decode_utf8(line, name, number)
    if not text.strip():
        return None
    document = jsonl.parse_line(text, name, number, report)
    document.id = document.id or id
    return document


def _text_file(source: Source, report: Report) -> Iterator[Input]:
    name = display_name(source.path)
    with open_bytes(source.path) as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(_TOO_LONG, path=name, remedy=_NO_UNIT)
    if not content:
        report.note(EMPTY_FILES, name)
        return
    id = "" if source.path == STANDARD else source.path
    yield ready(Document(decode_plain_text(content, name), id=id), name, is_text=True)


def _documents(source: Source, report: Report) -> Iterator[Input]:
    """The documents of a corpus; of CoNLL the words alone."""
    is_conll = source.kind == "conll"
    try:
        read = format_function(source.kind, "read")
        for number, document in enumerate(read(source.path, report), start=1):
            if is_conll:
                document = Document.from_words([sentence.words for sentence in document.sentences])
            yield ready(document, f"document {number} of {display_name(source.path)}")
    except InputError as error:
        if not is_conll or error.line is None or isinstance(error.__context__, UnicodeDecodeError):
            raise
        # Its own remedy names options that only commands have which read tags.
        raise InputError(error.problem, path=error.path, line=error.line, remedy=_NOT_CONLL) from None


def _table(source: Source, report: Report) -> Iterator[Input]:
    return rows(source.path, source.kind, source.column, MOST_BYTES, report)


def _brat(source: Source, report: Report) -> Iterator[Input]:
    for path, id in brat.texts(source.path, report):
        size = path.stat().st_size if path.exists() else 0
        yield Input(partial(brat.read_document, path, id), size)


_READERS: dict[str, Callable[[Source, Report], Iterator[Input | None]]] = {
    TEXT_LINES: _lines,
    TEXT_FILE: _text_file,
    "jsonl": _lines,
    "brat": _brat,
    **dict.fromkeys(TABLES, _table),
}
