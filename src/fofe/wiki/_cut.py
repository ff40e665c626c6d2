"""Text under construction, and the links in it, whose offsets follow whatever is cut out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate


@dataclass(frozen=True)
class Link:
    """Where the text of a link stands, and the title it leads to."""

    start: int
    end: int
    target: str
    trail: int = 0
    """How many of its last letters stood behind the brackets."""


class Buffer:
    """Text that grows at its end."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.links: list[Link] = []

    def add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def add_link(self, text: str, target: str, trail: int) -> None:
        self.links.append(Link(self._length, self._length + len(text), target, trail))
        self.add(text)

    def splice(self, other: Buffer) -> None:
        """Add the text of another with its links."""
        shift = self._length
        self.links += [replace(link, start=link.start + shift, end=link.end + shift) for link in other.links]
        self.add(other.text)

    @property
    def text(self) -> str:
        return "".join(self._parts)


def cut(text: str, links: Iterable[Link], spans: list[tuple[int, int]]) -> tuple[str, list[Link]]:
    """Take spans, in order and apart, out of a text; links that lose all of their text go with it."""
    if not spans:
        return text, list(links)
    starts = [start for start, _ in spans]
    removed = [0, *accumulate(end - start for start, end in spans)]
    kept_starts = [0, *(end for _, end in spans)]
    kept = "".join(text[start:end] for start, end in zip(kept_starts, [*starts, len(text)], strict=True))

    def moved(offset: int) -> int:
        number = bisect_right(starts, offset)
        if number and offset < spans[number - 1][1]:  # inside a span: to where it was
            return starts[number - 1] - removed[number - 1]
        return offset - removed[number]

    shifted = (_trimmed(replace(link, start=moved(link.start), end=moved(link.end)), kept) for link in links)
    return kept, [link for link in shifted if link.start < link.end]


def _trimmed(link: Link, text: str) -> Link:
    """A link without the space that was left at its ends."""
    shown = text[link.start : link.end]
    start = link.start + len(shown) - len(shown.lstrip())
    return replace(link, start=start, end=start + len(shown.strip()))
