"""What a page says of its kind: its infobox, its categories, its first sentence and its title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fofe.wiki.languages import WikiLanguage
from fofe.wiki.markup import Markup

INFOBOX, CATEGORY, SENTENCE, TITLE, TABLE, WIKIDATA = (
    "infobox",
    "category",
    "sentence",
    "title",
    "table",
    "wikidata",
)
"""Where evidence comes from; a mapping has a part for each (tables share that of sentences)."""

FIRST_WORDS = 400
"""How many characters of a page its definition is looked for in."""


class Evidence(NamedTuple):
    """A class that a source gives a page: ("infobox", "officeholder")."""

    source: str
    text: str


_BRACKETS = re.compile(r"\([^()]*\)|（[^（）]*）")
_ENGLISH = re.compile(
    r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+"
    r"(?P<phrase>[^.;:()]*?)"
    r"(?=\s+(?:of|in|on|at|by|for|from|to|with|who|whom|whose|which|that|and|or|where|when|located|based|"
    r"situated|headquartered|founded|established|known|born|used|between|near|as|under|during|within|written|"
    r"directed|published|released|created|currently|made|set|featuring|comprising|consisting)\b|[,.;:()]|$)",
    re.I,
)
_SPANISH = re.compile(
    r"\b(?:es|fue|era|son|eran|fueron)\s+(?:una?|el|la|los|las|uno de los|una de las)\s+"
    r"(?P<phrase>[^.;:(),]*)",
    re.I,
)
_CHINESE = re.compile(r"(?:是|为|為|係)(?P<phrase>[^。；;]*)")
_CHINESE_CLAUSE = re.compile(r"[，,、]")


def evidence(title: str, markup: Markup, code: str, language: WikiLanguage) -> Iterator[Evidence]:
    """Everything that a page says of its kind."""
    for name in markup.templates:
        found = language.infobox.match(name)
        if found:
            yield Evidence(INFOBOX, name[found.end() :].strip().lower())
    for category in markup.categories:
        yield Evidence(CATEGORY, category)
    for phrase in _definitions(markup.text[:FIRST_WORDS], code):
        yield Evidence(SENTENCE, phrase)
    yield from title_evidence(title)


def title_evidence(title: str) -> Iterator[Evidence]:
    """What a title alone says: `Paris (film)`, `Lake Como`."""
    yield Evidence(TITLE, title)


def _definitions(text: str, code: str) -> Iterator[str]:
    """The noun phrases that the beginning of a page calls its subject by."""
    text = _without_brackets(text.partition("\n")[0])
    if code == "zh":
        if found := _CHINESE.search(text):
            yield from (clause.strip() for clause in _CHINESE_CLAUSE.split(found["phrase"]))
    elif code == "es":
        if found := _SPANISH.search(text):
            yield found["phrase"].strip().lower()
    elif found := _ENGLISH.search(text):
        yield found["phrase"].strip().lower()


def _without_brackets(text: str) -> str:
    while True:
        shorter = _BRACKETS.sub("", text)
        if shorter == text:
            return text
        text = shorter


def is_disambiguation(markup: Markup, language: WikiLanguage) -> bool:
    """Whether a page only leads to others of the same name."""
    return any(language.disambiguation.fullmatch(name) for name in markup.templates)
