"""Tags in text that only resembles XML.

A source document need not be well-formed: tags stay open, `<` stands in running text, attributes have quotes
in them. So nothing is parsed by the rules of XML and no entity is ever defined or expanded here: a tag is
what looks like one, any other `<` is a character of the text. Each character is looked at a bounded number of
times, whatever the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from fofe.base.errors import InputError

STRUCTURE = frozenset(
    {
        *(
            "doc",
            "docid",
            "docno",
            "doctype",
            "date",
            "datetime",
            "date_time",
            "body",
            "headline",
            "dateline",
        ),
        *("text", "author", "p", "post", "poster", "postdate", "quote", "turn", "speaker"),
    }
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
    if name is None or name[1].lower() not in STRUCTURE | {"a", "img"}:
        return None
    if found := _BROKEN_TAG.match(text, start):
        return Tag(start, found.end(), found[2].lower(), bool(found[1]), bool(found[3]), broken=True)
    if name[1].lower() in STRUCTURE:
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
