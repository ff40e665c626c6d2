"""A document as HTML: its text, each mention underlined in the colour of its type, with its label.

Nested mentions have their underlines below one another; the line of a nominal is dotted. The labels stand
after the last word of a mention, where they are read aloud in their place but not copied with the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from fofe.text.colours import colour_of
from fofe.text.document import NOMINAL, Document, Mention
from fofe.text.spans import pieces, rows

STYLE = """\
.fofe { white-space: pre-wrap; overflow-wrap: anywhere; }
.fofe mark { background: none; color: inherit; border-bottom: 3px solid var(--c);
  padding-bottom: calc(var(--row) * 5px); }
.fofe mark.nom { border-bottom-style: dotted; }
.fofe small { background: var(--c); color: #fff; border-radius: 3px; padding: 0 3px; margin-left: 3px;
  font: 600 9px/13px system-ui, sans-serif; vertical-align: 0.35em; white-space: nowrap;
  -webkit-user-select: none; user-select: none; }
"""
"""What makes `marked_up` visible; a page needs it once."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_LINE = 1.7
"""The height of a line without nested mentions, in ems; each further row of underlines adds to it."""


def marked_up(document: Document, *, scores: bool = True) -> str:
    """The text and its mentions as one element, without style."""
    row_of = rows(document.mentions)
    height = _LINE + 0.3 * max(row_of, default=0)
    body = "".join(_elements(document, row_of, scores))
    return f'<div class="fofe" style="line-height: {height:.1f}">{body}</div>'


def standalone(document: Document) -> str:
    """The element together with its style: what a notebook shows."""
    return f"<style>\n{STYLE}</style>\n{marked_up(document)}"


def page_head(title: str) -> str:
    """The beginning of a page of documents, which follows the reader's choice of light or dark."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n:root {{ color-scheme: light dark; }}\n"
        "body { font: 17px/1.7 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;"
        " padding: 0 1rem; }\n"
        "article { margin-bottom: 1.5rem; }\n"
        f"{STYLE}</style>\n</head>\n<body>\n"
    )


PAGE_END = "</body>\n</html>\n"


def article(document: Document) -> str:
    """A document as a part of a page."""
    return f"<article>{marked_up(document)}</article>\n"


def page(documents: Iterable[Document], title: str = "Mentions") -> str:
    """A whole page of documents."""
    return page_head(title) + "".join(map(article, documents)) + PAGE_END


def _elements(document: Document, row_of: list[int], scores: bool) -> Iterator[str]:
    mentions = document.mentions
    for piece in pieces(mentions, len(document.text)):
        for number in piece.opened:
            yield _opening(mentions[number], row_of[number])
        yield _escaped(document.text[piece.start : piece.end])
        for number in piece.closed:
            if number in piece.ended:
                yield _label(mentions[number], scores)
            yield "</mark>"


def _opening(mention: Mention, row: int) -> str:
    kind = ' class="nom"' if mention.kind == NOMINAL else ""
    return f'<mark{kind} style="--c: {colour_of(mention.type)}; --row: {row}" title="{_told(mention)}">'


def _label(mention: Mention, scores: bool) -> str:
    score = f" {mention.score:.2f}" if scores and mention.score != 1.0 else ""
    return f"<small>{_escaped(mention.label)}{score}</small>"


def _told(mention: Mention) -> str:
    kind = "nominal" if mention.kind == NOMINAL else "name"
    return f"{_escaped(mention.type)}, {kind}, score {mention.score:.3f}"


def _escaped(text: str) -> str:
    """Text as HTML; lone surrogates, which UTF-8 cannot hold, become U+FFFD."""
    return _SURROGATES.sub("\ufffd", escape(text))
