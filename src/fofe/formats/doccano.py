"""doccano: the JSON lines that it exports from, and imports into, a sequence labelling project.

A line has `text` and either `label` (or `labels`), a list of `[start, end, label]`, or `entities`, objects
with `start_offset`, `end_offset` and `label`. Offsets are half-open UTF-16 units, as doccano's pages count
them, unless the option `offsets` says otherwise: the lines do not tell. Few characters differ, such as emoji.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.files import Target, display_name, open_output, read_lines
from fofe.base.report import EMPTY_FILES, Report
from fofe.formats.common import meta_beside, note_unheld, parse_label, to_json, without_surrogates
from fofe.formats.json_fields import Fields
from fofe.text.document import Document, Mention
from fofe.text.offsets import OffsetMap, OffsetUnit

NAME = "doccano"
LISTS = ("label", "labels")
ENTITIES = "entities"
RESERVED_KEYS = frozenset({"id", "text", *LISTS, ENTITIES})


def read(path: str | Path, report: Report, *, offsets: OffsetUnit = "utf16") -> Iterator[Document]:
    """The documents of a file, or of standard input for the path `-`."""
    name = display_name(path)
    empty = True
    for number, line in read_lines(path):
        if line.strip():
            empty = False
            yield _document(_fields(line, name, number), report, offsets)
    if empty:
        report.note(EMPTY_FILES, name)


def _fields(line: str, path: str, number: int) -> Fields:
    try:
        return Fields(json.loads(line), path, number, "the line")
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"not JSON: {error}", path=path, line=number, remedy="export the project as JSONL"
        ) from None


def _document(fields: Fields, report: Report, unit: OffsetUnit) -> Document:
    document = Document(fields.string("text", empty=True), id=fields.identifier("id"))
    positions = OffsetMap(document.text, unit)
    for entity in _entities(fields):
        start, end = entity.span(positions.from_codepoints(len(document.text)), "characters")
        try:
            start, end = positions.to_codepoints(start), positions.to_codepoints(end)
        except InputError as error:
            raise entity.error(error.problem, error.remedy) from None
        type, kind = parse_label(entity.string("label"))
        document.mentions.append(Mention(start, end, type, kind, text=document.text[start:end]))
    for relation in fields.objects("relations") if fields.which("relations") else ():
        report.note("doccano relations left out", relation.place)
    document.meta = fields.rest()
    return document


def _entities(fields: Fields) -> list[Fields]:
    keys = fields.which(*LISTS, ENTITIES)
    if len(keys) > 1:
        raise fields.error(f'both "{keys[0]}" and "{keys[1]}"', "give one of them")
    if not keys:
        return []
    entities = fields.objects(keys[0], lists_as=("start", "end", "label"))
    return [entity.renamed({"start_offset": "start", "end_offset": "end"}) for entity in entities]


def write(
    documents: Iterable[Document], path_or_stream: Target, report: Report, *, offsets: OffsetUnit = "utf16"
) -> None:
    """Write a line for each document, with `label` as doccano imports it."""
    with open_output(path_or_stream) as stream:
        for number, document in enumerate(documents, start=1):
            place = document.id or f"document {number}"
            line = to_json(_line(document, report, place, offsets), place)
            stream.write(without_surrogates(line, report, place) + "\n")


def _line(document: Document, report: Report, place: str, unit: OffsetUnit) -> dict[str, object]:
    kept = meta_beside(document, RESERVED_KEYS, report, place)
    note_unheld(replace(document, meta={}), report, NAME, place)
    if document.sentences:
        report.note(f"documents whose tokens {NAME} cannot hold", place)
    positions = OffsetMap(document.text, unit)
    labels = [
        [positions.from_codepoints(mention.start), positions.from_codepoints(mention.end), mention.label]
        for mention in document.mentions
    ]
    head = {"id": document.id} if document.id else {}
    return {**head, **kept, "text": document.text, "label": labels}
