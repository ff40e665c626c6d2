"""A document as HTML: its text, each mention underlined in the colour of its type, with its label.

The underlines of nested mentions lie below one another; that of a nominal is dotted. Each label follows the
last word of its mention, where a screen reader reads it, but it is not copied with the text.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import count, pairwise
from typing import NamedTuple
from zlib import crc32

from fofe.text.document import NOMINAL, Document, Mention

STYLE = """\
.fofe { white-space: pre-wrap; overflow-wrap: anywhere; }
.fofe mark { background: none; color: inherit; border-bottom: 3px solid var(--c);
  padding-bottom: calc(var(--row) * 5px); }
.fofe mark.nom { border-bottom-style: dotted; }
.fofe small { background: var(--c); color: #fff; border-radius: 3px; padding: 0 3px; margin-left: 3px;
  font: 600 9px/13px system-ui, sans-serif; vertical-align: 0.35em; white-space: nowrap;
  -webkit-user-select: none; user-select: none; }
"""
"""The style of `marked_up`; a page needs it once."""

_COLOURS = {
    "PER": "#0b62a8",
    "ORG": "#a83b00",
    "GPE": "#00704f",
    "LOC": "#6b5b00",
    "FAC": "#8a2a82",
    "MISC": "#4b5563",
}
_OTHER_COLOURS = ("#9d174d", "#3730a3", "#0e7490", "#854d0e", "#7f1d1d", "#3f6212", "#5b21b6", "#115e59")
_SURROGATES = re.compile("[\ud800-\udfff]")


def colour_of(type: str) -> str:
    """A colour on which white text is legible; a type has the same one in every text and process."""
    return _COLOURS.get(type) or _OTHER_COLOURS[crc32(type.encode(errors="replace")) % len(_OTHER_COLOURS)]


def marked_up(document: Document, *, scores: bool = True) -> str:
    """The text and its mentions as one element, without style."""
    row_of = rows(document.mentions)
    height = 1.7 + 0.3 * max(row_of, default=0)  # of a line in ems, with room for the underlines
    body = "".join(_elements(document, row_of, scores))
    return f'<div class="fofe" style="line-height: {height:.1f}">{body}</div>'


def page_head(title: str) -> str:
    """The beginning of a page of documents, in light or dark as the reader prefers."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n:root {{ color-scheme: light dark; }}\n"
        "body { font: 17px/1.7 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;"
        " padding: 0 1rem; }\n"
        f"article {{ margin-bottom: 1.5rem; }}\n{STYLE}</style>\n</head>\n<body>\n"
    )


PAGE_END = "</body>\n</html>\n"


def article(document: Document) -> str:
    """A document as a part of a page."""
    return f"<article>{marked_up(document)}</article>\n"


def page(documents: Iterable[Document], title: str = "Mentions") -> str:
    """A page of documents."""
    return page_head(title) + "".join(map(article, documents)) + PAGE_END


def _elements(document: Document, row_of: list[int], scores: bool) -> Iterator[str]:
    mentions = document.mentions
    for part in text_slices(mentions, len(document.text)):
        for number in part.opened:
            mention = mentions[number]
            kind, nom = ("nominal", ' class="nom"') if mention.kind == NOMINAL else ("name", "")
            title = f"{_escaped(mention.type)}, {kind}, score {mention.score:.3f}"
            style = f"--c: {colour_of(mention.type)}; --row: {row_of[number]}"
            yield f'<mark{nom} style="{style}" title="{title}">'
        yield _escaped(document.text[part.start : part.end])
        for number in part.closed:
            if mentions[number].end == part.end:
                score = mentions[number].score
                shown = f" {score:.2f}" if scores and score != 1.0 else ""
                yield f"<small>{_escaped(mentions[number].label)}{shown}</small>"
            yield "</mark>"


def _escaped(text: str) -> str:
    """Text as HTML; lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    return _SURROGATES.sub("\ufffd", escape(text))


class TextSlice(NamedTuple):
    """The text between two neighbouring borders of mentions."""

    start: int
    end: int
    opened: list[int]
    """The numbers of the mentions whose elements open before it, the outermost first."""
    closed: list[int]
    """Those whose elements close after it, the innermost first.

    A mention that crosses one of those that end there closes too, and opens again.
    """


def rows(mentions: Sequence[Mention]) -> list[int]:
    """The row of each mention's underline: 0 is next to the text, and no two in a row overlap.

    Shorter mentions come first, so the inner ones of a nest lie nearer to the text.
    """
    found = [0] * len(mentions)
    filled: list[list[tuple[int, int]]] = []  # the spans in each row, in order
    spans = [(mention.start, mention.end) for mention in mentions]
    for number, (start, end) in sorted(enumerate(spans), key=lambda one: (one[1][1] - one[1][0], one[1][0])):
        for row in count():
            if row == len(filled):
                filled.append([])
            before = bisect_left(filled[row], (end, 0))
            # Of the spans that start before this one ends, the last reaches furthest.
            if before == 0 or filled[row][before - 1][1] <= start:
                filled[row].insert(before, (start, end))
                found[number] = row
                break
    return found


def text_slices(mentions: Sequence[Mention], length: int) -> Iterator[TextSlice]:
    """The slices of a text of `length` characters; the elements of mentions nest in one another."""
    starting: defaultdict[int, list[int]] = defaultdict(list)
    for number, mention in enumerate(mentions):
        starting[mention.start].append(number)
    ends = {mention.end for mention in mentions}
    again: list[int] = []
    stack: list[int] = []
    for start, end in pairwise(sorted({0, length, *starting, *ends})):
        numbers = again + starting[start]
        opened = sorted(numbers, key=lambda number: (-mentions[number].end, mentions[number].start, number))
        stack += opened
        # Elements above the lowest one that ends must close with it.
        lowest = next((at for at, number in enumerate(stack) if mentions[number].end == end), len(stack))
        closed = stack[lowest:][::-1]
        del stack[lowest:]
        again = [number for number in closed if mentions[number].end != end]
        yield TextSlice(start, end, opened, closed)
