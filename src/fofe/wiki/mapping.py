"""The entity types of classes of pages: a TOML file that ships with the package and that users can replace.

Each source of evidence has tables by language. Their keys are types and their values classes:

    [classes.en]            # nouns of first sentences and of title-class tables
    PER = ["footballer", "film director"]
    [infoboxes.en]          # names of infoboxes, without the word infobox
    [categories.en]         # names of categories; * stands for anything
    [titles.en]             # titles, likewise
    [demonyms.en]           # what a link to a place may show instead of its name
    [wikidata]              # items, in every language
    PER = ["Q5"]

A key such as "FAC|ORG" means that the type is one of these.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fofe.base.errors import ConfigError, in_file
from fofe.base.settings import read_toml
from fofe.wiki.languages import wiki_language

DEFAULT = Path(__file__).parent / "mapping.toml"
INFOBOX, CATEGORY, SENTENCE, TITLE = "infobox", "category", "sentence", "title"
TABLE, WIKIDATA, DEMONYM = "table", "wikidata", "demonym"
_TABLES = {
    SENTENCE: "classes",
    TABLE: "classes",
    INFOBOX: "infoboxes",
    CATEGORY: "categories",
    TITLE: "titles",
    WIKIDATA: "wikidata",
    DEMONYM: "demonyms",
}
"""The table of the mapping for each source of evidence, and for what links to places show."""
_GLOBS = ("categories", "titles", "demonyms")
_KNOWN = ("classes", "infoboxes", "wikidata", *_GLOBS)

Types = frozenset[str]
Patterns = list[tuple[Types, re.Pattern[str]]]


def join_types(types: Types) -> str:
    """A set of types as one string, independent of their order."""
    return "|".join(sorted(types))


def split_types(text: str) -> Types:
    """The inverse of `join_types`."""
    return frozenset(text.split("|"))


@dataclass
class Mapping:
    """The types of each class, in one language."""

    language: str
    exact: dict[str, dict[str, Types]] = field(default_factory=dict)
    """By table, then by class."""
    patterns: dict[str, Patterns] = field(default_factory=dict)
    """By table; those that fix how a text begins come first."""

    def types(self, source: str, text: str) -> Types | None:
        """The types that a class from a source allows, or None if the mapping does not have it.

        An infobox says `officeholder`, say. A demonym is what a link to a place shows instead of its name.
        """
        table = _TABLES[source]
        if table in _GLOBS:
            patterns = self.patterns.get(table, ())
            return next((types for types, pattern in patterns if pattern.fullmatch(text)), None)
        known = self.exact.get(table, {})
        names = _shorter(text, self.language) if table == "classes" else (text,)
        return next((known[name] for name in names if name in known), None)


def _shorter(phrase: str, language: str) -> list[str]:
    """A noun phrase, then the phrase without its first modifier, and so on down to the head."""
    if language == "zh":
        return [phrase[start:] for start in range(len(phrase))]
    words = phrase.split()
    if language == "es":  # the head comes first
        return [" ".join(words[:end]) for end in range(len(words), 0, -1)]
    return [" ".join(words[start:]) for start in range(len(words))]


def load_mapping(language: str, path: str | Path | None = None) -> Mapping:
    """The mapping of a language, from a file or the one that ships with the package."""
    path = path or DEFAULT
    mapping = Mapping(language)
    with in_file(path):
        for table, content in read_toml(path).items():
            if table not in _KNOWN:
                raise ConfigError(f"unknown table [{table}]", remedy=f"use {', '.join(_KNOWN)}")
            classes = _table(table, content)
            if table != "wikidata":
                classes = _table(f"{table}.{language}", classes.get(language, {}))
            for key, names in classes.items():
                if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
                    raise ConfigError(f"{key} of [{table}] must be a list of classes")
            by_types = [(split_types(key), names) for key, names in classes.items()]
            if table in _GLOBS:
                excluded = wiki_language(language).prepositions if table == "titles" else ()
                mapping.patterns[table] = _compiled(by_types, "|".join(sorted(excluded)))
            else:
                mapping.exact[table] = _by_name(by_types, table)
    return mapping


def _table(name: str, content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ConfigError(f"{name} must be a table, not {content!r}", remedy=f"write [{name}]")
    return content


def _by_name(by_types: list[tuple[Types, list[str]]], table: str) -> dict[str, Types]:
    known: dict[str, Types] = {}
    for types, names in by_types:
        for name in names:
            if known.setdefault(name, types) != types:
                remedy = f'put it under "{join_types(known[name] | types)}"'
                raise ConfigError(f"{name!r} of [{table}] has two types", remedy=remedy)
    return known


def _compiled(by_types: list[tuple[Types, list[str]]], excluded: str) -> Patterns:
    """Globs as regular expressions; a `*` at the beginning does not match text with an excluded word."""
    opening = rf"(?:(?!\b(?:{excluded})\b).)+" if excluded else ".+"

    def regex(glob: str) -> str:
        return opening * glob.startswith("*") + re.escape(glob.removeprefix("*")).replace(r"\*", ".+")

    found = []
    for is_open in (False, True):
        for types, globs in by_types:
            if chosen := [regex(glob) for glob in globs if glob.startswith("*") == is_open]:
                found.append((types, re.compile("|".join(chosen))))
    return found
