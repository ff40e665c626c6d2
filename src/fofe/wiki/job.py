"""Labelling dumps in parts of some hundred pages, by the processes of one machine or by Spark.

Every part is read (wikitext to text with links), then what is known of all titles is gathered in one index,
then every part is labelled. Results lie in the work directory of a journal until the output is complete.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from fofe.base.errors import InputError, broken_file
from fofe.base.files import write_atomically
from fofe.base.journal import Journal, stamp
from fofe.base.report import Report
from fofe.base.workers import Job, in_order
from fofe.formats import jsonl
from fofe.text.tokenise import tokeniser
from fofe.wiki.dump import RawPage, read_pages, read_site
from fofe.wiki.label import Labeller
from fofe.wiki.mapping import load_mapping
from fofe.wiki.page import Page, read_page
from fofe.wiki.types import TypeIndex

PAGES_IN_A_PART = 500
INDEX = "types.sqlite"


@dataclass(frozen=True)
class LabelSettings:
    """What to label and how."""

    dumps: tuple[str, ...]
    tables: tuple[str, ...] = ()
    language: str = ""
    """If empty, the language of the first dump."""
    mapping: str | None = None
    repeats: bool = False
    namespaces: frozenset[str] = frozenset()
    """Those that the first dump states; a job fills them in."""


class Part(NamedTuple):
    """Some pages of a dump; the name numbers the dump and the part."""

    name: str
    pages: Sequence[RawPage] = ()
    report: Report | None = None
    """What was wrong with the dump there."""


Done = tuple[str, Any]
"""The name of a part and the report on it, in JSON types."""
Cut = Callable[[Any], Iterable[Part]]
"""Makes parts of a source."""
Run = Callable[[Job[Part, Done], Sequence[Any], Cut], Iterable[Done]]
"""Applies a job to all parts of some sources, and returns the results in any order."""
Watch = Callable[[str, int], None]
"""Is called with what is being done, and for how many parts it is done."""


def label_dump(
    settings: LabelSettings, output: str | Path, folder: Path, *, workers: int = 1, watch: Watch | None = None
) -> Report:
    """Label dumps and write the documents to a JSONL file; `folder` is the work directory."""

    def run(job: Job[Part, Done], sources: Sequence[Any], cut: Cut) -> Iterator[Done]:
        with closing(in_order(job, (part for source in sources for part in cut(source)), workers)) as done:
            yield from done

    return run_job(settings, folder, run, partial(join, output), watch)


def run_job(
    settings: LabelSettings,
    folder: Path,
    run: Run,
    write: Callable[[list[Path]], None],
    watch: Watch | None = None,
) -> Report:
    """Label dumps; `write` makes the output from files of JSON lines, one a part."""
    site = read_site(settings.dumps[0])
    language = tokeniser(settings.language or site.language or "en").language
    settings = replace(settings, language=language, namespaces=site.namespaces)
    watch = watch or (lambda _what, _parts: None)
    files = [*settings.dumps, *settings.tables, *filter(None, [settings.mapping])]
    depends_on = [[[file, *stamp(file)] for file in files], settings.language, settings.repeats]
    with Journal(folder, [*depends_on, PAGES_IN_A_PART]) as journal:
        parts = _read_parts(settings, journal, run, watch)
        if journal.done("types") is None:
            journal.add("types", vars(_write_index(settings, journal, parts)))
        label = LabelJob(settings, journal.folder)
        undone = [Part(name) for name in parts if journal.done(f"labelled {name}") is None]
        watch("labelling pages", 0)
        for number, (name, report) in enumerate(run(label, undone, lambda part: (part,)), start=1):
            journal.add(f"labelled {name}", report)
            watch("labelling pages", number)
        write([journal.file(f"{name}.labelled.jsonl") for name in parts])
        total = Report()
        for key in (*(f"{what} {name}" for name in parts for what in ("read", "labelled")), "types"):
            total.add(Report(**journal.done(key)))
        journal.remove()
    return total


def _read_parts(settings: LabelSettings, journal: Journal, run: Run, watch: Watch) -> list[str]:
    """Read every part that is not done; returns the names of all, in order."""
    if journal.done("parts") is None:
        dumps = list(enumerate(settings.dumps, start=1))
        done = {key.removeprefix("read ") for key in list(journal.keys())}
        watch("reading pages", len(done))
        for name, report in run(ReadJob(settings, journal.folder), dumps, partial(_cut_up, frozenset(done))):
            journal.add(f"read {name}", report)
            done.add(name)
            watch("reading pages", len(done))
        journal.add("parts", sorted(done))
    parts: list[str] = journal.done("parts")
    return parts


def _cut_up(done: frozenset[str], dump: tuple[int, str]) -> Iterator[Part]:
    """The parts of a dump that are not done; what was wrong with it is in a last one without pages."""
    report = Report()
    pages = read_pages(dump[1], report)
    for number in count(1):
        name = f"{dump[0]:03}-{number:06}"
        chunk = list(islice(pages, PAGES_IN_A_PART))
        if (chunk or report) and name not in done:
            yield Part(name, chunk, None if chunk else report)
        if not chunk:
            return


@dataclass(frozen=True)
class ReadJob:
    """Reads a part: writes its articles, and what all its pages say of titles, to the work directory."""

    settings: LabelSettings
    folder: Path

    def start(self) -> Callable[[Part], Done]:
        mapping = load_mapping(self.settings.language, self.settings.mapping)

        def read(part: Part) -> Done:
            report = part.report or Report()
            found = (read_page(raw, mapping, self.settings.namespaces, report) for raw in part.pages)
            pages = [page for page in found if page is not None]
            articles = [page for page in pages if page.redirect is None]
            report.totals += Counter(pages=len(articles), redirects=len(pages) - len(articles))
            _write_lines(self.folder / f"{part.name}.pages.jsonl", map(vars, articles))
            about = (vars(replace(page, text="", links=[])) for page in pages)
            common = sorted({title for page in pages for title in page.common_nouns()})
            _write_lines(self.folder / f"{part.name}.titles.jsonl", [common, *about])
            return part.name, vars(report)

        return read


def _write_index(settings: LabelSettings, journal: Journal, parts: Sequence[str]) -> Report:
    """Gather what pages and tables say of titles; returns what was wrong with the tables."""
    report = Report()
    journal.file(INDEX).unlink(missing_ok=True)  # what a killed process has begun
    mapping = load_mapping(settings.language, settings.mapping)
    try:
        with closing(TypeIndex(mapping, journal.file(INDEX))) as index:
            for part in parts:
                common, *pages = _read_lines(journal.file(f"{part}.titles.jsonl"))
                for page in pages:
                    index.add_page(Page.from_json(page))
                index.add_common_nouns(common)
            for table in settings.tables:
                index.add_table(table, report)
    except sqlite3.OperationalError as error:  # a full disk
        raise InputError(f"cannot be written: {error}", path=journal.file(INDEX)) from None
    return report


@dataclass(frozen=True)
class LabelJob:
    """Labels the articles of a part."""

    settings: LabelSettings
    folder: Path

    def start(self) -> Callable[[Part], Done]:
        mapping = load_mapping(self.settings.language, self.settings.mapping)
        index = TypeIndex(mapping, self.folder / INDEX, read_only=True)
        labeller = Labeller(index, repeats=self.settings.repeats)

        def label(part: Part) -> Done:
            report = Report()
            pages = _read_lines(self.folder / f"{part.name}.pages.jsonl")
            documents = (labeller.label(Page.from_json(page), report) for page in pages)
            kept = filter(None, documents)
            with write_atomically(self.folder / f"{part.name}.labelled.jsonl") as stream:
                stream.writelines(jsonl.format_line(one, report, one.id) for one in kept)
            return part.name, vars(report)

        return label


def join(output: str | Path, files: Iterable[Path]) -> None:
    """Write one file with the content of some."""
    with write_atomically(output, "wb") as stream:
        for file in files:
            with file.open("rb") as part:
                shutil.copyfileobj(part, cast(IO[bytes], stream))


def _write_lines(path: Path, values: Iterable[Any]) -> None:
    with write_atomically(path) as stream:
        stream.writelines(f"{json.dumps(value)}\n" for value in values)


def _read_lines(path: Path) -> Iterator[Any]:
    with broken_file(path, f"remove {path.parent} to start anew"), path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)
