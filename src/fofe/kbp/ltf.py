"""LTF (`.ltf.xml`), in which the LDC ships tokenised documents, and the raw text that it was made of.

A segment is a stretch of the raw text, with its markup where the raw text was XML. Offsets point into the raw
text, and ends are inclusive in the file. What stands between segments is white space.
"""

import hashlib
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from fofe.base.errors import InputError
from fofe.base.report import Report

MD5_DIFFERS = "LTF documents whose raw text has another MD5: its text, or the space between segments, differs"

_ROOT = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*<LCTL_TEXT[\s>]", re.DOTALL)
_FILLERS: tuple[Callable[[int], str], ...] = (
    lambda size: "\n" * size,  # as LDC's own converters have it
    lambda size: " " * size,
    lambda size: " " if size == 1 else "\n" * size,
)
"""What may stand between segments; the MD5 decides."""


class RawText(NamedTuple):
    """The raw text of a document, with the tokens of each segment as half-open spans."""

    id: str
    language: str
    text: str
    segments: list[list[tuple[int, int]]]


class _Segment(NamedTuple):
    start: int
    text: str
    tokens: list[tuple[int, int]]


def is_ltf(text: str) -> bool:
    """Whether a text, or its beginning, is that of an LTF file: its root element is LCTL_TEXT."""
    return _ROOT.match(text) is not None


def raw_texts(text: str, report: Report) -> Iterator[RawText]:
    """The documents of an LTF file, each with its raw text rebuilt from the segments."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        remedy = "unpack it again, or give the source document"
        raise InputError(f"is not well-formed XML: {error}", remedy=remedy) from None
    for document in root.iter("DOC"):
        id = document.get("id", "")
        segments = list(_segments(document, id))
        raw = _raw_text(segments, document, report)
        language = document.get("lang") or root.get("lang") or ""
        yield RawText(id, language, raw, [segment.tokens for segment in segments])


def _segments(document: ElementTree.Element, id: str) -> Iterator[_Segment]:
    position = 0
    for element in document.iter("SEG"):
        start, end = _span(element, id)
        text = element.findtext("ORIGINAL_TEXT", "")
        if start < position or end - start != len(text):
            problem = f"{id}: segment {element.get('id')} has {len(text)} characters at {start}-{end - 1}"
            remedy = (
                "offsets count code points of the raw text, segments do not overlap, and ends are inclusive"
            )
            raise InputError(problem, remedy=remedy)
        position = end
        yield _Segment(start, text, [_span(token, id) for token in element.iter("TOKEN")])


def _span(element: ElementTree.Element, id: str) -> tuple[int, int]:
    """The half-open span of a segment or a token."""
    start, end = element.get("start_char", ""), element.get("end_char", "")
    if not start.isdecimal() or not end.isdecimal():
        problem = f"{id}: <{element.tag} id={element.get('id')!r}> has no place in the raw text"
        raise InputError(problem, remedy='write start_char="..." end_char="..."')
    return int(start), int(end) + 1


def _raw_text(segments: Sequence[_Segment], document: ElementTree.Element, report: Report) -> str:
    """The segments at their offsets; length and MD5 are verified where they are given."""
    id, digest = document.get("id", ""), document.get("raw_text_md5", "").lower()
    end = segments[-1].start + len(segments[-1].text) if segments else 0
    given = document.get("raw_text_char_length", str(end))
    if not given.isdecimal() or int(given) < end:
        problem = f"{id}: raw_text_char_length is {given}, but its segments end at {end}"
        raise InputError(problem, remedy="unpack the file again, or give the source document")
    texts = [_filled(segments, int(given), filler) for filler in _FILLERS]
    right = [
        text for text in texts if hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() == digest
    ]
    if digest and not right:
        report.note(MD5_DIFFERS, id)
    return (right or texts)[0]


def _filled(segments: Sequence[_Segment], length: int, filler: Callable[[int], str]) -> str:
    parts: list[str] = []
    position = 0
    for start, text, _ in segments:
        parts += [filler(start - position), text]
        position = start + len(text)
    return "".join([*parts, "\n" * (length - position)])
