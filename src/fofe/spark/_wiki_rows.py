"""What workers do with the rows of a labelling job; the DataFrames around it are in `fofe.spark.wiki`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fofe.base.report import Report
from fofe.spark.rows import Row
from fofe.wiki import dump, tables
from fofe.wiki.dump import RawPage
from fofe.wiki.job import Settings, label_all, read_all
from fofe.wiki.label import Labeller, LowerNames
from fofe.wiki.languages import wiki_language
from fofe.wiki.mapping import Mapping
from fofe.wiki.page import Page, common_nouns, join_types, split_types, wanted_titles
from fofe.wiki.summary import Summary
from fofe.wiki.titles import lower_form
from fofe.wiki.types import Entry, Resolved, judge

if TYPE_CHECKING:
    from pyspark import Broadcast

RAW = "number long, title string, namespace int, markup string, redirect string, summary string"
PAGES = (
    "number long, title string, text string, "
    "links array<struct<start:int,end:int,target:string,trail:int>>, types map<string,string>, "
    "redirect string, ambiguous boolean, common array<string>, wanted array<string>, summary string"
)
TABLES = "number long, title string, source string, found string, summary string"
RESOLVED = "wanted string, title string, types string, sources array<string>, why_not string"
LABELLED = "number long, line string, summary string"

FILES_APART = 1 << 40
"""What lies between the numbers of the rows of two files: more than any has rows."""


def _told(summary: Summary) -> str | None:
    """A summary as a row carries it; nothing where there is nothing to tell."""
    return json.dumps(summary.to_json()) if summary.counts or summary.report else None


def read_dumps(rows: Iterator[Row]) -> Iterator[Row]:
    """The pages of dumps as they stand there, and a row without a title for what was wrong with a dump."""
    for row in rows:
        report = Report()
        number = first = row["dump"] * FILES_APART
        for number, page in enumerate(dump.read_pages(row["path"], report), start=first + 1):
            yield {"number": number, **vars(page)}
        yield {"number": number + 1, "summary": _told(Summary(report=report))}


def read_pages(settings: Settings, mapping: Mapping, rows: Iterator[Row]) -> Iterator[Row]:
    """Articles and redirects, with everything that later stages ask of them."""
    language = wiki_language(mapping.language)
    for row in rows:
        if row["title"] is None:
            yield {"number": row["number"], "summary": row["summary"]}
            continue
        summary = Summary()
        raw = RawPage(row["title"], row["namespace"], row["markup"], row["redirect"])
        made: Row = {"number": row["number"]}
        for page in read_all([raw], mapping, settings.namespaces, summary):
            made |= page.to_json()
            made["links"] = [vars(link) for link in page.links]
            made["common"] = sorted(set(common_nouns(page)))
            made["wanted"] = sorted(wanted_titles(page, language)) if page.redirect is None else []
        yield {**made, "summary": _told(summary)}


def read_tables(settings: Settings, mapping: Mapping, rows: Iterator[Row]) -> Iterator[Row]:
    """The titles of tables with the types of their classes, and a row for what was wrong with a table."""
    for row in rows:
        report = Report()
        number = first = row["table"] * FILES_APART
        lines = tables.read_table(row["path"], settings.language, report)
        for number, (title, evidence) in enumerate(lines, start=first + 1):
            types = mapping.types(evidence)
            found = join_types(types) if types else None
            yield {"number": number, "title": title, "source": evidence.source, "found": found}
        yield {"number": number + 1, "summary": _told(Summary(report=report))}


def lower_titles(rows: Iterator[Row]) -> Iterator[Row]:
    """The titles that have no capital in a sentence."""
    return ({"title": row["title"]} for row in rows if lower_form(row["title"]))


def lower_names(rows: Iterator[Row]) -> Iterator[Row]:
    """What such titles look like there."""
    return ({"name": form} for row in rows if (form := lower_form(row["title"])))


def judge_titles(mapping: Mapping, rows: Iterator[Row]) -> Iterator[Row]:
    """The types of titles to which all redirects have been followed."""
    for row in rows:
        found = Resolved(row["target"], why_not=row["why_not"] or "")
        if not found.why_not:
            found = judge(row["target"], _entry(row) if row["known"] else None, mapping)
        yield {
            "wanted": row["wanted"],
            "title": found.title,
            "types": join_types(found.types),
            "sources": list(found.sources),
            "why_not": found.why_not,
        }


def _entry(row: Row) -> Entry:
    types = {source: split_types(text) for source, text in (row["types"] or {}).items()}
    return Entry(types, None, bool(row["ambiguous"]), bool(row["common"]))


def label_pages(
    mapping: Mapping, names: Broadcast[LowerNames], repeats: bool, rows: Iterator[Row]
) -> Iterator[Row]:
    """The lines of pages that know where their links lead."""
    for row in rows:
        summary = Summary()
        answers = {answer["wanted"]: _resolved(answer) for answer in row["resolved"]}
        labeller = Labeller(mapping, answers.__getitem__, names.value, repeats)
        page = Page.from_json({**row, "links": [list(link.values()) for link in row["links"]]})
        lines = list(label_all([page], labeller, summary))
        yield {"number": row["number"], "line": lines[0] if lines else None, "summary": _told(summary)}


def _resolved(answer: dict[str, Any]) -> Resolved:
    types = split_types(answer["types"]) if answer["types"] else frozenset()
    return Resolved(answer["title"], types, tuple(answer["sources"]), answer["why_not"])


def add_up(rows: Iterator[Row]) -> Iterator[Row]:
    """One summary for those of many rows."""
    total = Summary()
    for row in rows:
        total.add(Summary.from_json(json.loads(row["summary"])))
    yield {"summary": json.dumps(total.to_json())}
