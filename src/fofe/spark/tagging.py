"""Tagging on Spark: the texts of a DataFrame, and what `fofe tag` does with files.

A model is loaded once in each Python worker, and stays there for later jobs. Files of lines are cut into
ranges of bytes, so that workers can read parts of one file. A line belongs to the range in which it begins.
To number lines as one reader would, the lines of all ranges are counted first; that costs little beside what
is done with them.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fofe.base.errors import FofeError, InputError
from fofe.tagging.installed import AUTO, model_path
from fofe.tagging.parquet import text_inputs, with_mentions
from fofe.tagging.pipeline import Input, Tagged, TagJob, chunks, mentions_only
from fofe.tagging.sources import TEXT_LINES, Source, line_input

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

MENTIONS = "array<struct<start:int,end:int,type:string,kind:string,score:double,text:string>>"
"""The column of mentions, in Spark's words. Offsets are half-open and count code points of the text."""

RANGE_BYTES = 4 << 20
_LINES = (TEXT_LINES, "jsonl")


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
    path = AUTO if model == AUTO else str(model_path(model).resolve())
    job = pickle.dumps(TagJob(path, mentions_only, options=options))
    _started(job)  # what is wrong with a model is reported here, not by a worker in the middle of the job
    column = types.StructField(mentions_col, types._parse_datatype_string(MENTIONS))
    schema = types.StructType([*frame.schema.fields, column])
    return frame.mapInArrow(partial(_tag_batches, job, text_col, mentions_col), schema)


def _tag_batches(
    job: bytes, text_col: str, mentions_col: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    tag_chunk = _started(job)
    for batch in batches:
        yield with_mentions(batch, tag_chunk(text_inputs(batch, text_col)), mentions_col)


def tag_lines(
    spark: SparkSession, job: TagJob[str], sources: list[Source]
) -> Generator[Tagged[str], None, None]:
    """What became of each chunk of some files of lines, plain text or JSON, in the order of the input."""
    from pyspark.storagelevel import StorageLevel

    for source in sources:
        if source.kind not in _LINES or source.path == "-":
            raise FofeError(
                f"Spark reads files of lines, plain text or JSON, and parquet; {source.path} is {source.kind}"
            )
    kinds = {source.path: source.kind for source in sources}
    ranges = cut_up(list(kinds), RANGE_BYTES)
    tasks = max(1, len(ranges))
    counts = [0] * len(ranges)
    if any(part.start for part in ranges):  # nobody asks for them where every file is one range
        counts = spark.sparkContext.parallelize(ranges, tasks).map(count_lines).collect()
    work = [(kinds[part.path], part) for part in numbered(ranges, counts)]
    tag_ranges = partial(_tag_ranges, pickle.dumps(job))
    tagged = spark.sparkContext.parallelize(work, tasks).mapPartitions(tag_ranges)
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


def _tag_ranges(job: bytes, ranges: Iterable[tuple[str, Range]]) -> Iterator[Tagged[Any]]:
    tag_chunk = _started(job)
    for kind, part in ranges:
        inputs = (line_input(Source(part.path, kind), *line) for line in read_range(part))
        yield from map(tag_chunk, chunks(inputs))


class Range(NamedTuple):
    """A range of bytes of a file, and the number of its first line."""

    path: str
    start: int
    end: int
    first_line: int = 1


def cut_up(paths: Iterable[str], size: int) -> list[Range]:
    """The ranges of some files, in their order."""
    found = []
    for path in paths:
        try:
            total = os.stat(path).st_size
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None
        found += [Range(path, start, min(start + size, total)) for start in range(0, total, size)]
    return found


def read_range(part: Range) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in a range, with their numbers."""
    try:
        with open(part.path, "rb") as stream:
            if part.start:
                stream.seek(part.start - 1)
                stream.readline()  # the rest of a line that began before, or the end of the one before
            number = part.first_line
            while stream.tell() < part.end and (line := stream.readline()):
                yield number, line
                number += 1
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=part.path) from None


def count_lines(part: Range) -> int:
    """How many lines begin in a range."""
    return sum(1 for _ in read_range(part))


def numbered(ranges: Iterable[Range], counts: Iterable[int]) -> list[Range]:
    """The ranges with the numbers of their first lines, from the counts of their lines."""
    found: list[Range] = []
    next_line = 1
    for part, count in zip(ranges, counts, strict=True):
        if not part.start:
            next_line = 1
        found.append(part._replace(first_line=next_line))
        next_line += count
    return found
