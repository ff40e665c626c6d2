"""Tagged documents for eyes and for pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats import FORMATS, conll, jsonl
from fofe.formats.common import without_surrogates
from fofe.formats.tag_schemes import tag_scheme
from fofe.show.redact import redacted
from fofe.text import html
from fofe.text.document import Document, Mention, split_label

if TYPE_CHECKING:
    from fofe.text.offsets import OffsetUnit

_FORMATS_OF_SUFFIXES = {
    **dict.fromkeys(FORMATS["jsonl"].suffixes, "jsonl"),
    **dict.fromkeys((".conll", ".iob2", ".bio"), "conll"),
    ".tsv": "tsv",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
}

COLOURS = (36, 33, 32, 35, 34, 31)
"""ANSI colours of types, in the order of the model's labels."""


def format_of_output(path: str) -> str | None:
    """The format that the name of a file promises, if it promises one; an error where that is not written."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS_OF_SUFFIXES and any(suffix in known.suffixes for known in FORMATS.values()):
        raise InputError(
            "promises a format that tagging does not write",
            path=path,
            remedy="write .jsonl, which fofe convert turns into others, or name a format with --format",
        )
    return _FORMATS_OF_SUFFIXES.get(suffix)


@dataclass(frozen=True)
class Show:
    """How documents are written: `text`, `redacted`, `tsv`, `jsonl`, `conll` or `html`, each on its own.

    Nothing is kept from one document to the next, so several processes may share the work.
    """

    format: str
    offsets: OffsetUnit = "codepoints"
    colour: bool = False
    alone: bool = False
    """Whether there is only one document, which CoNLL writes without a `-DOCSTART-` line."""

    @property
    def head(self) -> str:
        """What stands before the first document."""
        return html.page_head("Mentions") if self.format == "html" else ""

    @property
    def end(self) -> str:
        """What stands after the last one."""
        return html.PAGE_END if self.format == "html" else ""

    def writer(self, labels: Sequence[str]) -> Callable[[Document, Report, str], str]:
        """What writes a document that the report calls by a name; `labels` are those of mentions."""
        if self.format == "jsonl":
            return self._json_line
        if self.format == "conll":
            return self._conll
        if self.format == "tsv":
            return self._tsv
        if self.format == "html":
            return self._html
        if self.format == "redacted":
            return self._redacted
        return Painter(labels, colour=self.colour).line

    def _json_line(self, document: Document, report: Report, place: str) -> str:
        return jsonl.format_line(_with_offsets(document, self.offsets), report, place, tokens=False)

    def _conll(self, document: Document, report: Report, place: str) -> str:
        return conll.format_document(document, report, place, scheme=tag_scheme("IOB2"), alone=self.alone)

    def _tsv(self, document: Document, report: Report, place: str) -> str:
        rows = _rows(_with_offsets(document, self.offsets), document.id or place)
        return without_surrogates("".join(rows), report, place)

    def _html(self, document: Document, report: Report, place: str) -> str:
        return html.article(replace(document, text=without_surrogates(document.text, report, place)))

    def _redacted(self, document: Document, report: Report, place: str) -> str:
        return without_surrogates(redacted(document), report, place) + "\n"


def _with_offsets(document: Document, unit: OffsetUnit) -> Document:
    """The document with its mentions counted in another unit, and a note of that."""
    if unit == "codepoints":
        return document
    from fofe.text.offsets import OffsetMap

    offsets = OffsetMap(document.text, unit)
    mentions = [
        replace(
            mention,
            start=offsets.from_codepoints(mention.start),
            end=offsets.from_codepoints(mention.end),
        )
        for mention in document.mentions
    ]
    regions = [
        region._replace(start=offsets.from_codepoints(region.start), end=offsets.from_codepoints(region.end))
        for region in document.regions
    ]
    return replace(document, mentions=mentions, regions=regions, meta={**document.meta, "offsets": unit})


def _rows(document: Document, id: str) -> Iterator[str]:
    for mention in document.mentions:
        text = " ".join(mention.text.split())
        others = "".join(f"\t{label}={score:.4f}" for label, score in mention.alternatives)
        place = f"{id}\t{mention.start}\t{mention.end}"
        yield f"{place}\t{mention.label}\t{mention.score:.4f}\t{text}{others}\n"


class Painter:
    """Shows mentions in their text: `[Anna Berg PER] met the [mayor PER_NOM] of [Bergen GPE].`"""

    def __init__(self, labels: Sequence[str], *, colour: bool) -> None:
        types = dict.fromkeys(split_label(label)[0] for label in labels)
        self._colours = dict(zip(types, cycle(COLOURS), strict=False)) if colour else {}

    def line(self, document: Document, report: Report, place: str) -> str:
        return without_surrogates(self.paint(document), report, place) + "\n"

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
        colour = self._colours.get(mention.type)
        return mark if colour is None else f"\x1b[1;{colour}m{mark}\x1b[0m"
