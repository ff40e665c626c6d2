"""Names from titles: of the pages of Wikipedia dumps, their redirects, title-class lists and Wikidata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fofe.base.report import Report
from fofe.features.gazetteer_file import Typed
from fofe.wiki.dump import is_dump, read_pages, read_site
from fofe.wiki.mapping import load_mapping
from fofe.wiki.page import read_page
from fofe.wiki.tables import read_table
from fofe.wiki.titles import base
from fofe.wiki.types import TypeIndex


def titled_names(
    sources: Iterable[str | Path], language: str, mapping: str | Path | None, report: Report
) -> Iterator[Typed]:
    """The names that typed titles stand for; a redirect is a name of the page it leads to."""
    index = TypeIndex(load_mapping(language, mapping))
    for source in map(Path, sources):
        if is_dump(source):
            namespaces = read_site(source).namespaces
            for raw in read_pages(source, report):
                page = read_page(raw, index.mapping, namespaces, report)
                if page is not None:
                    index.add_page(page)
        else:
            for title, evidence in read_table(source, language, report):
                index.add_evidence(title, evidence)
    for title in index.entries:
        resolved = index.resolve(title)
        if resolved.why_not:
            report.note(f"titles left out: {resolved.why_not.removeprefix('links to ')}", title)
            continue
        for name in names_of_title(title):
            yield from ((name, type) for type in sorted(resolved.types))


def names_of_title(title: str) -> list[str]:
    """What an article's title names: without a qualifier in brackets, and also without one after a comma.

    `Paris (mythology)` is Paris; `Springfield, Illinois` is both that and Springfield.
    """
    name = base(title)
    short, comma, _ = name.partition(", ")
    return [name, short] if comma and short else [name]
