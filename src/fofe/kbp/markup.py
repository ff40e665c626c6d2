"""Tags in text that only resembles XML, and the text between them that a reader sees.

A source document need not be well-formed: tags stay open, `<` stands in running text, attributes have quotes
in them. So nothing is parsed by the rules of XML and no entity is ever defined or expanded here: a tag is
what looks like one, any other `<` is a character of the text. Each character is looked at a bounded number of
times, whatever the text.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from fofe.base.errors import InputError

BETWEEN_BLOCKS = "\n\n"
"""A blank line, which ends a sentence in every language."""

_STRUCTURE = re.compile(
    "doc(id|no|type)?|date(time|_time|line)?|body|headline|text|author|p|post(er|date)?|quote|turn|speaker"
)
"""The tags that source documents are built of."""

_NAME = r"[A-Za-z][\w.-]*(?::[A-Za-z][\w.-]*)?"
# The bound keeps a text full of unclosed quotes from being searched to its end again and again.
_VALUE = r"""(?:"[^"\n]{0,2000}"|'[^'\n]{0,2000}'|[^\s"'<>]+)"""
_BEGIN = re.compile(r"<(?:!--|\?|/?[A-Za-z])")
_TAG = re.compile(rf"<(/?)({_NAME})(?:\s+{_NAME}\s*=\s*{_VALUE})*\s*(/?)>", re.ASCII)
_BROKEN_TAG = re.compile(rf"<(/?)({_NAME})[^<>]*?(/?)>", re.ASCII)
_NAME_AND_ATTRIBUTE = re.compile(rf"<({_NAME})\s+{_NAME}\s*=", re.ASCII)
_INSTRUCTION = re.compile(r"<\?[^<>]*\?>")
_ATTRIBUTE = re.compile(rf"\s({_NAME})\s*=\s*({_VALUE})", re.ASCII)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});", re.ASCII)


class Tag(NamedTuple):
    """A tag at `start:end` of the text; its name is in lower case, empty for what is no element."""

    start: int
    end: int
    name: str
    closes: bool = False
    """Whether it is an end tag, `</name>`."""
    empty: bool = False
    """Whether it is both, `<name/>`."""
    broken: bool = False
    """Whether its attributes are not written as they should be."""


def tags(text: str, start: int, end: int) -> Iterator[Tag]:
    """The tags and comments in `text[start:end]`, in order."""
    position = start
    while begin := _BEGIN.search(text, position, end):
        tag = tag_at(text, begin.start())
        position = begin.end() if tag is None else tag.end
        if tag is not None:
            yield tag


def tag_at(text: str, start: int) -> Tag | None:
    """The tag that begins at `start`, or None where the `<` there is a character like any other."""
    if text.startswith("<!--", start):
        end = text.find("-->", start)
        if end < 0:
            raise InputError(f"the comment at offset {start} never ends", remedy="close it with -->")
        return Tag(start, end + 3, "")
    if found := _TAG.match(text, start):
        return Tag(start, found.end(), found[2].lower(), bool(found[1]), bool(found[3]))
    if found := _INSTRUCTION.match(text, start):
        return Tag(start, found.end(), "")
    return _broken_tag(text, start)


def _broken_tag(text: str, start: int) -> Tag | None:
    """What was meant for a tag of a source document, though its attributes are not as they should be."""
    name = _NAME_AND_ATTRIBUTE.match(text, start)
    is_structure = name is not None and _STRUCTURE.fullmatch(name[1].lower())
    if name is None or not (is_structure or name[1].lower() in ("a", "img")):
        return None
    if found := _BROKEN_TAG.match(text, start):
        return Tag(start, found.end(), found[2].lower(), bool(found[1]), bool(found[3]), broken=True)
    if is_structure:
        raise InputError(f"the tag <{name[1]} at offset {start} never ends", remedy="close it with >")
    return None


def attribute(text: str, tag: Tag, *names: str) -> tuple[int, int] | None:
    """Where the value of the first attribute with one of these names stands, without its quotes."""
    for found in _ATTRIBUTE.finditer(text, tag.start, tag.end):
        if found[1].lower() in names:
            start, end = found.span(2)
            return (start + 1, end - 1) if text[start] in "\"'" else (start, end)
    return None


