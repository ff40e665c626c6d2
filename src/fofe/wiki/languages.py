"""What differs between Wikipedias: names of namespaces and templates, link trails, capitals."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fofe.base.settings import read_toml

_PATTERNS = ("infobox", "disambiguation", "trail", "definition")


@dataclass(frozen=True)
class WikiLanguage:
    """The local words of a wiki, from `languages.toml`."""

    files: frozenset[str]
    categories: frozenset[str]
    infobox: re.Pattern[str]
    """Matches the beginning of an infobox's name; the rest of the name is its class."""
    disambiguation: re.Pattern[str]
    """Matches the names of templates that mark a disambiguation page."""
    trail: re.Pattern[str]
    """Matches the letters right after a link that are shown as a part of it."""
    definition: re.Pattern[str]
    """Finds the `phrase` by which a sentence defines its subject: "is a Polish *footballer*"."""
    capitals: bool = True
    """True if names begin with capitals."""
    capital_names: bool = False
    """True if every word of a name is capitalised, function words aside."""
    function_words: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    """After one of these, the last word of a title is not its head: `Miracle on the Han River`."""
    openers: frozenset[str] = frozenset()
    """Words that are no names even as the capitalised first word of a sentence."""
    generic_words: frozenset[str] = frozenset()
    """Last words of titles that say what something is; its name may go without."""


@cache
def wiki_language(code: str) -> WikiLanguage:
    """The words of a language; for languages that are not here, those of English."""
    tables = read_toml(Path(__file__).with_name("languages.toml"))
    table = tables.get(code.lower().partition("-")[0], tables["en"])
    for key, value in table.items():
        if isinstance(value, str):
            table[key] = re.compile(value) if key in _PATTERNS else frozenset(value.split())
    return WikiLanguage(**table)
