"""What other tools call their annotation: told where it would pass unread, never guessed at."""

from __future__ import annotations

from fofe.base.report import Report
from fofe.formats.json_fields import Fields
from fofe.text.document import Document

_SPANS = ("spans", "label", "labels")
_TAGS = ("ner_tags", "tags")
_RENAME = 'rename it to "mentions" if it counts code points'
_TO_COLUMNS = "write words and tags as the columns of CoNLL"


def _if_it_is(tool: str, format: str) -> str:
    """The advice to say, by the option of a command or in a configuration, which format a corpus has."""
    options = f'by --from, --format or --input, in a configuration by format = "{format}"'
    return f"if it is {tool}'s, name the format {format}: {options}"


IF_DOCCANO = _if_it_is("doccano", "doccano")
IF_LABEL_STUDIO = _if_it_is("Label Studio", "label-studio")


def note_unread_annotation(fields: Fields, document: Document, report: Report) -> None:
    """Count a line without mentions that has what looks like annotation under another name."""
    if fields.which("mentions", "entities"):
        return
    for key, value in document.meta.items():
        remedy = _remedy(key, value, document)
        if remedy:
            report.note(
                f'lines with "{key}" but no "mentions", read as without mentions: {remedy}', fields.place
            )


def _remedy(key: str, value: object, document: Document) -> str | None:
    """What to do about a field that looks like annotation; None for any other."""
    if not isinstance(value, list) or not value:
        return None
    if key in _SPANS and isinstance(value[0], (list, dict)):
        return _RENAME if key == "spans" else IF_DOCCANO
    if key in _TAGS and len(value) == sum(1 for _ in document.tokens):
        return _TO_COLUMNS
    return None