def entities(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """The character references in `text[start:end]`: where each stands, and what it stands for.

    Only those that need no definition are known (`&amp;`, `&#20013;`, the names of HTML); the text of any
    other stays as it is written.
    """
    for found in _ENTITY.finditer(text, start, end):
        meaning = html.unescape(found[0])
        if meaning and meaning != found[0]:
            yield found.start(), found.end(), meaning


class Stretch(NamedTuple):
    """Characters `source:source_end` of the source, which stand at `shown:shown_end` of what is shown.

    If both have the same length they are the same characters; else the stretch is a character reference,
    which cannot be divided.
    """

    shown: int
    shown_end: int
    source: int
    source_end: int

    @property
    def is_reference(self) -> bool:
        return self.shown_end - self.shown != self.source_end - self.source


class Shown:
    """The text between the tags: blocks with blank lines between them, character references resolved."""

    def __init__(self) -> None:
        self.text = ""
        self._stretches: list[Stretch] = []
        self._shown_starts: list[int] = []
        self._source_starts: list[int] = []

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters `start:end` of what is shown stand in the source."""
        first = self._stretches[bisect_right(self._shown_starts, start) - 1]
        last = self._stretches[bisect_right(self._shown_starts, end - 1) - 1]
        source = first.source if first.is_reference else first.source + start - first.shown
        return source, last.source_end if last.is_reference else last.source + end - last.shown

    def from_source(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the characters `start:end` of the source are shown, if the first and the last of them are.

        None also where a border divides a character reference.
        """
        first = self._stretch_at(start)
        last = self._stretch_at(end - 1)
        if first is None or last is None:
            return None
        if (first.is_reference and start != first.source) or (last.is_reference and end != last.source_end):
            return None
        shown = first.shown if first.is_reference else first.shown + start - first.source
        return shown, last.shown_end if last.is_reference else last.shown + end - last.source

    def _stretch_at(self, source: int) -> Stretch | None:
        place = bisect_right(self._source_starts, source) - 1
        if place < 0 or source >= self._stretches[place].source_end:
            return None
        return self._stretches[place]


class ShownBuilder:
    """Collects what is shown, stretch after stretch."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._parts: list[str] = []
        self._length = 0
        self._shown = Shown()
        self._block: list[tuple[int, int, str | None]] = []
        """The stretches of the block at hand, with what is shown instead of them."""

    def add(self, start: int, end: int) -> None:
        """Show `start:end` of the source in the block at hand."""
        for reference, after, meaning in entities(self._source, start, end):
            if start < reference:
                self._block.append((start, reference, None))
            self._block.append((reference, after, meaning))
            start = after
        if start < end:
            self._block.append((start, end, None))

    def end_block(self) -> None:
        """What comes next is not part of the same sentence."""
        block = self._trimmed()
        self._block = []
        if not block:
            return
        if self._parts:
            self._parts.append(BETWEEN_BLOCKS)
            self._length += len(BETWEEN_BLOCKS)
        for start, end, meaning in block:
            text = self._source[start:end] if meaning is None else meaning
            stretch = Stretch(self._length, self._length + len(text), start, end)
            self._shown._stretches.append(stretch)
            self._shown._shown_starts.append(stretch.shown)
            self._shown._source_starts.append(start)
            self._parts.append(text)
            self._length += len(text)

    def finish(self) -> Shown:
        self.end_block()
        self._shown.text = "".join(self._parts)
        return self._shown

    def _trimmed(self) -> list[tuple[int, int, str | None]]:
        """The block without whitespace around it."""
        block = self._block
        first, last = 0, len(block)
        while first < last and not self._text(block[first]).strip():
            first += 1
        while last > first and not self._text(block[last - 1]).strip():
            last -= 1
        block = block[first:last]
        if block and block[0][2] is None:
            start, end, _ = block[0]
            block[0] = (end - len(self._source[start:end].lstrip()), end, None)
        if block and block[-1][2] is None:
            start, end, _ = block[-1]
            block[-1] = (start, start + len(self._source[start:end].rstrip()), None)
        return block

    def _text(self, stretch: tuple[int, int, str | None]) -> str:
        start, end, meaning = stretch
        return self._source[start:end] if meaning is None else meaning
