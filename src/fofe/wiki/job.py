"""Labelling a dump in parts: several processes share them, and a job that was killed goes on where it was.

Every part is read (wikitext to text with links), then everything known of titles is put together, then every
part is labelled. What is done lies in a work directory, each file whole or not there, until the output is
complete.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple, cast

from fofe import __version__
from fofe.base.errors import InputError
from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.base.workers import in_order
from fofe.formats import jsonl
from fofe.text.tokenise import tokeniser
from fofe.wiki.dump import RawPage, read_pages, read_site
from fofe.wiki.label import Labelled, Labeller, by_first_word
from fofe.wiki.mapping import Mapping, load_mapping
from fofe.wiki.page import Page, common_nouns, read_page
from fofe.wiki.summary import Summary
from fofe.wiki.tables import read_table
from fofe.wiki.types import TypeIndex

PAGES_IN_A_PART = 500
SETTINGS = "settings.json"


@dataclass(frozen=True)
class Settings:
    """What to label and how."""

    dumps: tuple[str, ...]
    tables: tuple[str, ...] = ()
    language: str = ""
    """That of the first dump where it is not given."""
    mapping: str | None = None
    repeats: bool = False
    namespaces: frozenset[str] = field(default=frozenset())

    def completed(self) -> Settings:
        """The same with what the first dump tells of its wiki."""
        site = read_site(self.dumps[0])
        language = tokeniser(self.language or site.language or "en").language
        return Settings(self.dumps, self.tables, language, self.mapping, self.repeats, site.namespaces)

    def load_mapping(self) -> Mapping:
        return load_mapping(self.language, self.mapping)

    def fingerprint(self) -> str:
        """Changes whenever the result would."""
        files = [(path, *_size_and_time(path)) for path in self._files()]
        content = [__version__, files, self.language, self.repeats, PAGES_IN_A_PART]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def _files(self) -> Iterator[str]:
        yield from (*self.dumps, *self.tables)
        if self.mapping:
            yield self.mapping


def _size_and_time(path: str) -> tuple[int, int]:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    return status.st_size, status.st_mtime_ns


Watch = Callable[[str, int], None]
"""Is told what is being done and how many parts of it are."""


def label_dump(
    settings: Settings, output: str | Path, folder: Path, *, workers: int = 1, watch: Watch | None = None
) -> Summary:
    """Label dumps and write the documents to a JSONL file; `folder` holds what is done until then."""
    settings = settings.completed()
    claim(folder, settings.fingerprint())
    tell = watch or (lambda _what, _parts: None)
    summary = Summary()
    parts = _read_parts(settings, folder, workers, tell, summary)
    index_file = folder / "types.jsonl"
    tables = _write_index(settings, folder, parts, index_file)
    tell("labelling pages", 0)
    label = LabelJob(settings, str(folder), str(index_file))
    with closing(in_order(label, parts, workers)) as labelled:
        for number, _ in enumerate(labelled, start=1):
            tell("labelling pages", number)
    for part in parts:
        summary.add(_load_summary(folder / f"{part}.read.json"))
        summary.add(_load_summary(folder / f"{part}.labelled.json"))
    summary.add(tables)
    _join([folder / f"{part}.labelled.jsonl" for part in parts], output)
    shutil.rmtree(folder)
    return summary


def claim(folder: Path, fingerprint: str) -> None:
    """Make the work directory, or go on with one that holds parts of the same job."""
    file = folder / SETTINGS
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", path=folder) from None
    if file.exists():
        if file.read_bytes() != json.dumps(fingerprint).encode():
            raise InputError(
                "holds the parts of another job: other files, options or version",
                path=folder,
                remedy="remove it, or name another with --work",
            )
        return
    if any(folder.iterdir()):
        raise InputError(
            "is neither empty nor a work directory", path=folder, remedy="name another with --work"
        )
    with write_atomically(file) as stream:
        json.dump(fingerprint, stream)


class _Unread(NamedTuple):
    """A part that has not been read."""

    name: str
    pages: list[RawPage]


def _read_parts(settings: Settings, folder: Path, workers: int, tell: Watch, summary: Summary) -> list[str]:
    """Read every part that is not done; returns the names of all, in their order."""
    names: list[str] = []

    def unread() -> Iterator[_Unread]:
        for name, pages in _cut_up(settings.dumps, summary.report):
            names.append(name)
            if not (folder / f"{name}.read.json").exists():
                yield _Unread(name, pages)

    tell("reading pages", 0)
    with closing(in_order(ReadJob(settings, str(folder)), unread(), workers)) as read:
        for _ in read:
            tell("reading pages", len(names))
    return names


def _cut_up(dumps: Sequence[str], report: Report) -> Iterator[tuple[str, list[RawPage]]]:
    for number, dump in enumerate(dumps, start=1):
        pages = read_pages(dump, report)
        part = 0
        while chunk := list(islice(pages, PAGES_IN_A_PART)):
            part += 1
            yield f"{number:03}-{part:06}", chunk


@dataclass(frozen=True)
class ReadJob:
    """Turns a part into pages on disk, and a file with what they say of themselves."""

    settings: Settings
    folder: str

    def start(self) -> Callable[[_Unread], None]:
        mapping = self.settings.load_mapping()

        def read(part: _Unread) -> None:
            summary = Summary()
            pages = list(read_all(part.pages, mapping, self.settings.namespaces, summary))
            file = Path(self.folder) / part.name
            _write_lines(file.with_suffix(".pages.jsonl"), (json.dumps(page.to_json()) for page in pages))
            about = [Page(page.title, "", [], page.types, page.redirect, page.ambiguous) for page in pages]
            common = sorted({title for page in pages for title in common_nouns(page)})
            content = {
                "summary": summary.to_json(),
                "pages": [page.to_json() for page in about],
                "common": common,
            }
            _write_lines(file.with_suffix(".read.json"), [json.dumps(content)])

        return read


def read_all(
    raw: Iterable[RawPage], mapping: Mapping, namespaces: frozenset[str], summary: Summary
) -> Iterator[Page]:
    """The articles and redirects among some pages."""
    for one in raw:
        page = read_page(one, mapping, namespaces, summary.report)
        if page is not None:
            summary.counts["redirects" if page.redirect is not None else "pages"] += 1
            yield page


def _write_index(settings: Settings, folder: Path, parts: Sequence[str], file: Path) -> Summary:
    """Put together what pages and tables say; returns what was wrong with the tables."""
    done = file.with_suffix(".json")
    if done.exists():
        return _load_summary(done)
    summary = Summary()
    index = TypeIndex(settings.load_mapping())
    for part in parts:
        content = json.loads((folder / f"{part}.read.json").read_text("utf-8"))
        for page in content["pages"]:
            index.add_page(Page.from_json(page))
        index.add_common(content["common"])
    for table in settings.tables:
        for title, evidence in read_table(table, settings.language, summary.report):
            index.add_evidence(title, evidence)
    index.save(file)
    _write_lines(done, [json.dumps({"summary": summary.to_json()})])
    return summary


@dataclass(frozen=True)
class LabelJob:
    """Labels the pages of a part."""

    settings: Settings
    folder: str
    index: str

    def start(self) -> Callable[[str], None]:
        mapping = self.settings.load_mapping()
        index = TypeIndex.load(Path(self.index), mapping)
        labeller = Labeller(mapping, index.resolve, by_first_word(index.lower_names()), self.settings.repeats)

        def label(part: str) -> None:
            file = Path(self.folder) / part
            done = file.with_suffix(".labelled.json")
            if done.exists():
                return
            summary = Summary()
            with file.with_suffix(".pages.jsonl").open(encoding="utf-8") as lines:
                pages = (Page.from_json(json.loads(line)) for line in lines)
                _write_lines(file.with_suffix(".labelled.jsonl"), label_all(pages, labeller, summary))
            _write_lines(done, [json.dumps({"summary": summary.to_json()})])

        return label


def label_all(pages: Iterable[Page], labeller: Labeller, summary: Summary) -> Iterator[str]:
    """The lines of the pages that have a mention, without line ends."""
    for page in pages:
        if page.redirect is None:
            labelled = labeller.label(page)
            summary.add(Summary(labelled.counts, labelled.report))
            if labelled.document is not None:
                yield line_of(labelled)


def line_of(labelled: Labelled) -> str:
    """The JSON line of a labelled page, without a line end."""
    assert labelled.document is not None
    line = jsonl.format_line(labelled.document, labelled.report, labelled.document.id)
    return line.rstrip("\n")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with write_atomically(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)


def _load_summary(path: Path) -> Summary:
    return Summary.from_json(json.loads(path.read_text("utf-8"))["summary"])


def _join(files: Sequence[Path], output: str | Path) -> None:
    with write_atomically(output, "wb") as stream:
        for file in files:
            with file.open("rb") as part:
                shutil.copyfileobj(part, cast(IO[bytes], stream))
