"""What a reader or writer changed or skipped: counts, with the first places of each."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

PLACES_KEPT = 3
EMPTY_FILES = "files without a document"
EMPTY_SENTENCES = "empty sentences left out"


def counted(count: int, what: str, form: str = "") -> str:
    """The count before what is counted: a phrase whose first word in -s is the plural, `empty sentences`."""
    if count == 1:
        what = re.sub(r"(ies|(?<!ou)s)\b", lambda end: "y" if end[1] == "ies" else "", what, count=1)
    return f"{count:{form}} {what}"


@dataclass
class Report:
    """Counts of remarks by kind, with the first few places of each.

    Nothing is skipped silently: code that drops or mends an item calls `note`. What was recognised in a
    corpus without changing anything, such as its tag scheme, is a fact. `vars` gives a report in JSON types;
    `Report(**vars)` can be added to another.
    """

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    facts: dict[str, list[str]] = field(default_factory=dict)
    totals: Counter[str] = field(default_factory=Counter)
    """How much there was, such as pages and links: nothing to remark on."""

    def note(self, what: str, place: str = "") -> None:
        """Count a remark at a place: a phrase for `counted`, such as "orphan I- tags read as B-"."""
        self.counts[what] += 1
        places = self.places.setdefault(what, [])
        if place and len(places) < PLACES_KEPT:
            places.append(place)

    def found(self, what: str, value: str) -> None:
        """Record a fact about the corpus, such as "tag scheme": "IOB1"."""
        values = self.facts.setdefault(what, [])
        if value not in values:
            values.append(value)

    def add(self, other: Report) -> None:
        """Add the counts and facts of another report."""
        self.counts.update(other.counts)
        self.totals.update(other.totals)
        for what, places in other.places.items():
            kept = self.places.setdefault(what, [])
            kept += places[: PLACES_KEPT - len(kept)]
        for what, values in other.facts.items():
            for value in values:
                self.found(what, value)

    def lines(self) -> list[str]:
        """One readable line for each fact and for each kind of remark, most frequent first."""
        facts = [f"{what}: {', '.join(values)}" for what, values in self.facts.items()]
        return facts + [
            counted(count, what) + (f" (first: {', '.join(self.places[what])})" if self.places[what] else "")
            for what, count in self.counts.most_common()
        ]

    def __bool__(self) -> bool:
        """True if anything was changed or left out."""
        return bool(self.counts)
