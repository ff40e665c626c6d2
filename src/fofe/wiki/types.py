"""The type of every title: redirects are followed, and the evidence of all sources must agree.

Sources are pages and type tables: lines `title<TAB>class`, or Wikidata's JSON. What is known of titles lies
in an SQLite database, so that any number of processes can look titles up without holding all in memory.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from fofe.base.errors import InputError, broken_file
from fofe.base.files import DECOMPRESSION_ERRORS, open_compressed, read_valid_lines
from fofe.base.report import Report
from fofe.features.gazetteer import TypedName
from fofe.wiki.dump import is_dump, read_pages, read_site
from fofe.wiki.languages import wiki_language
from fofe.wiki.mapping import TABLE, TITLE, WIKIDATA, Mapping, join_types, load_mapping, split_types
from fofe.wiki.page import Page, base, looks_like_name, lower_form, normalise, read_page

MAX_REDIRECTS = 5
MAX_SUBCLASSES = 50
"""How far superclasses are followed: enough for any true chain, and an end for a wrong one."""
INSTANCE_OF, SUBCLASS_OF = "P31", "P279"

NO_TAB = "lines of a type table without a tab, left out"
NOT_JSON = "lines of Wikidata not in JSON, left out"

SECTION = "links to a section of a page"
LOOP = "links into redirects that never end"
NOWHERE = "links to a page neither in the dump nor in a table"
UNTYPED = "links to a page of no known type"
CONFLICT = "links to a page with evidence that disagrees"
COMMON = "links to a page that is a common noun"
AMBIGUOUS = "links to a disambiguation page"

_TABLES = """
    PRAGMA journal_mode = OFF;
    CREATE TABLE titles (title TEXT PRIMARY KEY, redirect TEXT, ambiguous INT, common INT);
    CREATE TABLE types (title TEXT, source TEXT, types TEXT, PRIMARY KEY (title, source))
        WITHOUT ROWID;
"""

LowerNames = dict[str, list[list[str]]]
"""The words of names, by the first of them."""
TypeTable = Iterator[tuple[str, str, str]]
"""Titles, each with a source and a class."""


class Resolved(NamedTuple):
    """The target of a link: the title behind all redirects, and its types or the reason why it has none."""

    title: str
    types: frozenset[str] = frozenset()
    sources: tuple[str, ...] = ()
    why_not: str = ""


class TypeIndex:
    """Everything that is known of titles, in memory or in a file, which is broken unless it is closed."""

    def __init__(self, mapping: Mapping, path: Path | None = None, *, read_only: bool = False) -> None:
        self.mapping = mapping
        name = "file::memory:" if path is None else path.resolve().as_uri()
        self._database = sqlite3.connect(f"{name}?immutable=1" if read_only else name, uri=True)
        if read_only:
            with broken_file(path or name, "remove its directory to start anew"):
                self._database.execute("SELECT 1 FROM titles, types LIMIT 1")
        else:
            self._database.executescript(_TABLES)

    def close(self) -> None:
        """Write everything to the file."""
        self._database.commit()
        self._database.close()

    def add_page(self, page: Page) -> None:
        """Add what a page says of itself; of several pages with one title the last counts."""
        self._database.execute(
            "INSERT INTO titles (title, redirect, ambiguous) VALUES (:title, :redirect, :ambiguous)"
            " ON CONFLICT (title) DO UPDATE SET redirect = :redirect, ambiguous = :ambiguous",
            {"title": page.title, "redirect": page.redirect, "ambiguous": page.ambiguous},
        )
        rows = ((page.title, source, types) for source, types in page.types.items())
        self._database.executemany("INSERT OR REPLACE INTO types VALUES (?, ?, ?)", rows)

    def add_table(self, path: str | Path, report: Report) -> None:
        """Add what a table says of titles."""
        for title, source, name in read_table(path, self.mapping.language, report):
            self.add_class(title, source, name)

    def add_class(self, title: str, source: str, name: str) -> None:
        """Add a class that a source gives a title; of several from one source the first counts."""
        self._database.execute("INSERT OR IGNORE INTO titles (title) VALUES (?)", (title,))
        if types := self.mapping.types(source, name):
            row = (title, source, join_types(types))
            self._database.execute("INSERT OR IGNORE INTO types VALUES (?, ?, ?)", row)

    def add_common_nouns(self, titles: Iterable[str]) -> None:
        """Mark titles that a link writes as common nouns."""
        self._database.executemany(
            "INSERT INTO titles (title, common) VALUES (?, 1) ON CONFLICT (title) DO UPDATE SET common = 1",
            ((title,) for title in titles),
        )

    def resolve(self, title: str) -> Resolved:
        """Follow redirects from a normalised title, and find the types on which all evidence agrees."""
        for _ in range(MAX_REDIRECTS + 1):
            row = self._database.execute(
                "SELECT redirect, ambiguous, common FROM titles WHERE title = ?", (title,)
            ).fetchone()
            if row is None:
                return self._agreed(title, unknown=NOWHERE)
            redirect, ambiguous, common = row
            if redirect is None:
                return Resolved(title, why_not=AMBIGUOUS) if ambiguous else self._agreed(title, common=common)
            if not redirect:
                return Resolved(title, why_not=SECTION)
            title = redirect
        return Resolved(title, why_not=LOOP)

    def _agreed(self, title: str, *, unknown: str = UNTYPED, common: bool = False) -> Resolved:
        rows = self._database.execute("SELECT source, types FROM types WHERE title = ?", (title,))
        known = {source: split_types(types) for source, types in rows}
        if by_title := self.mapping.types(TITLE, title):
            known[TITLE] = by_title
        if not known:
            return Resolved(title, why_not=unknown)
        if common or not looks_like_name(title, wiki_language(self.mapping.language)):
            return Resolved(title, why_not=COMMON)
        types = frozenset.intersection(*known.values())
        return Resolved(title, types, tuple(known), "" if types else CONFLICT)

    def titles(self) -> Iterator[str]:
        """All titles, in the order in which they were added."""
        return (title for (title,) in self._database.execute("SELECT title FROM titles ORDER BY rowid"))

    def lower_names(self) -> LowerNames:
        """The typed titles that have no capital within a sentence, as they are written there."""
        names: LowerNames = {}
        for (title,) in self._database.execute("SELECT DISTINCT title FROM types"):
            words = (lower_form(title) or "").split()
            if words and not self.resolve(title).why_not:
                names.setdefault(words[0], []).append(words)
        return names


def titled_names(
    sources: Iterable[str | Path], language: str, mapping: str | Path | None, report: Report
) -> Iterator[TypedName]:
    """The names of typed titles in Wikipedia dumps and type tables; a redirect names the page it leads to."""
    with closing(TypeIndex(load_mapping(language, mapping))) as index:
        for source in map(Path, sources):
            if is_dump(source):
                namespaces = read_site(source).namespaces
                for raw in read_pages(source, report):
                    if page := read_page(raw, index.mapping, namespaces, report):
                        index.add_page(page)
            else:
                index.add_table(source, report)
        for title in index.titles():
            resolved = index.resolve(title)
            if resolved.why_not:
                report.note(f"titles left out: {resolved.why_not.removeprefix('links to ')}", title)
            else:
                yield from product(names_of_title(title), sorted(resolved.types))


def names_of_title(title: str) -> list[str]:
    """The names in an article's title: without a qualifier in brackets, and also without one after a comma.

    `Paris (mythology)` is Paris; `Springfield, Illinois` is both that and Springfield.
    """
    name = base(title)
    short, comma, _ = name.partition(", ")
    return [name, short] if comma and short else [name]


def read_table(path: str | Path, language: str, report: Report) -> TypeTable:
    """The titles of a table with their classes; the first byte shows whether it is Wikidata's JSON."""
    with open_compressed(path) as stream:
        try:
            first = stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        except DECOMPRESSION_ERRORS as error:
            raise InputError(f"cannot be unpacked: {error}", path=path) from None
    return _wikidata(path, f"{language}wiki", report) if first in (b"{", b"[") else _classes(path, report)


