"""Tagged documents as they are written: coloured or redacted text, HTML, TSV, JSON lines, CoNLL."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, cycle
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats import FORMATS, conll, jsonl
from fofe.formats.common import without_surrogates
from fofe.formats.tag_schemes import tag_scheme
from fofe.text import html
from fofe.text.document import Document, Mention, split_label
from fofe.text.offsets import OffsetMap, OffsetUnit

_FORMATS_OF_SUFFIXES = {
    **dict.fromkeys(FORMATS["jsonl"], "jsonl"),
    **dict.fromkeys((".conll", ".iob2", ".bio"), "conll"),
    ".tsv": "tsv",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
}
_READ_ONLY = {".csv", *chain.from_iterable(FORMATS.values())} - _FORMATS_OF_SUFFIXES.keys()

COLOURS = (36, 33, 32, 35, 34, 31)
"""ANSI colours of types, in the order of the model's labels."""


def format_of_output(path: str, *, redacted: bool = False) -> str | None:
    """The format of a file's suffix, None if it has none; an error if tagging cannot write that format.

    A device or a pipe, such as /dev/null, may be called anything.
    """
    suffix = Path(path).suffix.lower()
    if not suffix or suffix in _FORMATS_OF_SUFFIXES or (os.path.exists(path) and not os.path.isfile(path)):
        return _FORMATS_OF_SUFFIXES.get(suffix)
    if suffix in _READ_ONLY:
        problem = "has the suffix of a format that tagging does not write"
        remedy = "write .jsonl, which fofe corpus convert reads, or .tsv"
    else:
        problem, remedy = "has an unknown suffix", f"known: {', '.join(_FORMATS_OF_SUFFIXES)}"
    if redacted:
        remedy = "redacted text goes into .txt or .jsonl"
    raise InputError(problem, path=path, remedy=f"{remedy}; or name a format with --format")


def frame(format: str) -> tuple[str, str]:
    """The text before the first document of a format, and after the last one."""
    return (html.page_head("Mentions"), html.PAGE_END) if format == "html" else ("", "")


def writer(
    labels: Sequence[str], format: str, offsets: OffsetUnit, *, redact: bool, colour: bool, alone: bool
) -> Callable[[Document, Report, str], str]:
    """The function that writes a document, given its name in the report; `labels` are the model's.

    The format is `text`, in colours if asked for, `tsv`, `jsonl`, `conll` or `html`; redacted text goes into
    `text` and `jsonl`. Each document is written independently, so several processes may share the work. If
    there is only one, it is `alone`: CoNLL writes it without a `-DOCSTART-` line.
    """
    types = dict.fromkeys(split_label(label)[0] for label in labels)
    colours = dict(zip(types, cycle(COLOURS), strict=False)) if colour else {}

    def write(document: Document, report: Report, place: str) -> str:
        if redact:  # metadata may say what the text no longer does
            if document.meta and format == "jsonl":
                report.note("documents whose metadata redaction left out", document.id or place)
            document = Document(redacted(document), id=document.id)
        if format == "jsonl":
            converted = _with_offsets(document, offsets)
            return jsonl.format_line(converted, report, place, tokens=False, offsets=offsets)
        if format == "conll":
            return conll.format_document(document, report, place, scheme=tag_scheme("IOB2"), alone=alone)
        if format == "html":
            return html.article(replace(document, text=without_surrogates(document.text, report, place)))
        if format == "tsv":
            text = _rows(_with_offsets(document, offsets), document.id or place)
        else:
            kept = nesting(document)
            for _ in range(len(document.mentions) - len(kept)):
                report.note("mentions left out for crossing others, which text cannot show", place)
            text = bracketed(document, kept, colours) + "\n"
        return without_surrogates(text, report, place)

    return write


def _with_offsets(document: Document, unit: OffsetUnit) -> Document:
    """The document with offsets in another unit."""
    if unit == "codepoints":
        return document
    convert = OffsetMap(document.text, unit).from_codepoints
    return replace(
        document,
        mentions=[replace(one, start=convert(one.start), end=convert(one.end)) for one in document.mentions],
        regions=[one._replace(start=convert(one.start), end=convert(one.end)) for one in document.regions],
    )


def _rows(document: Document, id: str) -> str:
    rows = []
    for one in document.mentions:
        cells = [id, one.start, one.end, one.label, f"{one.score:.4f}", " ".join(one.text.split())]
        cells += [f"{label}={score:.4f}" for label, score in one.alternatives]
        rows.append("\t".join(map(str, cells)) + "\n")
    return "".join(rows)


def _in_order(document: Document) -> list[Mention]:
    return sorted(document.mentions, key=lambda mention: (mention.start, -mention.end))


def nesting(document: Document) -> list[Mention]:
    """The mentions in order; of two that cross, only the one that a rule made, or else the first."""
    kept: dict[int, Mention] = {}
    around: list[int] = []
    mentions = _in_order(document)
    for number, mention in enumerate(mentions):
        around = [outer for outer in around if mentions[outer].end > mention.start]
        crossed = [outer for outer in around if mentions[outer].end < mention.end]
        if crossed and (mention.rule is None or any(mentions[outer].rule for outer in crossed)):
            continue
        for outer in crossed:
            del kept[outer]
        around = [outer for outer in around if outer in kept]
        around.append(number)
        kept[number] = mention
    return list(kept.values())


def bracketed(document: Document, kept: list[Mention], colours: Mapping[str, int] | None = None) -> str:
    """`[Anna Berg PER] met the [mayor PER_NOM] of [Bergen GPE].`, for mentions none of which cross.

    Brackets and labels have the ANSI colour of their type, if one is given.
    """

    def styled(mark: str, mention: Mention) -> str:
        colour = (colours or {}).get(mention.type)
        return mark if colour is None else f"\x1b[1;{colour}m{mark}\x1b[0m"

    parts: list[str] = []
    for part in html.text_slices(kept, len(document.text)):
        parts += [styled("[", kept[number]) for number in part.opened]
        parts.append(document.text[part.start : part.end])
        parts += [styled(f" {kept[number].label}]", kept[number]) for number in part.closed]
    return "".join(parts)


def redacted(document: Document) -> str:
    """The text with `[PER]` instead of every mention.

    Where mentions overlap, all of what they cover becomes one mark with the label of the longest: a part of
    a name that sticks out must not stay readable.
    """
    parts: list[str] = []
    end = longest = 0
    for mention in _in_order(document):
        if mention.start >= end:
            parts += [document.text[end : mention.start], ""]
            longest = 0
        if mention.end - mention.start > longest:
            longest = mention.end - mention.start
            parts[-1] = f"[{mention.label}]"
        end = max(end, mention.end)
    return "".join([*parts, document.text[end:]])
