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
from fofe.base.report import Report, counted

MD5_DIFFERS = "LTF documents whose raw text has another MD5: its text, or the space between segments, differs"

# Each part ends where it first can: one that could go on would have text of parts in exponential time.
_PROLOGUE = r"\s|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>\[]*>"
_ROOT = re.compile(rf"(?:{_PROLOGUE})*<LCTL_TEXT[\s>]", re.DOTALL)
_FILLERS: tuple[Callable[[int], str], ...] = (
    lambda size: "\n" * size,  # as LDC's own converters have it
    lambda size: " " * size,
    lambda size: " " if size == 1 else "\n" * size,
)
"""What may stand between segments; the MD5 decides."""
_SEGMENTS = "offsets count code points of the raw text, segments do not overlap, and ends are inclusive"
_NUMBER = re.compile(r"\d{1,15}")
MOST_TIMES = 10
"""How many times as long as a file a raw text can be: gaps have their characters nowhere."""


class RawText(NamedTuple):
    """The raw text of a document, with the tokens of each segment as half-open spans."""

    id: str
    language: str
    text: str
    segments: list[list[tuple[int, int]]]


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
    most = MOST_TIMES * len(text)
    for document in root.iter("DOC"):
        id = document.get("id", "")
        parts: list[tuple[int, str]] = []
        tokens: list[list[tuple[int, int]]] = []
        position = 0
        for segment in document.iter("SEG"):
            start, end = _span(segment, id)
            original = segment.findtext("ORIGINAL_TEXT", "")
            if start < position or end - start != len(original):
                place = f"{counted(len(original), 'characters')} at {start}-{end - 1}"
                raise InputError(f"{id}: segment {segment.get('id')} has {place}", remedy=_SEGMENTS)
            parts.append((start - position, original))
            tokens.append([_span(token, id) for token in segment.iter("TOKEN")])
            position = end
        language = document.get("lang") or root.get("lang") or ""
        yield RawText(id, language, _raw_text(document, parts, position, most, report), tokens)


def _span(element: ElementTree.Element, id: str) -> tuple[int, int]:
    """The half-open span of a segment or a token."""
    start, end = element.get("start_char", ""), element.get("end_char", "")
    if not _NUMBER.fullmatch(start) or not _NUMBER.fullmatch(end):
        problem = f"{id}: <{element.tag} id={element.get('id')!r}> has no place in the raw text"
        raise InputError(problem, remedy='write start_char="..." end_char="..."')
    return int(start), int(end) + 1


def _raw_text(
    document: ElementTree.Element, parts: Sequence[tuple[int, str]], end: int, most: int, report: Report
) -> str:
    """The texts of segments, each after a gap, up to `end`; length and MD5 are verified where given.

    A text of more than `most` characters is refused.
    """
    id, digest = document.get("id", ""), document.get("raw_text_md5", "").lower()
    given = document.get("raw_text_char_length", str(end))
    if not _NUMBER.fullmatch(given) or not end <= int(given) <= most:
        problem = f"{id}: raw_text_char_length is {given[:20]}, but its segments end at {end}"
        raise InputError(problem, remedy="unpack the file again, or give the source document")
    last = "\n" * (int(given) - end)
    texts = ["".join(filler(gap) + text for gap, text in parts) + last for filler in _FILLERS]
    right = [
        text for text in texts if hashlib.md5(text.encode(), usedforsecurity=False).hexdigest() == digest
    ]
    if digest and not right:
        report.note(MD5_DIFFERS, id)
    return (right or texts)[0]
