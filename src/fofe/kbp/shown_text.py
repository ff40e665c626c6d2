"""Tags in text that only resembles XML, and the text between them that a reader sees.

A source document need not be well-formed: tags stay open, `<` stands in running text, attributes have quotes
in them. So nothing is parsed by the rules of XML and no entity is ever defined or expanded here: a tag is
what looks like one, any other `<` is a character of the text. Each character is looked at a bounded number of
times, whatever the text.
"""

import html
import re
from array import array
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from fofe.base.errors import InputError

BETWEEN_BLOCKS = "\n\n"
"""A blank line, which ends a sentence in every language."""
BETWEEN = -1
"""The position in the source of a character of such a line: none."""

_STRUCTURE = (
    "doc(?:id|no|type)?|date(?:time|_time|line)?|body|headline|text|author|p"
    "|post(?:er|date)?|quote|turn|speaker"
)
"""The tags that source documents are built of."""

_NAME = r"[A-Za-z][\w.-]*(?::[A-Za-z][\w.-]*)?"
# The bound keeps a text full of unclosed quotes from being searched to its end again and again.
_VALUE = r"""(?:"[^"\n]{0,2000}"|'[^'\n]{0,2000}'|[^\s"'<>]+)"""
_BEGIN = re.compile(r"<(?:!--|\?|/?[A-Za-z])")
_TAG = re.compile(rf"<(/?)({_NAME})(?:\s+{_NAME}\s*=\s*{_VALUE})*\s*(/?)>", re.ASCII)
_BROKEN_TAG = re.compile(rf"<(/?)({_NAME})[^<>]*?(/?)>", re.ASCII)
_MEANT_FOR_TAG = re.compile(rf"<(?:({_STRUCTURE})|a|img)\s+{_NAME}\s*=", re.ASCII | re.IGNORECASE)
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
    if found := _INSTRUCTION.match(text, start):
        return Tag(start, found.end(), "")
    found, meant = _TAG.match(text, start), None
    if found is None and (meant := _MEANT_FOR_TAG.match(text, start)):
        found = _BROKEN_TAG.match(text, start)
        if found is None and meant[1]:
            raise InputError(f"the tag <{meant[1]} at offset {start} never ends", remedy="close it with >")
    if found is None:
        return None
    return Tag(start, found.end(), found[2].lower(), bool(found[1]), bool(found[3]), broken=bool(meant))


def attribute(text: str, tag: Tag, *names: str) -> tuple[int, int] | None:
    """Where the value of the first attribute with one of these names stands, without its quotes."""
    for found in _ATTRIBUTE.finditer(text, tag.start, tag.end):
        if found[1].lower() in names:
            start, end = found.span(2)
            return (start + 1, end - 1) if text[start] in "\"'" else (start, end)
    return None


class Shown:
    """What a reader sees of a source: blocks of text with blank lines between them, references resolved.

    Only references that need no definition are resolved: `&amp;`, `&#20013;`, the names of HTML.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._blocks: list[str] = []
        self._block: list[str] = []
        """Parts of the block at hand."""
        # Where each character of the text begins and ends in the source; a reference cannot be divided.
        self._starts = array("l")
        self._ends = array("l")

    @cached_property
    def text(self) -> str:
        """All blocks, once the last has ended."""
        return BETWEEN_BLOCKS.join(self._blocks)

    def add(self, start: int, end: int) -> None:
        """Show `start:end` of the source in the block at hand."""
        for found in _ENTITY.finditer(self._source, start, end):
            meaning = html.unescape(found[0])
            if meaning and meaning != found[0]:
                self._add_plain(start, found.start())
                self._block.append(meaning)
                self._starts.extend([found.start()] * len(meaning))
                self._ends.extend([found.end()] * len(meaning))
                start = found.end()
        self._add_plain(start, end)

    def _add_plain(self, start: int, end: int) -> None:
        self._block.append(self._source[start:end])
        self._starts.extend(range(start, end))
        self._ends.extend(range(start + 1, end + 1))

    def end_block(self) -> None:
        """What comes next is not part of the same sentence."""
        text = "".join(self._block)
        self._block = []
        begin = len(self._starts) - len(text)
        first = begin + len(text) - len(text.lstrip())
        shown = text.strip()
        for positions in (self._starts, self._ends):
            del positions[first + len(shown) :], positions[begin:first]
        if shown:
            self._blocks.append(shown)
            for positions in (self._starts, self._ends):
                positions.extend([BETWEEN] * len(BETWEEN_BLOCKS))

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters `start:end` of what is shown stand in the source.

        The first and the last must be characters of blocks, not of the blank lines between them.
        """
        return self._starts[start], self._ends[end - 1]

    def from_source(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the characters `start:end` of the source are shown, if the first and the last of them are.

        None also where a border divides a character reference.
        """
        first, last = self._first_shown.get(start), self._last_shown.get(end)
        return None if first is None or last is None else (first, last + 1)

    @cached_property
    def _first_shown(self) -> dict[int, int]:
        """The first character of the text that begins at each position of the source."""
        shown = enumerate(self._starts)
        return {start: number for number, start in reversed([*shown]) if start != BETWEEN}

    @cached_property
    def _last_shown(self) -> dict[int, int]:
        """The last character of the text that ends at each position of the source."""
        return {end: number for number, end in enumerate(self._ends) if end != BETWEEN}
