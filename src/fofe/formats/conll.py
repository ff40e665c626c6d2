"""CoNLL columns: one token a line, a blank line after each sentence, the tag in a column.

Reading. Tabs separate the columns if most lines have tabs, else runs of spaces do. A line that begins with
`-DOCSTART-` starts a document. A line that begins with `#` is a comment only if it cannot be a token: its tag
column has no tag. The tag scheme is recognised from the complete file, which is therefore read into memory. A
label may end in `_NOM` or `.NOM` (a nominal) or `.NAM` (a name): `PER.NOM` has type PER and kind NOM. The
original text is not known: words are joined by spaces and sentences by newlines.

Writing. Two columns, word and tag, separated by a space. Whitespace inside a word becomes underscores. Of
mentions that overlap the longest is kept. Everything that is changed or lost is counted.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from fofe.base.errors import InputError, in_file
from fofe.base.files import Target, display_name, open_output, read_text
from fofe.base.report import EMPTY_FILES, Report, counted
from fofe.formats import common
from fofe.formats.tag_schemes import (
    OUTSIDE,
    TagScheme,
    TagSpan,
    detect_tag_scheme,
    is_tag,
    tag_scheme,
)
from fofe.text.align import align
from fofe.text.document import Document

AUTO = "auto"
DOCUMENT_START = "-DOCSTART-"
CROSSING = "mentions left out for crossing a sentence border"

_OF_SCHEMES = (".iob1", ".iob2", ".bio", ".bioes", ".bilou", ".bmes")
"""Suffixes that name a tag scheme."""
_SPACES = re.compile("[ \t]+")
_MENTION = re.compile(r"[^\t]+\t\d+\t\d+\t[^\t]+\t[01]\.\d{4}\t")
"""A line of TSV that `fofe tag` writes."""
_UNWRITABLE = re.compile("[ \t\n\r\v\f]")


class Row(NamedTuple):
    """A token, and the line where it stands."""

    word: str
    tag: str
    line: int


Rows = list[Row]
"""A sentence."""


def read(
    path: str | Path,
    report: Report,
    *,
    token_column: int = 0,
    tag_column: int | None = -1,
    scheme: str = AUTO,
    comments: bool | None = None,
) -> Iterator[Document]:
    """The documents of a CoNLL file, or of standard input for the path `-`.

    Columns count from 0, or from the end if negative; with a `tag_column` of None only words are read. Lines
    that begin with `#` are comments if `comments` is true and tokens if it is false; None decides by line.
    """
    name = display_name(path)
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    with in_file(name):
        documents = _Table(lines, token_column, tag_column, comments).documents(report, name)
        sentences = list(chain.from_iterable(documents))
        found = scheme_of(sentences, scheme, report)
    if not sentences:
        report.note(EMPTY_FILES, name)
    for rows in documents:
        yield document_of(rows, found, name, report)


@dataclass
class _Table:
    """The lines of a file, split into columns."""

    lines: list[str]
    token_column: int
    tag_column: int | None
    comments: bool | None

    def __post_init__(self) -> None:
        """Separate by tabs if most rows have them; possible comments count only if there is nothing else."""
        filled = [line for line in self.lines if line.strip(" \t") and not line.startswith(DOCUMENT_START)]
        rows = [line for line in filled if not line.startswith("#")] or filled
        self._tabs = 2 * sum("\t" in line for line in rows) > len(rows)

    def documents(self, report: Report, path: str) -> list[list[Rows]]:
        """The sentences of each document; those before the first start are a document too."""
        documents: list[list[Rows]] = []
        rows: Rows = []
        width: int | None = None
        for number, line in enumerate(self.lines, start=1):
            columns = line.split("\t") if self._tabs else _SPACES.split(line.strip(" \t"))
            if line.startswith(DOCUMENT_START):
                rows = []
                documents.append([])
            elif not line.strip(" \t"):
                rows = []
            elif self._is_comment(line, columns):
                report.note("comment lines left out", f"{path}:{number}")
            else:
                width = width or len(columns)
                if not rows:
                    documents = documents or [[]]
                    documents[-1].append(rows)
                rows.append(self._row(number, line, columns, width))
        return documents

    def _is_comment(self, line: str, columns: list[str]) -> bool:
        """True for a comment such as `# text = ...`, false for the token `#` of a tweet."""
        if not line.startswith("#") or self.comments is False:
            return False
        if self.comments or (self._tabs and "\t" not in line):
            return True
        return self.tag_column is not None and not is_tag(_column(columns, self.tag_column) or "")

    def _row(self, number: int, line: str, columns: list[str], width: int) -> Row:
        """The row of a line, which must have as many columns as the rows before it."""
        word = _column(columns, self.token_column)
        tag = OUTSIDE if self.tag_column is None else _column(columns, self.tag_column)
        if len(columns) != width:
            problem = f"{counted(len(columns), 'columns')} where the rows before have {width}"
            separator = "tab" if self._tabs else "space"
            remedy = f"look for a {separator} inside a token, or a line without its tag"
            if line.startswith("#"):
                remedy += "; a comment line needs --comments"
        elif not word:
            problem = "the token column is empty" if word == "" else f"there is no column {self.token_column}"
            remedy = "--token-column names the column of the words, from 0"
        elif self.tag_column is not None and len(columns) == 1:
            problem, remedy = "one column only, so no tag", "give a word and a tag on each line"
        elif tag is None:
            problem, remedy = f"there is no column {self.tag_column}", "columns count from 0"
        elif not is_tag(tag):
            problem = f"{tag!r} is not a tag"
            remedy = "a tag is O or like B-PER; --tag-column names its column"
        else:
            return Row(word, tag, number)
        if _MENTION.match(line):
            problem = "a mention in a table that fofe tag wrote, not a word and its tag"
            remedy = "such a table is no corpus: let fofe tag write JSON lines, -o FILE.jsonl"
        raise InputError(problem, line=number, remedy=remedy)


def _column(columns: list[str], number: int) -> str | None:
    return columns[number] if -len(columns) <= number < len(columns) else None


def scheme_of(sentences: list[Rows], name: str, report: Report) -> TagScheme | None:
    """The scheme of that name, or `AUTO`, of the tags of a file; None for a file without mentions."""
    if name == AUTO:
        if all(row.tag == OUTSIDE for rows in sentences for row in rows):
            return None
        scheme = detect_tag_scheme([row.tag for row in rows] for rows in sentences)
        report.found("tag scheme", scheme.name)
        return scheme
    scheme = tag_scheme(name)
    allowed = scheme.letters | {OUTSIDE}
    for row in chain.from_iterable(sentences):
        if row.tag[0] not in allowed:
            raise InputError(f"{row.tag!r} is no {scheme.name} tag", line=row.line)
    return scheme


def document_of(sentences: list[Rows], scheme: TagScheme | None, path: str, report: Report) -> Document:
    """The document of some sentences of words and tags."""
    document = Document.from_words([row.word for row in rows] for rows in sentences)
    for sentence, rows in zip(document.sentences, sentences, strict=True):
        spans, faults = scheme.decode([row.tag for row in rows]) if scheme else ([], [])
        for position, mend in faults:
            report.note(mend, f"{path}:{rows[position].line}")
        for first, last, label in spans:
            start, end = sentence.tokens[first].start, sentence.tokens[last - 1].end
            document.mentions.append(common.labelled(start, end, label, document.text))
    return document


def write(documents: Iterable[Document], target: Target, report: Report, *, scheme: str = "") -> None:
    """Write words and tags; several documents each begin with a `-DOCSTART-` line.

    Without a tag scheme, the suffix of the file may name one (`.bioes`), else it is IOB2.
    """
    suffix = Path(target).suffix if isinstance(target, (str, Path)) else ""
    tags = tag_scheme(scheme or (suffix[1:] if suffix.lower() in _OF_SCHEMES else "IOB2"))
    remaining = iter(documents)
    first = list(islice(remaining, 2))
    with open_output(target) as stream:
        for place, document in common.places(chain(first, remaining)):
            stream.write(format_document(document, report, place, scheme=tags, alone=len(first) == 1))


def format_document(document: Document, report: Report, place: str, *, scheme: TagScheme, alone: bool) -> str:
    """The rows of one document, after a `-DOCSTART-` line unless it is alone; the report calls it `place`."""
    content = common.without_surrogates("".join(_lines(document, scheme, report, place)), report, place)
    if not alone:
        return f"{DOCUMENT_START} {OUTSIDE}\n\n{content}"
    # A text that begins with U+FEFF needs a byte order mark, or U+FEFF would be taken for it.
    return common.BYTE_ORDER_MARK + content if content.startswith(common.BYTE_ORDER_MARK) else content


def _lines(document: Document, scheme: TagScheme, report: Report, place: str) -> Iterator[str]:
    common.note_losses(document, report, "CoNLL", place, kept="tokens")
    if document.id:
        report.note("document ids that CoNLL cannot hold", place)
    for words, tags in tagged_sentences(document, scheme, report, place, "CoNLL"):
        for word, tag in zip(words, tags, strict=True):
            yield f"{_writable(word, report, place)} {tag}\n"
        yield "\n"


def tagged_sentences(
    document: Document, scheme: TagScheme, report: Report, place: str, format: str
) -> Iterator[tuple[list[str], list[str]]]:
    """The words and the tags of each sentence that has any; `format` is the one that they are written in."""
    common.require_tokens(document, place)
    if Document.from_words(sentence.words for sentence in document.sentences).text != document.text:
        report.note(f"documents written without the spacing of the text, which {format} cannot hold", place)
    spans = _flat_spans(document, report, place)
    for sentence, of_sentence in zip(document.sentences, spans, strict=True):
        if sentence:
            yield sentence.words, scheme.encode(of_sentence, len(sentence))


def _flat_spans(document: Document, report: Report, place: str) -> list[list[TagSpan]]:
    """The mentions of each sentence that align with tokens, the longest of those that overlap."""
    aligned, rest = align(document)
    for mention in rest:
        crosses = sum(one.start < mention.end and mention.start < one.end for one in document.sentences) > 1
        report.note(CROSSING if crosses else common.UNALIGNED, f"{place} {mention.start}:{mention.end}")
    kept: list[list[TagSpan]] = [[] for _ in document.sentences]
    taken: set[tuple[int, int]] = set()
    for (number, start, end), mention in sorted(aligned, key=lambda pair: pair[0].start - pair[0].end):
        tokens = {(number, position) for position in range(start, end)}
        if taken.isdisjoint(tokens):
            taken |= tokens
            kept[number].append((start, end, common.label_without_spaces(mention, report)))
        else:
            shadowed = "mentions left out for overlapping one at least as long"
            report.note(shadowed, f"{place} {mention.start}:{mention.end}")
    return kept


def _writable(word: str, report: Report, place: str) -> str:
    if not word:
        raise InputError(f"{place} has an empty token")
    clean, changed = _UNWRITABLE.subn("_", word)
    if changed:
        report.note("words with whitespace written with underscores", f"{place} {word!r}")
    if clean.startswith(DOCUMENT_START):
        report.note(f"words {DOCUMENT_START} written with underscores", place)
        clean = clean.replace("-", "_")
    return clean
