"""The column of mentions in an Arrow table: a list of structs for each text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from fofe.text.document import Mention


def mentions_type() -> pa.DataType:
    """The type of the column; offsets are half-open code points of the text."""
    import pyarrow as pa

    fields = {
        "start": pa.int32(),
        "end": pa.int32(),
        "type": pa.string(),
        "kind": pa.string(),
        "score": pa.float64(),
        "text": pa.string(),
    }
    return pa.list_(pa.struct([pa.field(name, of) for name, of in fields.items()]))


def mention_fields(mention: Mention) -> dict[str, Any]:
    """What the column tells of a mention."""
    return {
        "start": mention.start,
        "end": mention.end,
        "type": mention.type,
        "kind": mention.kind,
        "score": float(mention.score),
        "text": mention.text,
    }
