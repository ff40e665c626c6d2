"""What each page is: redirects followed, and the evidence of all sources put together."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fofe.base.files import write_atomically
from fofe.wiki.evidence import TITLE, Evidence
from fofe.wiki.languages import wiki_language
from fofe.wiki.mapping import Mapping, Types
from fofe.wiki.page import Page, TypesBySource, join_types, split_types
from fofe.wiki.titles import looks_like_name, lower_form

MAX_REDIRECTS = 5

PART = "links to a part of a page"
LOOP = "links into redirects that never end"
NOWHERE = "links to pages that neither the dump nor a table knows"
UNTYPED = "links to pages of no known type"
CONFLICT = "links to pages whose evidence disagrees"
COMMON = "links to pages that are common nouns"
AMBIGUOUS = "links to disambiguation pages"


class Resolved(NamedTuple):
    """Where a link leads: the title behind all redirects, and its types or why there are none."""

    title: str
    types: Types = frozenset()
    sources: tuple[str, ...] = ()
    why_not: str = ""


class Entry(NamedTuple):
    """What is known of a title."""

    types: TypesBySource = {}  # noqa: RUF012  (never changed)
    redirect: str | None = None
    ambiguous: bool = False
    common: bool = False
    """Whether some link writes it as a common noun."""


def judge(title: str, entry: Entry | None, mapping: Mapping) -> Resolved:
    """The types on which all evidence about a title that is no redirect agrees."""
    if entry is not None and entry.ambiguous:
        return Resolved(title, why_not=AMBIGUOUS)
    by_title = mapping.types(Evidence(TITLE, title))
    known = {**(entry.types if entry else {}), **({TITLE: by_title} if by_title else {})}
    if not known:
        return Resolved(title, why_not=NOWHERE if entry is None else UNTYPED)
    if (entry is not None and entry.common) or not looks_like_name(title, wiki_language(mapping.language)):
        return Resolved(title, why_not=COMMON)
    types = frozenset.intersection(*known.values())
    return Resolved(title, types, tuple(known), "" if types else CONFLICT)


@dataclass
class TypeIndex:
    """Everything that is known of titles, in memory."""

    mapping: Mapping
    entries: dict[str, Entry] = field(default_factory=dict)

    def add_page(self, page: Page) -> None:
        """Take over what a page says of itself."""
        known = self.entries.get(page.title, Entry())
        types = {**known.types, **page.types}
        self.entries[page.title] = known._replace(
            types=types, redirect=page.redirect, ambiguous=page.ambiguous
        )

    def add_evidence(self, title: str, evidence: Evidence) -> None:
        """Take over what a table says of a title; of several classes from one source the first counts."""
        known = self.entries.get(title, Entry())
        types = None if evidence.source in known.types else self.mapping.types(evidence)
        self.entries[title] = known._replace(
            types={**known.types, evidence.source: types} if types else known.types
        )

    def add_common(self, titles: Iterable[str]) -> None:
        """Remember titles that are written as common nouns, if anything else is known of them."""
        for title in titles:
            self.entries[title] = self.entries.get(title, Entry())._replace(common=True)

    def resolve(self, title: str) -> Resolved:
        """Follow redirects from a normalised title, and judge what is there."""
        for _ in range(MAX_REDIRECTS + 1):
            entry = self.entries.get(title)
            if entry is None or entry.redirect is None:
                return judge(title, entry, self.mapping)
            if not entry.redirect:
                return Resolved(title, why_not=PART)
            title = entry.redirect
        return Resolved(title, why_not=LOOP)

    def lower_names(self) -> set[str]:
        """The typed titles without a capital, as they would stand in a sentence."""
        forms = ((lower_form(title), title) for title, entry in self.entries.items() if entry.types)
        return {form for form, title in forms if form and not self.resolve(title).why_not}

    def save(self, path: Path) -> None:
        """Write the index, a title a line."""
        with write_atomically(path) as stream:
            for title, entry in self.entries.items():
                types = {source: join_types(found) for source, found in entry.types.items()}
                line = [title, types, entry.redirect, entry.ambiguous, entry.common]
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: Path, mapping: Mapping) -> TypeIndex:
        """Read what `save` wrote."""
        index = cls(mapping)
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                title, types, redirect, ambiguous, common = json.loads(line)
                found = {source: split_types(text) for source, text in types.items()}
                index.entries[title] = Entry(found, redirect, ambiguous, common)
        return index
