"""Python functions over the rows of a DataFrame, as plain dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

ROWS_AT_ONCE = 100

Row = dict[str, Any]
RowFunction = Callable[[Iterator[Row]], Iterable[Row]]


def map_rows(frame: DataFrame, function: RowFunction, schema: str) -> DataFrame:
    """The rows that a function makes of those of each partition."""
    from pyspark.sql import types
    from pyspark.sql.pandas.types import to_arrow_schema

    structure = types._parse_datatype_string(schema)
    assert isinstance(structure, types.StructType)
    return frame.mapInArrow(partial(_apply, function, to_arrow_schema(structure)), structure)


def _apply(
    function: RowFunction, schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    rows = iter(function(row for batch in batches for row in batch.to_pylist(maps_as_pydicts="strict")))
    while chunk := list(islice(rows, ROWS_AT_ONCE)):
        yield pa.RecordBatch.from_pylist(chunk, schema=schema)


def one_row_each(spark: SparkSession, rows: list[tuple[Any, ...]], schema: str) -> DataFrame:
    """A DataFrame with a partition for each row, in their order: each row is a piece of work."""
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, max(1, len(rows))), schema)
