"""Type tables: the classes of titles, from lines `title<TAB>class` or from Wikidata's JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.files import DECOMPRESSION_ERRORS, open_compressed, read_valid_lines
from fofe.base.report import Report
from fofe.wiki.mapping import TABLE, WIKIDATA, Evidence
from fofe.wiki.page import normalise

NO_TAB = "lines of a type table without a tab, left out"
NOT_JSON = "lines of Wikidata that are not JSON, left out"
INSTANCE_OF, SUBCLASS_OF = "P31", "P279"
MAX_SUBCLASSES = 50
"""How far superclasses are followed: enough for any true chain, and an end for a wrong one."""

TypeTable = Iterator[tuple[str, Evidence]]


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
            yield normalise(title), Evidence(TABLE, name.strip().lower())
        elif line.strip():
            report.note(NO_TAB, f"{path}:{number}")


def _wikidata(path: str | Path, site: str, report: Report) -> TypeTable:
    """Every page of a wiki with the classes that it is an instance of, and their superclasses."""
    instances: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    for entity in _entities(path, report):
        classes = _items(entity, SUBCLASS_OF)
        if classes:
            above[str(entity.get("id", ""))] = classes
        title = _site_title(entity, site)
        if title:
            instances[normalise(title)] = _items(entity, INSTANCE_OF)
    for title, classes in instances.items():
        for item in _with_superclasses(classes, above):
            yield title, Evidence(WIKIDATA, item)


def _with_superclasses(classes: list[str], above: dict[str, list[str]]) -> list[str]:
    """Classes and their superclasses, nearest first."""
    found = dict.fromkeys(classes)
    level = classes
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
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            report.note(NOT_JSON, f"{path}:{number}")
            continue
        inside = value.get("entities")
        for entity in inside.values() if isinstance(inside, dict) else (value,):
            if isinstance(entity, dict):
                yield entity


def _items(entity: dict[str, Any], relation: str) -> list[str]:
    """The items that an entity is related to; an item may be written in two ways."""
    claims = entity.get("claims")
    statements = claims.get(relation, ()) if isinstance(claims, dict) else ()
    return [item for item in map(_item, statements) if item]


def _item(statement: Any) -> str | None:
    try:
        value = statement["mainsnak"]["datavalue"]["value"]
        return str(value["id"]) if "id" in value else f"Q{value['numeric-id']}"
    except (KeyError, TypeError):  # "no value" and "some value" are statements too
        return None


def _site_title(entity: dict[str, Any], site: str) -> str:
    links = entity.get("sitelinks")
    link = links.get(site) if isinstance(links, dict) else None
    return str(link.get("title", "")) if isinstance(link, dict) else ""
