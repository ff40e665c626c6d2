"""A flat view of what may be nested."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class Spanned(Protocol):
    """Whatever has a half-open span: a candidate, a mention."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


Item = TypeVar("Item", bound=Spanned)


def outermost(items: Iterable[Item]) -> list[Item]:
    """Those that lie in no other, in reading order; of several on one span the first."""
    first: dict[tuple[int, int], Item] = {}
    for item in items:
        first.setdefault((item.start, item.end), item)
    return [first[span] for span in outer_spans(first)]


def outer_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The distinct half-open spans that lie in no other, in reading order."""
    kept: list[tuple[int, int]] = []
    furthest = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > furthest:
            kept.append((start, end))
            furthest = end
    return kept
