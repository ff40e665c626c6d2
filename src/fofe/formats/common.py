"""What the formats share: labels, checks, and counts of what a format cannot express."""

import re
from collections.abc import Iterable, Iterator, Set
from itertools import chain

from fofe.base.errors import InputError
from fofe.base.files import Target, open_output
from fofe.base.report import Report
from fofe.text.document import NAME, NOMINAL, Document, Mention, split_label, to_json

BYTE_ORDER_MARK = "\ufeff"
UNALIGNED = "mentions left out for not beginning and ending with a token"

SURROGATES = re.compile("[\ud800-\udfff]")
_WHITESPACE = re.compile(r"\s")


def parse_label(label: str) -> tuple[str, str]:
    """The type and kind of a label in a file: `PER`, `PER_NOM`, `PER.NAM` or `PER.NOM`."""
    type, _, kind = label.rpartition(".")
    return (type, kind) if type and kind in (NAME, NOMINAL) else split_label(label)


def labelled(start: int, end: int, label: str, text: str, score: float = 1.0) -> Mention:
    """The mention at the characters `start:end` of a text, with a label as in a file."""
    type, kind = parse_label(label)
    return Mention(start, end, type, kind, score, text[start:end])


def label_without_spaces(mention: Mention, report: Report) -> str:
    """The label of a mention for a format whose columns are separated by whitespace."""
    label, changed = _WHITESPACE.subn("_", mention.label)
    if changed:
        report.note("labels with whitespace written with underscores", mention.label)
    return label


def without_surrogates(text: str, report: Report, place: str) -> str:
    """The text as UTF-8 can encode it: U+FFFD for each lone surrogate, so that offsets stay the same."""
    text, changed = SURROGATES.subn("\ufffd", text)
    for _ in range(changed):
        report.note("lone surrogates written as U+FFFD", place)
    return text


def places(documents: Iterable[Document]) -> Iterator[tuple[str, Document]]:
    """The documents with their names in messages: the id or the number."""
    for number, document in enumerate(documents, start=1):
        yield document.id or f"document {number}", document


def has_scores(mention: Mention) -> bool:
    """True if a mention states more than gold annotation does."""
    return mention.score != 1.0 or bool(mention.alternatives) or bool(mention.rule)


def with_origin(documents: Iterable[Document], *, predicted: bool) -> Iterator[tuple[str, Document, bool]]:
    """Each document after its place, and whether its mentions are predictions, as all are with `predicted`.

    One without mentions is like the first one with mentions: a model may have found nothing in it.
    """
    waiting, seen = iter(documents), list[Document]()
    for document in waiting:
        seen.append(document)
        if document.mentions:
            break
    usual = predicted or (bool(seen) and any(map(has_scores, seen[-1].mentions)))
    for place, document in places(chain(seen, waiting)):
        found = any(map(has_scores, document.mentions)) if document.mentions else usual
        yield place, document, predicted or found


def require_tokens(document: Document, place: str) -> None:
    """Refuse a document that has text but no tokens."""
    if not document.sentences and document.text.strip():
        remedy = "tokenise it first, on the command line with --lang"
        raise InputError(f"{place} has no tokens", remedy=remedy)


def id_and_meta(document: Document, reserved: Set[str], report: Report, place: str) -> dict[str, object]:
    """The id of a document, if any, and its metadata, except for keys that the format itself uses."""
    for key in filter(reserved.__contains__, document.meta):
        report.note(f"values of metadata {key!r} left out because the format uses that name", place)
    meta = {key: value for key, value in document.meta.items() if key not in reserved}
    return {"id": document.id, **meta} if document.id else meta


def json_line(content: dict[str, object], report: Report, place: str) -> str:
    """JSON in one line, as UTF-8 can encode it, without its end."""
    return without_surrogates(to_json(content, place, ascii=False), report, place)


def write_items(lines: Iterable[str], target: Target) -> None:
    """Write objects of one line each as a JSON list."""
    with open_output(target) as stream:
        before = "[\n"
        for line in lines:
            stream.write(before + line)
            before = ",\n"
        stream.write("[]\n" if before == "[\n" else "\n]\n")


def note_several_sentences(document: Document, report: Report, place: str) -> None:
    """Count a document that a format of single sentences cuts up."""
    if len(document.sentences) > 1:
        report.note("documents of several sentences written as one for each", place)


def note_losses(document: Document, report: Report, format: str, place: str, *, kept: str = "") -> None:
    """Count what a format cannot express. Of metadata, tokens and scores, `kept` names those that it can."""
    if document.meta and "metadata" not in kept:
        report.note(f"documents written without metadata, which {format} cannot hold", place)
    if document.sentences and "tokens" not in kept:
        report.note(f"documents written without tokens, which {format} cannot hold", place)
    for _ in document.regions:
        report.note(f"unknown, known or negative regions that {format} cannot hold", place)
    for mention in document.mentions:
        if "scores" not in kept and has_scores(mention):
            report.note(f"mention scores that {format} cannot hold", place)
        elif mention.alternatives:
            report.note(f"alternatives of mentions that {format} cannot hold", place)
        if mention.head:
            report.note(f"heads of mentions that {format} cannot hold", place)
