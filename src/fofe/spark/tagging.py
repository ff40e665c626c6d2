"""Tagging the texts of a DataFrame: the model is loaded once in each Python worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import FofeError
from fofe.tagging.installed import AUTO, model_path
from fofe.tagging.mention_column import mention_fields, mentions_type

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from fofe.tagging.model import Model

MENTIONS = "array<struct<start:int,end:int,type:string,kind:string,score:double,text:string>>"
"""The column of mentions, in Spark's words. Offsets are half-open and count code points of the text."""

Options = tuple[tuple[str, Any], ...]


def tag(
    frame: DataFrame,
    text_col: str,
    model: str | Path,
    *,
    mentions_col: str = "mentions",
    **options: Any,
) -> DataFrame:
    """The rows of a DataFrame with one more column, the mentions of the text in each.

    Args:
        frame: any DataFrame with a column of strings; the mentions of a text that is null are null.
        text_col: the name of that column.
        model: a model directory, to be found under the same path on every worker, or the name of an installed
            model; "auto" for the installed model of each text's language.
        mentions_col: the name of the new column, an array of structs: start, end, type, kind, score, text.
        options: how to decode, as in `Model.with_options`.
    """
    from pyspark.sql import types

    if text_col not in frame.columns:
        raise FofeError(f"no column {text_col!r} among {', '.join(frame.columns)}")
    if mentions_col in frame.columns:
        raise FofeError(f"there is a column {mentions_col!r} already: give another name as mentions_col")
    chosen = tuple(sorted(options.items()))
    path = AUTO if model == AUTO else str(model_path(model).resolve())
    _model(path, chosen)  # what is wrong with it is told here, not by a worker in the middle of the job
    column = types.StructField(mentions_col, types._parse_datatype_string(MENTIONS))
    schema = types.StructType([*frame.schema.fields, column])
    return frame.mapInArrow(partial(_tag_batches, path, chosen, text_col, mentions_col), schema)


@cache
def _model(path: str, options: Options) -> Model:
    """A model that stays in the memory of its process, since workers are used again."""
    from fofe.tagging.model import load

    return load(path).with_options(**dict(options))


def _tag_batches(
    path: str, options: Options, text_col: str, mentions_col: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    model = _model(path, options)
    for batch in batches:
        texts = batch.column(text_col).to_pylist()
        tagged = model.tag(text or "" for text in texts)
        found = [
            None if text is None else [mention_fields(mention) for mention in document.mentions]
            for text, document in zip(texts, tagged, strict=True)
        ]
        column = pa.array(found, type=mentions_type())
        yield pa.RecordBatch.from_arrays([*batch.columns, column], names=[*batch.schema.names, mentions_col])
