"""A tagged text in the formats that people carry elsewhere."""

from __future__ import annotations

import io

from fofe.base.report import Report
from fofe.formats import brat, jsonl
from fofe.show.documents import redacted
from fofe.text.document import Document
from fofe.text.html import page

MEDIA_TYPES = {
    "jsonl": "application/x-ndjson",
    "brat": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "redacted": "text/plain; charset=utf-8",
}


def export(document: Document, format: str) -> str:
    """The document in one of `MEDIA_TYPES`; of brat the annotation file, since the text is at hand."""
    if format == "jsonl":
        return jsonl.format_line(document, Report(), "the text", tokens=False)
    if format == "brat":
        stream = io.StringIO()
        brat.write_mentions(document.mentions, document.text, stream, Report())
        return stream.getvalue()
    return page([document]) if format == "html" else redacted(document)
