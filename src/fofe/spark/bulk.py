"""What `fofe tag` does, on Spark: the same chunks and the same output, in the order of the input."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from fofe.base.errors import FofeError
from fofe.spark.lines import Range, count_lines, cut_up, numbered, read_range
from fofe.spark.rows import Row, map_rows, one_row_each
from fofe.spark.tagging import tag
from fofe.tagging.bulk import Tagged, TagJob
from fofe.tagging.inputs import JsonLine, Piece, TextLine
from fofe.tagging.sources import TEXT_LINES, Source, chunks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PIECES: dict[str, Callable[[str, int, bytes], Piece]] = {TEXT_LINES: TextLine, "jsonl": JsonLine}
_RANGE = "kind string, path string, start long, end long, first_line long"


def tag_lines(spark: SparkSession, job: TagJob, sources: list[Source]) -> Generator[Tagged, None, None]:
    """What became of each chunk of some files of lines, plain text or JSON."""
    from pyspark.storagelevel import StorageLevel

    for source in sources:
        if source.kind not in _PIECES or source.path == "-":
            raise FofeError(
                f"Spark reads files of lines, plain text or JSON, and parquet; {source.path} is {source.kind}"
            )
    kinds = {source.path: source.kind for source in sources}
    ranges = cut_up([source.path for source in sources])
    ranges = numbered(ranges, _counts(spark, ranges))
    work = one_row_each(spark, [(kinds[part.path], *part) for part in ranges], _RANGE)
    started = partial(_tag_ranges, pickle.dumps(job))
    tagged = map_rows(work, started, "tagged binary").persist(StorageLevel.DISK_ONLY)
    try:
        tagged.count()  # all partitions at the same time; read one after another they would be made so
        for row in tagged.toLocalIterator():
            yield cast(Tagged, pickle.loads(row.tagged))
    finally:
        tagged.unpersist()


def tag_parquet(
    spark: SparkSession, paths: list[str], output: str, text_col: str, model: str, options: dict[str, Any]
) -> None:
    """Tag the texts of parquet files, and write all of their columns and the mentions to others."""
    from pyspark.errors import AnalysisException

    try:
        tag(spark.read.parquet(*paths), text_col, model, **options).write.parquet(output)
    except AnalysisException as error:  # a path that is not there, or an output that is
        raise FofeError(str(error).partition("\n")[0]) from None


def _counts(spark: SparkSession, ranges: list[Range]) -> list[int]:
    """The lines of each range; nobody asks for them where every file is one range."""
    if not any(part.start for part in ranges):
        return [0] * len(ranges)
    work = one_row_each(spark, [("", *part) for part in ranges], _RANGE)
    return [row.lines for row in map_rows(work, _count_ranges, "lines long").collect()]


def _range(row: Row) -> Range:
    return Range(row["path"], row["start"], row["end"], row["first_line"])


def _count_ranges(rows: Iterator[Row]) -> Iterator[Row]:
    return ({"lines": count_lines(_range(row))} for row in rows)


@cache
def _started(job: bytes) -> Callable[[list[Piece]], Tagged]:
    """A job that stays in the memory of its process with its model, since workers are used again."""
    return cast(TagJob, pickle.loads(job)).start()


def _tag_ranges(job: bytes, rows: Iterator[Row]) -> Iterator[Row]:
    tag_chunk = _started(job)
    for row in rows:
        make = _PIECES[row["kind"]]
        for chunk in chunks(make(row["path"], *line) for line in read_range(_range(row))):
            yield {"tagged": pickle.dumps(tag_chunk(chunk))}
