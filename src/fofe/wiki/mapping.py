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

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from fofe.base.errors import ConfigError
from fofe.base.settings import read_toml
from fofe.wiki.languages import wiki_language

DEFAULT = Path(__file__).parent / "mapping.toml"
SEPARATOR = "|"
"""Separates the types of a set."""

INFOBOX, CATEGORY, SENTENCE, TITLE = "infobox", "category", "sentence", "title"
TABLE, WIKIDATA = "table", "wikidata"
_TABLES = {
    SENTENCE: "classes",
    TABLE: "classes",
    INFOBOX: "infoboxes",
    CATEGORY: "categories",
    TITLE: "titles",
    WIKIDATA: "wikidata",
}
"""The table of the mapping for each source of evidence."""
_GLOBS = ("categories", "titles", "demonyms")
_KNOWN = ("classes", "infoboxes", "wikidata", *_GLOBS)

Types = frozenset[str]


class Evidence(NamedTuple):
    """A class that a source gives a page: ("infobox", "officeholder")."""

    source: str
    text: str


def join_types(types: Types) -> str:
    """A set of types as one string, independent of their order."""
    return SEPARATOR.join(sorted(types))


def split_types(text: str) -> Types:
    """The inverse of `join_types`."""
    return frozenset(text.split(SEPARATOR))


@dataclass
class Mapping:
    """The types of each class, in one language."""

    language: str
    exact: dict[str, dict[str, Types]] = field(default_factory=dict)
    """By table, then by class."""
    globs: dict[str, dict[Types, list[str]]] = field(default_factory=dict)

    def types(self, evidence: Evidence) -> Types | None:
        """The types that a piece of evidence allows, or None if the mapping does not have its class."""
        table = _TABLES[evidence.source]
        if table in _GLOBS:
            return self._globbed(table, evidence.text)
        known = self.exact.get(table, {})
        for name in _shorter(evidence.text, self.language) if table == "classes" else (evidence.text,):
            if name in known:
                return known[name]
        return None

    def demonym(self, text: str) -> Types | None:
        """The types of a word that a link to a place shows instead of its name, such as `German`."""
        return self._globbed("demonyms", text)

    def _globbed(self, table: str, text: str) -> Types | None:
        for types, pattern in self._patterns.get(table, ()):
            if pattern.fullmatch(text):
                return types
        return None

    @cached_property
    def _patterns(self) -> dict[str, list[tuple[Types, re.Pattern[str]]]]:
        """The patterns of each table; those that fix how a text begins come first."""
        found: dict[str, list[tuple[Types, re.Pattern[str]]]] = {}
        for table, by_types in self.globs.items():
            words = wiki_language(self.language).prepositions if table == "titles" else frozenset()
            for opening in (True, False):
                for types, globs in by_types.items():
                    chosen = [_regex(glob, words) for glob in globs if glob.startswith("*") != opening]
                    if chosen:
                        found.setdefault(table, []).append((types, re.compile("|".join(chosen))))
        return found


def _regex(glob: str, excluded: Iterable[str]) -> str:
    """A glob as a regular expression; a `*` at its beginning does not match text with an excluded word."""
    regex = re.escape(glob).replace(r"\*", ".+")
    words = "|".join(sorted(excluded))
    return rf"(?:(?!\b(?:{words})\b).)+{regex[2:]}" if words and glob.startswith("*") else regex


def _shorter(phrase: str, language: str) -> list[str]:
    """A noun phrase, then the phrase without its first modifier, and so on down to the head.

    The head is last in English and Chinese, first in Spanish.
    """
    if language == "zh":
        return [phrase[start:] for start in range(len(phrase))]
    words = phrase.split()
    if language == "es":
        return [" ".join(words[:end]) for end in range(len(words), 0, -1)]
    return [" ".join(words[start:]) for start in range(len(words))]


def load_mapping(language: str, path: str | Path | None = None) -> Mapping:
    """The mapping of a language, from a file or the one that ships with the package."""
    path = path or DEFAULT
    mapping = Mapping(language)
    for table, content in read_toml(path).items():
        if table not in _KNOWN:
            raise ConfigError(f"unknown table [{table}]", path=path, remedy=f"use {', '.join(_KNOWN)}")
        by_types = _table(table, content, path)
        if table != "wikidata":
            by_types = _table(f"{table}.{language}", by_types.get(language, {}), path)
        _add(mapping, table, by_types, path)
    return mapping


def _table(name: str, content: Any, path: str | Path) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ConfigError(f"{name} must be a table, not {content!r}", path=path, remedy=f"write [{name}]")
    return content


def _add(mapping: Mapping, table: str, by_types: dict[str, Any], path: str | Path) -> None:
    for key, names in by_types.items():
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            raise ConfigError(f"{key} of [{table}] must be a list of classes", path=path)
        types = split_types(key)
        if table in _GLOBS:
            mapping.globs.setdefault(table, {})[types] = names
            continue
        known = mapping.exact.setdefault(table, {})
        for name in names:
            if known.setdefault(name, types) != types:
                raise ConfigError(
                    f"{name!r} of [{table}] has two types",
                    path=path,
                    remedy=f'put it under "{join_types(known[name] | types)}"',
                )
