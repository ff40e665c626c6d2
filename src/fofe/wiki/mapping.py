"""From classes to types: a TOML file that ships with the package and that users can replace.

Each source of evidence has tables by language, whose keys are types and whose values are classes:

    [classes.en]            # nouns of first sentences and of title-class tables
    PER = ["footballer", "film director"]
    [infoboxes.en]          # names of infoboxes, without the word infobox
    [categories.en]         # names of categories; * stands for anything
    [titles.en]             # titles, likewise
    [demonyms.en]           # what a place's link may say instead of its name
    [wikidata]              # items, in every language
    PER = ["Q5"]

A key such as "FAC|ORG" says that the type is one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from fofe.base.errors import ConfigError
from fofe.base.toml import read_toml
from fofe.wiki.evidence import CATEGORY, INFOBOX, SENTENCE, TABLE, TITLE, WIKIDATA, Evidence
from fofe.wiki.languages import wiki_language

DEFAULT = Path(__file__).parent / "mapping.toml"
SEVERAL = "|"
"""What separates the types of a set."""

Types = frozenset[str]

_TABLE_OF = {
    SENTENCE: "classes",
    TABLE: "classes",
    INFOBOX: "infoboxes",
    CATEGORY: "categories",
    TITLE: "titles",
    WIKIDATA: "wikidata",
}
_GLOBS = ("categories", "titles", "demonyms")
_KNOWN = ("classes", "infoboxes", "wikidata", *_GLOBS)


@dataclass
class Mapping:
    """Which types each class stands for, in one language."""

    language: str
    exact: dict[str, dict[str, Types]] = field(default_factory=dict)
    """By table, then by class."""
    globs: dict[str, dict[Types, list[str]]] = field(default_factory=dict)

    def types(self, evidence: Evidence) -> Types | None:
        """The types that a piece of evidence allows, or None where the mapping does not know it."""
        table = _TABLE_OF[evidence.source]
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
        """The patterns of each table; those that tell how a text begins come first."""
        found: dict[str, list[tuple[Types, re.Pattern[str]]]] = {}
        for table, by_types in self.globs.items():
            words = wiki_language(self.language).prepositions if table == "titles" else frozenset()
            for opening in (True, False):
                for types, globs in by_types.items():
                    chosen = [_regex(glob, words) for glob in globs if glob.startswith("*") != opening]
                    if chosen:
                        found.setdefault(table, []).append((types, re.compile("|".join(chosen))))
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {"language": self.language, "exact": self.exact, "globs": self.globs}


def _regex(glob: str, not_at_the_beginning: Iterable[str]) -> str:
    """A glob as a regular expression; a `*` at its beginning does not stand for certain words."""
    regex = re.escape(glob).replace(r"\*", ".+")
    words = "|".join(sorted(not_at_the_beginning))
    return rf"(?:(?!\b(?:{words})\b).)+{regex[2:]}" if words and glob.startswith("*") else regex


def _shorter(phrase: str, language: str) -> list[str]:
    """A noun phrase and what is left when its modifiers fall away, longest first.

    The head comes last in English and Chinese, first in Spanish.
    """
    if language == "zh":
        return [phrase[start:] for start in range(len(phrase))]
    words = phrase.split()
    if language == "es":
        return [" ".join(words[:end]) for end in range(len(words), 0, -1)]
    return [" ".join(words[start:]) for start in range(len(words))]


def load_mapping(language: str, path: str | Path | None = None) -> Mapping:
    """The mapping of a language, from a file or as it is shipped."""
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
        types = frozenset(key.split(SEVERAL))
        if table in _GLOBS:
            mapping.globs.setdefault(table, {})[types] = names
            continue
        known = mapping.exact.setdefault(table, {})
        for name in names:
            if name in known and known[name] != types:
                raise ConfigError(
                    f"{name!r} of [{table}] stands under two types",
                    path=path,
                    remedy=f'put it under "{SEVERAL.join(sorted(known[name] | types))}"',
                )
            known[name] = types
