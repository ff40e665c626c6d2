"""Tagged documents for eyes and for pipes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO

from fofe.formats import write_corpus
from fofe.formats._shared import open_output, without_surrogates
from fofe.formats.report import Report
from fofe.text.document import Document, Mention
from fofe.text.offsets import OffsetMap, OffsetUnit

COLOURS = (36, 33, 32, 35, 34, 31)
"""ANSI colours of types, in the order in which types first appear."""


def write_tagged(
    documents: Iterable[Document], target: str, format: str, unit: OffsetUnit, report: Report
) -> None:
    """Write documents as they come: `text`, `tsv`, `jsonl` or `conll`."""
    with open_output(target) as stream:
        if format == "jsonl":
            counted = (_with_offsets(document, unit) for document in documents)
            write_corpus(_flushed(counted, stream), stream, "jsonl", report, tokens=False)
        elif format == "conll":
            write_corpus(documents, stream, "conll", report)
        elif format == "tsv":
            for document in documents:
                rows = "".join(_rows(_with_offsets(document, unit)))
                stream.write(without_surrogates(rows, report, document.id))
                stream.flush()
        else:
            painter = Painter(colour=stream.isatty() and "NO_COLOR" not in os.environ)
            for document in documents:
                stream.write(without_surrogates(painter.paint(document), report, document.id) + "\n")
                stream.flush()


def _flushed(documents: Iterator[Document], stream: IO[str]) -> Iterator[Document]:
    """Whoever reads the other end of a pipe sees each document when it is done."""
    for document in documents:
        yield document
        stream.flush()


def _with_offsets(document: Document, unit: OffsetUnit) -> Document:
    """The document with its mentions counted in another unit, and a note of that."""
    if unit == "codepoints":
        return document
    offsets = OffsetMap(document.text, unit)
    mentions = [
        replace(
            mention,
            start=offsets.from_codepoints(mention.start),
            end=offsets.from_codepoints(mention.end),
        )
        for mention in document.mentions
    ]
    return replace(document, mentions=mentions, meta={**document.meta, "offsets": unit})


def _rows(document: Document) -> Iterator[str]:
    for mention in document.mentions:
        text = " ".join(mention.text.split())
        others = "".join(f"\t{label}={score:.4f}" for label, score in mention.alternatives)
        place = f"{document.id}\t{mention.start}\t{mention.end}"
        yield f"{place}\t{mention.label}\t{mention.score:.4f}\t{text}{others}\n"


class Painter:
    """Shows mentions in their text: `[Anna Berg PER] met the [mayor PER_NOM] of [Bergen GPE].`"""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._colours: dict[str, int] = {}

    def paint(self, document: Document) -> str:
        """The text with its mentions in brackets; of two that cross the later is left out."""
        pieces: list[str] = []
        open_mentions: list[Mention] = []
        position = 0
        for mention in sorted(document.mentions, key=lambda mention: (mention.start, -mention.end)):
            while open_mentions and open_mentions[-1].end <= mention.start:
                position = self._close(document.text, pieces, open_mentions.pop(), position)
            if open_mentions and mention.end > open_mentions[-1].end:
                continue
            pieces += [document.text[position : mention.start], self._style("[", mention)]
            position = mention.start
            open_mentions.append(mention)
        while open_mentions:
            position = self._close(document.text, pieces, open_mentions.pop(), position)
        return "".join([*pieces, document.text[position:]])

    def _close(self, text: str, pieces: list[str], mention: Mention, position: int) -> int:
        pieces += [text[position : mention.end], self._style(f" {mention.label}]", mention)]
        return mention.end

    def _style(self, mark: str, mention: Mention) -> str:
        if not self._colour:
            return mark
        number = self._colours.setdefault(mention.type, len(self._colours))
        return f"\x1b[1;{COLOURS[number % len(COLOURS)]}m{mark}\x1b[0m"
