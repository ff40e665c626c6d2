"""A page of a dump: its title, its text with links, and the evidence that it gives of its own type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fofe.base.report import Report
from fofe.wiki.dump import RawPage
from fofe.wiki.languages import WikiLanguage, wiki_language
from fofe.wiki.mapping import CATEGORY, INFOBOX, SENTENCE, Mapping, join_types
from fofe.wiki.markup import Link, Markup, parse

DEFINITION_LENGTH = 400
"""The definition of a page's subject is looked for in so many of its first characters."""

_SUFFIX = re.compile(r"\s*[(（][^()（）]*[)）]$")
_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）")


def normalise(title: str) -> str:
    """A title as MediaWiki stores it: single spaces, a capital first letter, no section."""
    title = " ".join(title.partition("#")[0].replace("_", " ").lstrip(":").split())
    return title[:1].upper() + title[1:]


def base(title: str) -> str:
    """A title without its qualifier: `Paris (film)` is `Paris`."""
    return _SUFFIX.sub("", title) or title


def without_generic(name: str, language: WikiLanguage) -> str:
    """A name without a generic last word: `Atlantic Ocean` is `Atlantic`."""
    words = name.rpartition(" ")
    return words[0] if words[2] in language.generic_words else name


def looks_like_name(title: str, language: WikiLanguage) -> bool:
    """True if a title can be a name: `Animated cartoon` is none where names are capitalised."""
    words = without_generic(base(title), language).split()[1:]
    small = [word for word in words if word.isalpha() and word.islower()]
    return not language.capital_names or language.function_words.issuperset(small)


def lower_form(title: str) -> str | None:
    """A title as a common noun within a sentence, or None if it has a capital there too."""
    name = base(title)
    name = name[:1].lower() + name[1:]
    return name if name == name.lower() else None


@dataclass(frozen=True)
class Page:
    """An article, or a redirect to one; titles and targets are normalised."""

    title: str
    text: str = ""
    links: list[Link] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    """By source of evidence, each as one string."""
    redirect: str | None = None
    """The title that it redirects to; empty if that is a section of a page."""
    ambiguous: bool = False
    """True for a disambiguation page."""

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Page:
        """The page whose `vars` were written as JSON."""
        return cls(**value | {"links": [Link(*link) for link in value["links"]]})

    def common_nouns(self) -> Iterator[str]:
        """The titles that links of this page write as common nouns: `an [[astronomer]]`."""
        for link in self.links:
            text, title = self.text[link.start : link.end - link.trail], normalise(link.target)
            if text[:1].islower() and text == lower_form(title):
                yield title


def read_page(raw: RawPage, mapping: Mapping, namespaces: frozenset[str], report: Report) -> Page | None:
    """Parse an article; a page of another namespace gives None."""
    if raw.namespace:
        report.note("pages of another namespace left out")
        return None
    title = normalise(raw.title)
    if raw.redirect is not None:
        return Page(title, redirect="" if "#" in raw.redirect else normalise(raw.redirect))
    language = wiki_language(mapping.language)
    markup = parse(raw.markup, language, report, namespaces=namespaces, place=title)
    ambiguous = any(language.disambiguation.fullmatch(name) for name in markup.templates)
    types: dict[str, str] = {}
    for source, text in () if ambiguous else _evidence(markup, mapping.language):
        if source not in types and (found := mapping.types(source, text)):
            types[source] = join_types(found)
    return Page(title, markup.text, markup.links, types, ambiguous=ambiguous)


def _evidence(markup: Markup, code: str) -> Iterator[tuple[str, str]]:
    """The sources and classes of a page's subject: its infoboxes, categories and first sentence."""
    for name in markup.templates:
        if found := wiki_language(code).infobox.match(name):
            yield INFOBOX, name[found.end() :].strip().lower()
    for category in markup.categories:
        yield CATEGORY, category
    for phrase in _definitions(markup.text[:DEFINITION_LENGTH], code):
        yield SENTENCE, phrase


def _definitions(text: str, code: str) -> list[str]:
    """The noun phrases by which the first paragraph defines its subject."""
    text = text.partition("\n")[0]
    while (shorter := _BRACKETS.sub("", text)) != text:
        text = shorter
    if (found := wiki_language(code).definition.search(text)) is None:
        return []
    clauses = re.split("[，,、]", found["phrase"]) if code == "zh" else [found["phrase"].lower()]
    return [clause.strip() for clause in clauses]
