"""A page of a dump as everything later needs it: its text with links, and what it says of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fofe.base.report import Report
from fofe.wiki._cut import Link
from fofe.wiki.dump import RawPage
from fofe.wiki.evidence import TITLE, evidence, is_disambiguation
from fofe.wiki.languages import WikiLanguage, wiki_language
from fofe.wiki.mapping import SEVERAL, Mapping, Types
from fofe.wiki.markup import parse
from fofe.wiki.titles import is_common_use, normalise

OTHER_NAMESPACES = "pages of other namespaces left out"

TypesBySource = dict[str, Types]


@dataclass(frozen=True)
class Page:
    """An article, or a redirect to one; titles and targets are normalised."""

    title: str
    text: str = ""
    links: list[Link] = field(default_factory=list)
    types: TypesBySource = field(default_factory=dict)
    """What each source of evidence says."""
    redirect: str | None = None
    """Where it leads; empty where that is a part of a page."""
    ambiguous: bool = False
    """Whether it only leads to others of that name."""

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "text": self.text,
            "links": [[link.start, link.end, link.target, link.trail] for link in self.links],
            "types": {source: join_types(types) for source, types in self.types.items()},
            "redirect": self.redirect,
            "ambiguous": self.ambiguous,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Page:
        links = [Link(*link) for link in value["links"]]
        types = {source: split_types(text) for source, text in value["types"].items()}
        return cls(value["title"], value["text"], links, types, value["redirect"], value["ambiguous"])


def join_types(types: Types) -> str:
    """A set of types as one word, the same whatever their order."""
    return SEVERAL.join(sorted(types))


def split_types(text: str) -> Types:
    """The inverse of `join_types`."""
    return frozenset(text.split(SEVERAL))


def read_page(raw: RawPage, mapping: Mapping, namespaces: frozenset[str], report: Report) -> Page | None:
    """Parse an article; a page of another namespace gives None."""
    if raw.namespace:
        report.note(OTHER_NAMESPACES)
        return None
    title = normalise(raw.title)
    if raw.redirect is not None:
        return Page(title, redirect="" if "#" in raw.redirect else normalise(raw.redirect))
    language = wiki_language(mapping.language)
    markup = parse(raw.markup, language, report, namespaces=namespaces, place=title)
    ambiguous = is_disambiguation(markup, language)
    types: TypesBySource = {}
    for piece in () if ambiguous else evidence(title, markup, mapping.language, language):
        found = mapping.types(piece) if piece.source not in types and piece.source != TITLE else None
        if found:
            types[piece.source] = found
    return Page(title, markup.text, markup.links, types, ambiguous=ambiguous)


def common_nouns(page: Page) -> Iterator[str]:
    """The titles that a page's links write as common nouns."""
    for link in page.links:
        title = normalise(link.target)
        if is_common_use(page.text[link.start : link.end - link.trail], title):
            yield title


def wanted_titles(page: Page, language: WikiLanguage) -> set[str]:
    """Every title whose type is needed to label a page."""
    titles = {page.title}
    for link in page.links:
        titles.add(normalise(link.target))
        region = region_in(page.text[link.start : link.end])
        if language.capitals and region:
            titles.add(normalise(region))
    return titles


def region_in(text: str) -> str:
    """What may be a region in the text of a link to a place: `Yorkshire` in `Leeds, Yorkshire`."""
    return text.partition(", ")[2]
