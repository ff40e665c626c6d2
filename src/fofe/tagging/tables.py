"""Texts in a column of a CSV or TSV file, whose first row names the columns.

A column `id` is the id of its documents; the others are their metadata, which JSON lines keep.
"""

import csv
from collections.abc import Iterator
from functools import partial
from itertools import chain

from fofe.base.errors import InputError, NotTextError
from fofe.base.files import STANDARD, decode_plain_text, display_name, open_bytes
from fofe.base.report import EMPTY_FILES, Report, counted
from fofe.tagging.pipeline import Input, fail, ready
from fofe.text.document import Document

TABLES = {"csv": ",;", "tsv": "\t"}
"""The kinds of tables, each with what may separate their columns."""
ID = "id"


class NoColumnError(InputError):
    """A table without one column of that name: a wrong option, not a bad file among good ones."""


def _lines(path: str, name: str, bad: dict[int, InputError]) -> Iterator[str]:
    """The lines of a table; those that are no text go into `bad`, so that only their rows are left out."""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield decode_plain_text(line, name, number)
            except InputError as error:  # noqa: PERF203
                if isinstance(error, NotTextError):
                    raise
                bad[number] = error
                yield line.replace(b"\0", b"").decode("utf-8", "replace")


_NEVER_CLOSED = "unexpected end of data"
"""What Python's csv says of it."""


def rows(path: str, kind: str, column: str, most: int, report: Report) -> Iterator[Input]:
    """The rows as documents of at most so many characters; one that cannot be read is an input that fails."""
    name, bad = display_name(path), dict[int, InputError]()
    lines = _lines(path, name, bad)
    csv.field_size_limit(most)
    head = next(lines, "")
    delimiter = max(TABLES[kind], key=head.count)
    reader = csv.reader(chain([head], lines), delimiter=delimiter, strict=True)
    try:
        names = next(reader, [])
    except csv.Error as error:
        raise InputError(f"cannot be read: {error}", path=name, line=1) from None
    if not names:
        report.note(EMPTY_FILES, name)
        return
    if bad:
        raise next(iter(bad.values()))
    if column not in names:
        remedy = f"name one with --text-column: {', '.join(names)}"
        raise NoColumnError(f"has no column {column!r}", path=name, line=1, remedy=remedy)
    if twice := [one for one in names if names.count(one) > 1]:
        remedy = "give each column a name of its own"
        raise NoColumnError(f"has several columns {twice[0]!r}", path=name, line=1, remedy=remedy)
    while True:
        line, values = reader.line_num + 1, None
        try:
            values = next(reader, None)
            if values and len(values) != len(names):
                raise csv.Error(f"{counted(len(values), 'columns')} where the first row names {len(names)}")
        except csv.Error as error:
            remedy = 'quote text that holds a separator or a line break: "...", and double the quotes in it'
            problem = str(error)
            if problem == _NEVER_CLOSED:
                problem = f"a quote is never closed: lines {line} to {reader.line_num} are not read"
            yield Input(partial(fail, InputError(problem, path=name, line=line, remedy=remedy)), 0)
            continue
        if values is None:
            if line == 2:
                report.note(EMPTY_FILES, name)
            return
        if unread := [bad[number] for number in range(line, reader.line_num + 1) if number in bad]:
            yield Input(partial(fail, unread[0]), 0)
            continue
        if values:
            meta: dict[str, object] = dict(zip(names, values, strict=True))
            text = str(meta.pop(column))
            id = str(meta.pop(ID, "")) or f"{'stdin' if path == STANDARD else path}:{line}"
            yield ready(Document(text, id=id, meta=meta), f"{name}:{line}", is_text=True)
