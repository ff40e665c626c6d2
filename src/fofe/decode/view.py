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
    kept: list[Item] = []
    furthest = -1
    for item in sorted(items, key=lambda item: (item.start, -item.end)):
        if item.end > furthest:
            kept.append(item)
            furthest = item.end
    return kept
