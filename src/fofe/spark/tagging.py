"""Tagging on Spark: the texts of a DataFrame, and what `fofe tag` does with files.

A model is loaded once in each Python worker, and stays there for later jobs. The driver cuts files of lines
into ranges of bytes, so that workers can read parts of one file and still number lines as one reader would.
Reading them for that costs little beside what is done with them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fofe.base.errors import FofeError
from fofe.base.files import STANDARD, open_bytes
from fofe.tagging.installed import AUTO, model_path
from fofe.tagging.pipeline import Input, Tagged, TagJob, chunks, mentions_only
from fofe.tagging.sources import TEXT_LINES, Source, line_input

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

RANGE_BYTES = 4 << 20
_LINES = (TEXT_LINES, "jsonl")


def tag(
    frame: DataFrame, text_col: str, model: str | Path, *, mentions_col: str = "mentions", **options: Any
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
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    from fofe.tagging.parquet import mentions_type, text_inputs, with_mentions

    if text_col not in frame.columns:
        raise FofeError(f"no column {text_col!r} among {', '.join(frame.columns)}")
    if mentions_col in frame.columns:
        raise FofeError(f"there is a column {mentions_col!r} already: give another name as mentions_col")
    path = AUTO if model == AUTO else str(model_path(model).resolve())
    job = pickle.dumps(TagJob(path, mentions_only, options=options))
    _started(job)  # what is wrong with a model is reported here, not by a worker in the middle of the job

    def tag_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield with_mentions(batch, _started(job)(text_inputs(batch, text_col)), mentions_col)

    column = StructField(mentions_col, from_arrow_type(mentions_type()))
    return frame.mapInArrow(tag_batches, StructType([*frame.schema.fields, column]))


def tag_lines(
    spark: SparkSession, job: TagJob[str], sources: list[Source]
) -> Generator[Tagged[str], None, None]:
    """What became of each chunk of some files of lines, plain text or JSON, in the order of the input."""
    from pyspark.storagelevel import StorageLevel

    for source in sources:
        if source.kind not in _LINES or source.path == STANDARD:
            raise FofeError(
                f"Spark reads files of lines, plain text or JSON, and parquet; {source.path} is {source.kind}"
            )
    kinds = {source.path: source.kind for source in sources}
    ranges = [(kinds[part.path], part) for part in cut_up(kinds, RANGE_BYTES)]
    pickled = pickle.dumps(job)

    def tag_ranges(ranges: Iterable[tuple[str, Range]]) -> Iterator[Tagged[str]]:
        for kind, part in ranges:
            inputs = (line_input(Source(part.path, kind), *line) for line in read_range(part))
            yield from map(_started(pickled), chunks(inputs))

    tagged = spark.sparkContext.parallelize(ranges, max(1, len(ranges))).mapPartitions(tag_ranges)
    tagged.persist(StorageLevel.DISK_ONLY)
    try:
        tagged.count()  # all partitions at the same time; read one after another they would be made so
        yield from tagged.toLocalIterator()
    finally:
        tagged.unpersist()


def tag_parquet(
    spark: SparkSession, paths: list[str], output: str, text_col: str, model: str, options: Mapping[str, Any]
) -> None:
    """Tag the texts of parquet files, and write all of their columns and the mentions to others."""
    from pyspark.errors import AnalysisException

    try:
        tag(spark.read.parquet(*paths), text_col, model, **options).write.parquet(output)
    except AnalysisException as error:  # a path that is not there, or an output that is
        raise FofeError(str(error).partition("\n")[0]) from None


@cache
def _started(job: bytes) -> Callable[[list[Input]], Tagged[Any]]:
    """A job that stays in the memory of its process with its model, since workers are used again."""
    return cast(TagJob[Any], pickle.loads(job)).start()


class Range(NamedTuple):
    """A range of bytes of a file, whole lines, and the number of the first."""

    path: str
    start: int
    end: int
    first_line: int


def cut_up(paths: Iterable[str], size: int) -> list[Range]:
    """The ranges of some files, in their order, of about so many bytes each."""
    found = []
    for path in paths:
        start, first_line = 0, 1
        with open_bytes(path) as stream:
            while lines := stream.readlines(size):
                found.append(Range(path, start, stream.tell(), first_line))
                start, first_line = stream.tell(), first_line + len(lines)
    return found


def read_range(part: Range) -> Iterator[tuple[int, bytes]]:
    """The lines of a range, with their numbers."""
    with open_bytes(part.path) as stream:
        stream.seek(part.start)
        return enumerate(BytesIO(stream.read(part.end - part.start)), start=part.first_line)
