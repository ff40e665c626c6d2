"""Tagged documents as they are written: coloured or redacted text, HTML, TSV, JSON lines, CoNLL."""

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
    """The format of a file's suffix, or None; an error if tagging cannot write that format."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS_OF_SUFFIXES and any(suffix in known.suffixes for known in FORMATS.values()):
        raise InputError(
            "has the suffix of a format that tagging does not write",
            path=path,
            remedy="write .jsonl, and fofe corpus convert that; or name a format with --format",
        )
    return _FORMATS_OF_SUFFIXES.get(suffix)


@dataclass(frozen=True)
class OutputFormat:
    """How documents are written: `text`, `redacted`, `tsv`, `jsonl`, `conll` or `html`.

    Each document is written independently, so several processes may share the work.
    """

    name: str
    offsets: OffsetUnit = "codepoints"
    colour: bool = False
    alone: bool = False
    """True if there is only one document, which CoNLL writes without a `-DOCSTART-` line."""

    @property
    def head(self) -> str:
        """The text before the first document."""
        return html.page_head("Mentions") if self.name == "html" else ""

    @property
    def end(self) -> str:
        """The text after the last one."""
        return html.PAGE_END if self.name == "html" else ""

    def writer(self, labels: Sequence[str]) -> Callable[[Document, Report, str], str]:
        """The function that writes a document, given its name in the report; `labels` are the model's."""
        if self.name == "text":
            return Painter(labels, colour=self.colour).line
        return {
            "jsonl": self._json_line,
            "conll": self._conll,
            "tsv": self._tsv,
            "html": self._html,
            "redacted": self._redacted,
        }[self.name]

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
    """The document with offsets in another unit, which its metadata then names."""
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
        """The text with its mentions in brackets; of two that cross, the later is left out."""
        parts: list[str] = []
        open_mentions: list[Mention] = []
        position = 0
        for mention in sorted(document.mentions, key=lambda mention: (mention.start, -mention.end)):
            while open_mentions and open_mentions[-1].end <= mention.start:
                position = self._close(document.text, parts, open_mentions.pop(), position)
            if open_mentions and mention.end > open_mentions[-1].end:
                continue
            parts += [document.text[position : mention.start], self._style("[", mention)]
            position = mention.start
            open_mentions.append(mention)
        while open_mentions:
            position = self._close(document.text, parts, open_mentions.pop(), position)
        return "".join([*parts, document.text[position:]])

    def _close(self, text: str, parts: list[str], mention: Mention, position: int) -> int:
        parts += [text[position : mention.end], self._style(f" {mention.label}]", mention)]
        return mention.end

    def _style(self, mark: str, mention: Mention) -> str:
        colour = self._colours.get(mention.type)
        return mark if colour is None else f"\x1b[1;{colour}m{mark}\x1b[0m"


def redacted(document: Document) -> str:
    """The text with `[PER]` instead of every mention.

    Where mentions overlap, all of what they cover becomes one mark with the label of the longest: a part of
    a name that sticks out must not stay readable.
    """
    parts: list[str] = []
    position = 0
    for start, end, label in _covered(document):
        parts += [document.text[position:start], f"[{label}]"]
        position = end
    return "".join([*parts, document.text[position:]])


def _covered(document: Document) -> Iterator[tuple[int, int, str]]:
    """The disjoint stretches that mentions cover, in order, with the label of the longest mention of each."""
    start, end, label, longest = 0, 0, "", 0
    for mention in sorted(document.mentions, key=lambda mention: (mention.start, -mention.end)):
        if mention.start >= end:
            if label:
                yield start, end, label
            start, end, longest = mention.start, mention.end, 0
        end = max(end, mention.end)
        if mention.end - mention.start > longest:
            label, longest = mention.label, mention.end - mention.start
    if label:
        yield start, end, label