def _classes(path: str | Path, report: Report) -> TypeTable:
    for number, line in read_valid_lines(path, report):
        title, tab, name = line.strip("\r\n").partition("\t")
        if tab and title.strip() and name.strip():
            yield normalise(title), TABLE, name.strip().lower()
        elif line.strip():
            report.note(NO_TAB, f"{path}:{number}")


def _wikidata(path: str | Path, site: str, report: Report) -> TypeTable:
    """Every page of a wiki with the classes that it is an instance of, and their superclasses."""
    instances: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    for entity in _entities(path, report):
        if classes := _items(entity, SUBCLASS_OF):
            above[str(entity.get("id", ""))] = classes
        with suppress(KeyError, TypeError):
            if title := str(entity["sitelinks"][site]["title"]):
                instances[normalise(title)] = _items(entity, INSTANCE_OF)
    for title, classes in instances.items():
        for item in _with_superclasses(classes, above):
            yield title, WIKIDATA, item


def _with_superclasses(classes: list[str], above: dict[str, list[str]]) -> list[str]:
    """Classes and their superclasses, nearest first."""
    found, level = dict.fromkeys(classes), classes
    for _ in range(MAX_SUBCLASSES):
        level = [item for known in level for item in above.get(known, ()) if item not in found]
        found.update(dict.fromkeys(level))
        if not level:
            break
    return list(found)


def _entities(path: str | Path, report: Report) -> Iterator[dict[str, Any]]:
    """The entities of a dump, one a line, or of a response of the API, all in one object."""
    for number, line in read_valid_lines(path, report):
        line = line.strip().rstrip(",")
        if line in ("", "[", "]"):
            continue
        value = None
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
        if not isinstance(value, dict):
            report.note(NOT_JSON, f"{path}:{number}")
            continue
        inside = value.get("entities")
        for entity in inside.values() if isinstance(inside, dict) else (value,):
            if isinstance(entity, dict):
                yield entity


def _items(entity: dict[str, Any], relation: str) -> list[str]:
    """The items that an entity is related to; a statement may write its item in two ways."""
    items = []
    claims = entity.get("claims")
    statements = claims.get(relation) if isinstance(claims, dict) else None
    for statement in statements if isinstance(statements, list) else ():
        with suppress(KeyError, TypeError):  # "no value" and "some value" are statements too
            value = statement["mainsnak"]["datavalue"]["value"]
            items.append(str(value["id"]) if "id" in value else f"Q{value['numeric-id']}")
    return items
