"""What labelling counted: pages, links, mentions, and whatever was left out and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fofe.base.report import Report


@dataclass
class Summary:
    """Counts of what was found, and a report of what was dropped or mended."""

    counts: Counter[str] = field(default_factory=Counter)
    report: Report = field(default_factory=Report)

    def add(self, other: Summary) -> None:
        self.counts.update(other.counts)
        self.report.add(other.report)

    def to_json(self) -> dict[str, Any]:
        return {
            "counts": dict(self.counts),
            "dropped": dict(self.report.counts),
            "places": self.report.places,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Summary:
        report = Report()
        report.counts.update(value["dropped"])
        report.places = {what: list(places) for what, places in value["places"].items()}
        return cls(Counter(value["counts"]), report)

    def lines(self) -> list[str]:
        """What was found, then what was dropped and why, most frequent first."""
        return [f"{count} {what}" for what, count in sorted(self.counts.items())] + self.report.lines()
