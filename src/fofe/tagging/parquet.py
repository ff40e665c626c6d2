"""Tagging a column of parquet files: all their columns come back, and one more with the mentions.

The new column is a list of structs: start, end, type, kind, score, text. Offsets are half-open code points
of the text beside them. A text that is null has null for its mentions. Rows are read, tagged and written some
at a time. Needs `fofe[parquet]`.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import tee
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError, needs
from fofe.base.files import write_atomically
from fofe.base.workers import in_order
from fofe.tagging.pipeline import Input, Tagged, TagJob, given_text
from fofe.text.document import Mention

with needs("parquet files need pyarrow", "parquet", "pyarrow"):
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile, ParquetWriter

MENTIONS = "mentions"
ROWS_AT_ONCE = 1024


def tag_files(
    job: TagJob[list[Mention]],
    paths: Sequence[str],
    output: str,
    *,
    text_column: str = "text",
    workers: int = 1,
) -> int:
    """Tag the texts of some files of the same columns into one; returns the number of rows.

    A directory stands for the parquet files in it, in the order of their names.
    """
    paths = [file for path in paths for file in _files(path)]
    rows = 0
    schema = _schema(paths, text_column)
    batches, waiting = tee(_batches(paths, schema))
    inputs = (text_inputs(batch, text_column) for batch in waiting)
    with (
        closing(in_order(job, inputs, workers)) as results,
        write_atomically(output, "wb") as stream,
        ParquetWriter(stream, schema.append(pa.field(MENTIONS, mentions_type()))) as writer,
    ):
        for batch, tagged in zip(batches, results, strict=True):
            writer.write_batch(with_mentions(batch, tagged, MENTIONS))
            rows += batch.num_rows
    return rows


def text_inputs(batch: pa.RecordBatch, column: str) -> list[Input]:
    """The texts of a column; a null is no document."""
    return [given_text(f"row {number}", text) for number, text in enumerate(batch.column(column).to_pylist())]


def with_mentions(batch: pa.RecordBatch, tagged: Tagged[list[Mention]], name: str) -> pa.RecordBatch:
    """The batch with one more column, the mentions of its texts."""
    found = [None if of is None else [mention.to_dict() for mention in of] for of in tagged.outputs]
    column = pa.field(name, mentions_type())
    return pa.RecordBatch.from_arrays(
        [*batch.columns, pa.array(found, column.type)], schema=batch.schema.append(column)
    )


def mentions_type() -> pa.DataType:
    """The type of the column of mentions."""
    offsets = [("start", pa.int32()), ("end", pa.int32())]
    labels = [("type", pa.string()), ("kind", pa.string())]
    return pa.list_(pa.struct([*offsets, *labels, ("score", pa.float64()), ("text", pa.string())]))


def _files(path: str) -> list[str]:
    if not Path(path).is_dir():
        return [path]
    found = sorted(str(file) for file in Path(path).glob("*.parquet") if not file.name.startswith((".", "_")))
    if not found:
        raise InputError("is a directory without .parquet files", path=path)
    return found


def _schema(paths: Sequence[str], text_column: str) -> pa.Schema:
    """The columns that all files have; one of them must contain text."""
    schemas = [_open(path).schema_arrow.remove_metadata() for path in paths]
    for path, schema in zip(paths, schemas, strict=True):
        if schema != schemas[0]:
            raise InputError(f"has other columns than {paths[0]}", path=path, remedy="tag them one by one")
    names = schemas[0].names
    if text_column not in names:
        remedy = f"name one with --text-column: {', '.join(names)}"
        raise InputError(f"has no column {text_column!r}", path=paths[0], remedy=remedy)
    kind = schemas[0].field(text_column).type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InputError(f"the column {text_column!r} holds {kind}, not text", path=paths[0])
    if MENTIONS in names:
        raise InputError(f"has a column {MENTIONS!r} already", path=paths[0], remedy="rename or drop it")
    return schemas[0]


def _open(path: str) -> Any:
    """A file whose metadata has been read."""
    try:
        return ParquetFile(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except (pa.ArrowException, UnicodeDecodeError) as error:  # names of columns are decoded, too
        raise InputError(f"is no parquet file: {error}", path=path) from None


def _batches(paths: Iterable[str], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for path in paths:
        with _open(path) as file:
            try:
                for batch in file.iter_batches(ROWS_AT_ONCE):
                    yield batch.replace_schema_metadata(schema.metadata)
            except (pa.ArrowException, OSError) as error:
                raise InputError(f"is broken: {error}", path=path, remedy="write it again") from None
