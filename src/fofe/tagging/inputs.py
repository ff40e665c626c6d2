"""The documents that `fofe tag` is to read, as they stand in the input: small tuples that are cheap to send.

`read` gives what messages call the document, and the document, without tokens where the input has none; or
None where there is no document.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

from fofe.base.errors import InputError
from fofe.base.files import STANDARD, decode_line, decode_utf8, display_name
from fofe.base.report import Report
from fofe.formats import brat, jsonl
from fofe.text.document import Document

Named = tuple[str, Document]


class Piece(Protocol):
    """A document that has not been read."""

    @property
    def size(self) -> int:
        """Its bytes, about."""

    def read(self, report: Report) -> Named | None:
        """The document under its name; a bad one raises an InputError."""


class GivenText(NamedTuple):
    """A text from the command line."""

    number: int
    text: str

    @property
    def size(self) -> int:
        return len(self.text)

    def read(self, report: Report) -> Named:  # noqa: ARG002
        return f"text:{self.number}", Document(self.text)


class TextLine(NamedTuple):
    """A line of plain text."""

    path: str
    number: int
    line: bytes

    @property
    def size(self) -> int:
        return len(self.line)

    def read(self, report: Report) -> Named:  # noqa: ARG002
        text = decode_line(self.line, display_name(self.path), self.number).rstrip("\r\n")
        id = f"{'stdin' if self.path == STANDARD else self.path}:{self.number}"
        return id, Document(text, id=id)


class TextFile(NamedTuple):
    """A whole file of plain text."""

    path: str
    data: bytes

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self, report: Report) -> Named:  # noqa: ARG002
        name = display_name(self.path)
        id = "" if self.path == STANDARD else self.path
        return name, Document(decode_utf8(self.data, name), id=id)


class JsonLine(NamedTuple):
    """A line of a JSON corpus."""

    path: str
    number: int
    line: bytes

    @property
    def size(self) -> int:
        return len(self.line)

    def read(self, report: Report) -> Named | None:
        name = display_name(self.path)
        line = decode_line(self.line, name, self.number)
        if not line.strip():
            return None
        document = jsonl.parse_line(line, name, self.number, report)
        return document.id or f"{name}:{self.number}", document


class Words(NamedTuple):
    """The sentences of a document of a CoNLL file, whose tags make sense only in the whole file."""

    path: str
    number: int
    sentences: list[list[str]]

    @property
    def size(self) -> int:
        return sum(len(word) + 1 for words in self.sentences for word in words)

    def read(self, report: Report) -> Named:  # noqa: ARG002
        return f"document {self.number} of {display_name(self.path)}", Document.from_words(self.sentences)


class BratText(NamedTuple):
    """A text file of a brat corpus."""

    path: str
    id: str

    @property
    def size(self) -> int:
        path = Path(self.path)
        return path.stat().st_size if path.exists() else 0

    def read(self, report: Report) -> Named:
        document = brat.read_document(Path(self.path), self.id, report)
        return self.id, document


class ReadAlready(NamedTuple):
    """A document of a format that is read from a whole file at once."""

    name: str
    document: Document

    @property
    def size(self) -> int:
        return len(self.document.text)

    def read(self, report: Report) -> Named:  # noqa: ARG002
        return self.name, self.document


class Unreadable(NamedTuple):
    """What could not even be opened or taken apart: it fails when its turn comes."""

    error: InputError

    @property
    def size(self) -> int:
        return 0

    def read(self, report: Report) -> None:  # noqa: ARG002
        raise self.error


MERE_TEXT = (GivenText, TextLine, TextFile)
"""What nobody expects to bring tokens."""
