"""Source documents: newswire, discussion forum, the variants with `<DOC><BODY>`, and all of these as LTF.

Offsets count code points of the source as it is written, markup and all, from the `<` of the document's own
tag or from the first character of its file; in LTF, from the first character of the raw text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.files import read_text
from fofe.base.report import EMPTY_FILES, Report
from fofe.kbp.ltf import RawText, is_ltf, raw_texts
from fofe.kbp.shown_text import Shown, Tag, attribute, tag_at, tags
from fofe.text.detect import detect
from fofe.text.document import Sentence, Token

NAMES_THE_DOCUMENT = {"docid", "docno"}
NOT_TEXT = NAMES_THE_DOCUMENT | {"doctype", "date", "datetime", "date_time", "postdate", "poster"}
"""Elements whose content says something about the document and is not part of it."""
INLINE = {"a", "b", "big", "em", "font", "i", "s", "small", "span", "strong", "sub", "sup", "u", ""}
"""Tags within a sentence, and what is no element, such as a comment."""
_SUFFIXES = re.compile(r"(?<=.)(\.(xml|sgml?|txt|cmp|df|ltf|mpdf|nw|rsd|src))+$", re.IGNORECASE)
"""Those of the names of source documents."""
_GLANCE = 4096
"""The number of bytes that show what a file is."""

ENGLISH, CHINESE, SPANISH = "eng", "cmn", "spa"
UNKNOWN = "und"
"""The code of ISO 639 for a language that was not determined."""
_CODES = {
    **dict.fromkeys(("en", "eng"), ENGLISH),
    **dict.fromkeys(("zh", "zho", "chi", "cmn"), CHINESE),
    **dict.fromkeys(("es", "spa"), SPANISH),
}

_DOCUMENT = re.compile(r"<doc(?=[\s>])", re.IGNORECASE)
_DOCUMENT_ID = re.compile(r"""<doc\s+id\s*=\s*["']?([^\s"'<>]+)""", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """How source documents are read."""

    quotes: bool = False
    """Whether quoted text is part of the document."""
    from_file: bool = False
    """Whether offsets count from the first character of the file, even if `<?xml ...?>` stands there."""
    ltf_tokens: bool = False
    """Whether the segments and tokens of LTF are taken for sentences and tokens, instead of our own."""


@dataclass(frozen=True)
class SourceDocument:
    """A document as it was written, and what a reader sees of it."""

    id: str
    text: str
    """The source as offsets count it."""
    shown: Shown
    authors: tuple[tuple[int, int], ...]
    """Where the authors of posts are named; half-open."""
    path: str = ""
    is_ltf: bool = False
    declared: str = ""
    """The language that LTF names."""
    sentences: tuple[Sentence, ...] = ()
    """Those of LTF, in what is shown, if they were asked for."""

    def language(self) -> str | None:
        """Its language as three letters: by its id, by LTF, by its text; None where none is clear."""
        codes = (_CODES.get(name) for name in (self.declared.lower(), detect(self.shown.text) or ""))
        return language_of_id(self.id) or next(filter(None, codes), None)


def language_code(code: str) -> str:
    """The three letters of a language that was given as `en`, `eng`, `zh`, `cmn`, `fra` ..."""
    known = _CODES.get(code.lower())
    if known is None and not re.fullmatch("[a-z]{3}", code.lower()):
        raise InputError(f"unknown language {code!r}", remedy="give three letters: eng, cmn, spa")
    return known or code.lower()


def language_of_id(id: str) -> str | None:
    """The language that an id names, as in `ENG_NW_001278`, `NYT_ENG_20130822.0147`, `bolt-cmn-DF-1`."""
    parts = re.findall(r"[A-Za-z]+", id.lower())
    return next((_CODES[part] for part in parts if len(part) == 3 and part in _CODES), None)


def name_of_file(path: Path) -> str:
    """The id of a document that has none of its own: the name of its file without suffixes."""
    return _SUFFIXES.sub("", path.name)


def source_files(paths: list[str], report: Report | None = None) -> list[Path]:
    """The files that were given, and the documents in directories that were given, in a fixed order.

    LTF comes last: of a document in both forms, the source is read first. What is no document, such as a file
    list or a README, is left out of directories, and counted.
    """
    found: dict[Path, None] = {}
    report = Report() if report is None else report
    for path in map(Path, paths):
        if path.is_dir():
            files = (file for file in path.rglob("*") if file.is_file())
            inside = [file for file in files if not re.search(r"(^|/)\.", file.relative_to(path).as_posix())]
            if not inside:
                raise InputError("has no files", path=path)
            documents = [file for file in sorted(inside) if _may_be_document(file)]
            for file in sorted(set(inside).difference(documents)):
                report.note(f"{EMPTY_FILES} left out", str(file))
            found |= dict.fromkeys(documents or inside)
        elif path.exists():
            found[path] = None
        else:
            raise InputError("cannot be read: No such file or directory", path=path)
    return sorted(found, key=lambda file: is_ltf(_head(file)))


def _head(path: Path) -> str:
    """The beginning of a file; empty for one that cannot be read, or only once, such as a pipe."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_GLANCE) if path.is_file() else b""
    except OSError:
        data = b""
    return data.decode("utf-8-sig", "replace")


def _may_be_document(path: Path) -> bool:
    """Whether a file begins like a document, or has no beginning, which is an error of its own."""
    head = _head(path)
    return not head.strip() or _DOCUMENT.search(head) is not None or is_ltf(head)


def read_sources(path: str | Path, reading: Reading, report: Report) -> Iterator[SourceDocument | InputError]:
    """The documents of a file; in the place of one that cannot be read, the reason."""
    try:
        text = read_text(path)
    except InputError as error:
        yield error
        return
    if not is_ltf(text):
        yield from _documents(text, path, reading, report)
        return
    try:
        for raw in raw_texts(text, report):
            yield from _ltf_documents(raw, path, reading, report)
    except InputError as error:
        yield InputError(error.problem, path=path, remedy=error.remedy)


def _ltf_documents(
    raw: RawText, path: str | Path, reading: Reading, report: Report
) -> Iterator[SourceDocument | InputError]:
    """The documents of a raw text: those of its tags, or all of it if it has none."""
    found: Iterable[SourceDocument | InputError]
    if _DOCUMENT.search(raw.text):
        found = _documents(raw.text, path, replace(reading, from_file=True), report)
    else:
        shown = Shown(raw.text)
        shown.add(0, len(raw.text))
        shown.end_block()
        id = name_of_file(Path(raw.id or path))
        found = [SourceDocument(id, raw.text, shown, (), str(path))]
    for document in found:
        if not isinstance(document, InputError):
            sentences = _ltf_sentences(raw, document.shown) if reading.ltf_tokens else ()
            document = replace(document, is_ltf=True, declared=raw.language, sentences=sentences)
        yield document


def _ltf_sentences(raw: RawText, shown: Shown) -> tuple[Sentence, ...]:
    """The segments of LTF in what is shown; tokens of markup are not."""
    sentences = []
    for segment in raw.segments:
        places = filter(None, (shown.from_source(*span) for span in segment))
        if tokens := [Token(shown.text[start:end], start, end) for start, end in places]:
            sentences.append(Sentence(tokens))
    return tuple(sentences)


def _documents(
    text: str, path: str | Path, reading: Reading, report: Report
) -> Iterator[SourceDocument | InputError]:
    starts = [begin.start() for begin in _DOCUMENT.finditer(text) if _is_tag(text, begin.start())]
    if not starts:
        problem = "is empty" if not text.strip() else "has no <DOC> tag"
        yield InputError(problem, path=path, remedy="give source documents: <DOC id=...> ... </DOC>")
        return
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        # What was read from is what offsets count in: the document's own text, or that of the whole file.
        own = (text, start, end) if reading.from_file else (text[start:end], 0, end - start)
        try:
            reader = _Reader(*own, quotes=reading.quotes)
            yield reader.document(Path(path), report, alone=len(starts) == 1)
        except InputError as error:
            named = _DOCUMENT_ID.match(text, start)
            which = named[1] if named else f"at offset {start} of the file"
            yield InputError(f"document {which}: {error.problem}", path=path, remedy=error.remedy)


def read_all(
    files: Iterable[str | Path], reading: Reading, report: Report, bad: list[InputError]
) -> Iterator[SourceDocument]:
    """The documents of several files; why others could not be read is added to `bad`."""
    seen = Seen(report, bad)
    for path in files:
        for document in read_sources(path, reading, report):
            if isinstance(document, InputError):
                bad.append(document)
            elif seen.is_new(document.id, document.path, document.is_ltf):
                yield document


class Seen:
    """The documents that were read, so that each is used once."""

    def __init__(self, report: Report, bad: list[InputError]) -> None:
        self._report, self._bad = report, bad
        self._forms: dict[str, tuple[str, bool]] = {}
        """The path of each document, and whether that is LTF."""

    def is_new(self, id: str, path: str, is_ltf: bool) -> bool:
        """False for a repeated id, which is an error, unless it is that of an LTF whose source was read."""
        if id not in self._forms:
            self._forms[id] = (path, is_ltf)
            return True
        other, other_is_ltf = self._forms[id]
        if is_ltf and not other_is_ltf:
            self._report.note("documents given as source and as LTF, read once, from the source", id)
        else:
            problem = f"document {id} was already in {other}"
            self._bad.append(InputError(problem, path=path, remedy="give each its own id"))
        return False


def _is_tag(text: str, start: int) -> bool:
    try:
        return tag_at(text, start) is not None
    except InputError:
        return True  # a tag that is cut off: its document cannot be read


@dataclass
class _Reader:
    """Goes through the tags of one document and sorts out what is text."""

    text: str
    start: int
    end: int
    quotes: bool
    id: str = ""
    open_quotes: int = 0
    ended: bool = False
    authors: list[tuple[int, int]] = field(default_factory=list)
    remarks: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shown = Shown(self.text)

    def document(self, path: Path, report: Report, *, alone: bool) -> SourceDocument:
        """Read to the end of the document; one that is alone in its file may be called by its name."""
        found = list(tags(self.text, self.start, self.end))
        for tag, after in zip_longest(found, found[1:]):
            self._tag(tag)
            self._text(tag, after, self.end if after is None else after.start)
        if not self.ended:
            self.remarks.append(("documents without </DOC>", self.end))
        self.shown.end_block()
        if not self.id:
            if not alone:
                remedy = 'write <DOC id="...">'
                raise InputError("has no id, and is not the only one of its file", remedy=remedy)
            self.id = name_of_file(path)
            report.note("documents without an id, called by the name of the file", self.id)
        if re.search(r"\s", self.id):
            remedy = "ids stand in columns: write _ instead"
            raise InputError(f"the id {self.id!r} has a space in it", remedy=remedy)
        for what, place in self.remarks:
            report.note(what, f"{self.id}:{place}")
        return SourceDocument(self.id, self.text, self.shown, tuple(self.authors), str(path))

    def _tag(self, tag: Tag) -> None:
        if tag.name not in INLINE:
            self.shown.end_block()
        if tag.broken:
            self.remarks.append(("tags with broken attributes", tag.start))
        if tag.name == "post" or (tag.name == "doc" and tag.closes):
            if self.open_quotes:  # no quote goes over the border of a post
                self.remarks.append(("quotes never closed, ended with the post", tag.start))
            self.open_quotes = 0
        if tag.name == "doc":
            self.ended |= tag.closes
            if not tag.closes and (place := attribute(self.text, tag, "id", "docid")):
                self.id = self.text[slice(*place)].strip()
        elif tag.name == "post" and not tag.closes:
            if not self._add_author(*(attribute(self.text, tag, "author") or (0, 0))):
                self.remarks.append(("posts without an author", tag.start))
        elif tag.name == "quote" and not tag.empty:
            if tag.closes and not self.open_quotes:
                self.remarks.append(("tags </quote> without an open quote", tag.start))
            else:
                self.open_quotes += -1 if tag.closes else 1

    def _text(self, before: Tag, after: Tag | None, end: int) -> None:
        """What stands between two tags."""
        start, name = before.end, before.name
        if self.ended:
            if self.text[start:end].strip():
                self.remarks.append(("pieces of text after </DOC> left out", start))
        elif name in NOT_TEXT and not before.closes and not before.empty:
            if after is None or after.name != name or not after.closes:
                self.remarks.append((f"tags <{name}> never closed", before.start))
            if name in NAMES_THE_DOCUMENT and not self.id:
                self.id = self.text[start:end].strip()
            elif name == "poster":
                self._add_author(start, end)
        elif not self.open_quotes or self.quotes:
            self.shown.add(start, end)

    def _add_author(self, start: int, end: int) -> bool:
        """Take `start:end` for the name of an author, unless there is only whitespace."""
        name = self.text[start:end]
        start, end = end - len(name.lstrip()), start + len(name.rstrip())
        if start < end:
            self.authors.append((start, end))
        return start < end
