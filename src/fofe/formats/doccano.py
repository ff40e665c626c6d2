"""doccano: the JSON lines that it exports from, and imports into, a sequence labelling project.

A line has `text` and either `label` (or `labels`), a list of `[start, end, label]`, or `entities`, objects
with `start_offset`, `end_offset` and `label`. Offsets are half-open UTF-16 units, as doccano's pages count
them, unless the option `offsets` says otherwise: the lines do not. Few characters differ, such as emoji.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.files import Target, open_output
from fofe.base.report import Report
from fofe.formats import common
from fofe.formats.json_fields import read_objects
from fofe.text.document import Document
from fofe.text.offsets import OffsetMap, OffsetUnit

LISTS = ("label", "labels")
ENTITIES = "entities"
RESERVED_KEYS = frozenset({"id", "text", *LISTS, ENTITIES})


def read(path: str | Path, report: Report, *, offsets: OffsetUnit = "utf16") -> Iterator[Document]:
    """The documents of a file, or of standard input for the path `-`."""
    for fields in read_objects(path, report):
        document = Document(fields.string("text", empty=True), id=fields.identifier("id"))
        positions = OffsetMap(document.text, offsets)
        length = positions.from_codepoints(len(document.text))
        key = fields.only_one(*LISTS, ENTITIES)
        for entity in fields.objects(key, lists_as=("start", "end", "label")) if key else ():
            entity = entity.renamed({"start_offset": "start", "end_offset": "end"})
            start, end = entity.span(length, "characters")
            try:
                start, end = positions.to_codepoints(start), positions.to_codepoints(end)
            except InputError as error:
                raise entity.error(error.problem, error.remedy) from None
            document.mentions.append(common.labelled(start, end, entity.string("label"), document.text))
        for relation in fields.objects("relations", optional=True):
            report.note("doccano relations left out", relation.place)
        document.meta = fields.rest()
        yield document


def write(
    documents: Iterable[Document], target: Target, report: Report, *, offsets: OffsetUnit = "utf16"
) -> None:
    """Write a line for each document, with `label` as doccano imports it."""
    with open_output(target) as stream:
        for place, document in common.places(documents):
            common.note_losses(document, report, "doccano", place, kept="metadata")
            position = OffsetMap(document.text, offsets).from_codepoints
            labels = [[position(one.start), position(one.end), one.label] for one in document.mentions]
            meta = common.id_and_meta(document, RESERVED_KEYS, report, place)
            line = {**meta, "text": document.text, "label": labels}
            stream.write(common.json_line(line, report, place) + "\n")
