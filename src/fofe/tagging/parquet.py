"""Tagging a column of parquet files: all their columns come back, and one more with the mentions.

The new column is a list of structs: start, end, type, kind, score, text. Offsets are half-open code points
of the text beside them. A text that is null has null for its mentions. Rows are read, tagged and written some
at a time. Needs `fofe[parquet]`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import FofeError, InputError
from fofe.base.files import write_atomically
from fofe.base.workers import in_order
from fofe.tagging.mention_column import mention_fields, mentions_type

if TYPE_CHECKING:
    import pyarrow as pa

MENTIONS = "mentions"
ROWS_AT_ONCE = 1024

Texts = list[str | None]
Found = list[list[dict[str, Any]] | None]


@dataclass(frozen=True)
class TextsJob:
    """What a process needs to tag lists of texts."""

    model: str
    engine: str = "numpy"
    device: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)
    """Those of `Model.with_options`."""

    def start(self) -> Callable[[Texts], Found]:
        """Load the model."""
        from fofe.tagging.model import load

        model = load(self.model, engine=self.engine, device=self.device).with_options(**self.options)

        def tag(texts: Texts) -> Found:
            tagged = model.tag(text for text in texts if text is not None)
            return [
                None if text is None else [mention_fields(mention) for mention in next(tagged).mentions]
                for text in texts
            ]

        return tag


def tag_files(
    job: TextsJob, paths: Sequence[str], output: str, *, text_column: str = "text", workers: int = 1
) -> int:
    """Tag the texts of some files of the same columns into one; returns the number of rows.

    A directory stands for the parquet files in it, in the order of their names.
    """
    pq = _require_parquet()
    paths = [file for path in paths for file in _files(path)]
    rows = 0
    waiting: deque[pa.RecordBatch] = deque()
    schema = _schema(paths, text_column)

    def texts() -> Iterator[Texts]:
        for batch in _batches(paths, schema):
            waiting.append(batch)
            yield batch.column(text_column).to_pylist()

    with (
        closing(in_order(job, texts(), workers)) as results,
        write_atomically(output, "wb") as stream,
        pq.ParquetWriter(stream, schema.append(_mentions_field())) as writer,
    ):
        for found in results:
            batch = waiting.popleft()
            writer.write_batch(_with_mentions(batch, found))
            rows += batch.num_rows
    return rows


def _require_parquet() -> Any:
    try:
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pyarrow":
            raise
        raise FofeError("parquet files need pyarrow (pip install 'fofe[parquet]')") from None
    return pyarrow.parquet


def _files(path: str) -> list[str]:
    if not Path(path).is_dir():
        return [path]
    found = sorted(str(file) for file in Path(path).glob("*.parquet") if not file.name.startswith((".", "_")))
    if not found:
        raise InputError("is a directory without .parquet files", path=path)
    return found


def _schema(paths: Sequence[str], text_column: str) -> pa.Schema:
    """The columns that all files have; one of them must hold text."""
    import pyarrow as pa

    schemas = [_open(path).schema_arrow.remove_metadata() for path in paths]
    for path, schema in zip(paths, schemas, strict=True):
        if schema != schemas[0]:
            raise InputError(f"has other columns than {paths[0]}", path=path, remedy="tag them one by one")
    names = schemas[0].names
    if text_column not in names:
        raise InputError(
            f"has no column {text_column!r}",
            path=paths[0],
            remedy=f"name one with --text-column: {', '.join(names)}",
        )
    kind = schemas[0].field(text_column).type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InputError(f"the column {text_column!r} holds {kind}, not text", path=paths[0])
    if MENTIONS in names:
        raise InputError(f"has a column {MENTIONS!r} already", path=paths[0], remedy="rename or drop it")
    return schemas[0]


def _open(path: str) -> Any:
    """A file whose metadata has been read."""
    import pyarrow as pa

    try:
        return _require_parquet().ParquetFile(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except pa.ArrowInvalid as error:
        raise InputError(f"is no parquet file: {error}", path=path) from None


def _batches(paths: Iterable[str], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for path in paths:
        with _open(path) as file:
            for batch in file.iter_batches(ROWS_AT_ONCE):
                yield batch.replace_schema_metadata(schema.metadata)


def _mentions_field() -> pa.Field:
    import pyarrow as pa

    return pa.field(MENTIONS, mentions_type())


def _with_mentions(batch: pa.RecordBatch, found: Found) -> pa.RecordBatch:
    import pyarrow as pa

    column = _mentions_field()
    return pa.RecordBatch.from_arrays(
        [*batch.columns, pa.array(found, column.type)], schema=batch.schema.append(column)
    )
