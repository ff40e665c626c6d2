"""Tags in text that only resembles XML, and the text between them that a reader sees.

A source document need not be well-formed: tags stay open, `<` stands in running text, attributes have quotes
in them. So nothing is parsed by the rules of XML and no entity is ever defined or expanded here: a tag is
what looks like one, any other `<` is a character of the text. Each character is looked at a bounded number of
times, whatever the text.
"""

import html
import re
from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from fofe.base.errors import InputError

BETWEEN_BLOCKS = "\n\n"
"""A blank line, which ends a sentence in every language."""
BETWEEN = -1
"""The position in the source of a character of such a line: none."""

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


class Shown:
    """What a reader sees of a source: blocks of text with blank lines between them, references resolved.

    `text` is complete after `end`. Only character references that need no definition are resolved (`&amp;`,
    `&#20013;`, the names of HTML); the text of any other stays as it is written.
    """

    def __init__(self, source: str) -> None:
        self.text = ""
        self._source = source
        self._blocks: list[str] = []
        # Where each character of the text begins and ends in the source; a reference cannot be divided.
        self._starts = array("l")
        self._ends = array("l")
        self._block: list[tuple[str, Iterable[int], Iterable[int]]] = []
        """Parts of the block at hand, with the starts and the ends of their characters."""

    def add(self, start: int, end: int) -> None:
        """Show `start:end` of the source in the block at hand."""
        for found in _ENTITY.finditer(self._source, start, end):
            meaning = html.unescape(found[0])
            if meaning and meaning != found[0]:
                self._add_plain(start, found.start())
                times = len(meaning)
                self._block.append((meaning, [found.start()] * times, [found.end()] * times))
                start = found.end()
        self._add_plain(start, end)

    def _add_plain(self, start: int, end: int) -> None:
        self._block.append((self._source[start:end], range(start, end), range(start + 1, end + 1)))

    def end_block(self) -> None:
        """What comes next is not part of the same sentence."""
        text = "".join(part for part, _, _ in self._block)
        if stripped := text.strip():
            if self._blocks:
                for positions in (self._starts, self._ends):
                    positions.extend([BETWEEN] * len(BETWEEN_BLOCKS))
            first = len(text) - len(text.lstrip())
            shown = slice(first, first + len(stripped))
            self._starts.extend(list(chain.from_iterable(starts for _, starts, _ in self._block))[shown])
            self._ends.extend(list(chain.from_iterable(ends for _, _, ends in self._block))[shown])
            self._blocks.append(stripped)
        self._block = []

    def end(self) -> None:
        """There is no more to show."""
        self.end_block()
        self.text = BETWEEN_BLOCKS.join(self._blocks)

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
