"""What the formats have in common: files and standard streams, labels, and what a format cannot hold."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.text.document import NAME, NOMINAL, Document, Mention, split_label

_KIND_SUFFIXES = {".NAM": NAME, ".NOM": NOMINAL}
_SURROGATES = re.compile("[\ud800-\udfff]")
_WHITESPACE = re.compile(r"\s")


def parse_label(label: str) -> tuple[str, str]:
    """The type and kind of a label in a file: `PER`, `PER_NOM`, `PER.NAM` or `PER.NOM`."""
    kind = _KIND_SUFFIXES.get(label[-4:])
    if kind is not None and len(label) > 4:
        return label[:-4], kind
    return split_label(label)


def label_without_spaces(mention: Mention, report: Report) -> str:
    """The label of a mention for a format whose columns are separated by whitespace."""
    label, changed = _WHITESPACE.subn("_", mention.label)
    if changed:
        report.note("labels with whitespace written with underscores", mention.label)
    return label


def without_surrogates(text: str, report: Report, place: str) -> str:
    """The text as UTF-8 can hold it: U+FFFD for every lone surrogate, so that offsets stay the same."""
    text, changed = _SURROGATES.subn("\ufffd", text)
    for _ in range(changed):
        report.note("lone surrogates written as U+FFFD", place)
    return text


def has_scores(mention: Mention) -> bool:
    """Whether a mention says more than gold annotation does."""
    return mention.score != 1.0 or bool(mention.alternatives)


def text_of(mention: Mention, text: str) -> str:
    """The text of a mention, also of one that was made without it."""
    return mention.text or text[mention.start : mention.end]


def meta_beside(
    document: Document, reserved: Collection[str], report: Report, place: str
) -> dict[str, object]:
    """What a document carries along, but for what bears a name that the format uses itself."""
    for key in document.meta:
        if key in reserved:
            report.note(f"metadata {key!r} left out because the format uses that name", place)
    return {key: value for key, value in document.meta.items() if key not in reserved}


def to_json(content: dict[str, object], place: str) -> str:
    """JSON in one line; what a document carries along may be anything, and need not be JSON."""
    try:
        return json.dumps(content, ensure_ascii=False)
    except TypeError as error:
        raise InputError(f"the metadata of {place} is not JSON: {error}") from None


def note_unheld(document: Document, report: Report, format: str, place: str) -> None:
    """Count what only the JSON format keeps: scores, heads, regions and what a document carries along."""
    if document.meta:
        report.note(f"documents whose metadata {format} cannot hold", place)
    for _ in document.regions:
        report.note(f"unknown, known or negative regions that {format} cannot hold", place)
    for mention in document.mentions:
        if has_scores(mention):
            report.note(f"mention scores that {format} cannot hold", place)
        if mention.head:
            report.note(f"heads of mentions that {format} cannot hold", place)
