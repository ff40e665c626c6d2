"""`fofe corpus wiki` on Spark: its workers read and label the parts of the dumps.

One task reads each dump, and its parts are then spread over all workers. The index of titles is made by the
driver. The work directory must be on a file system that all workers share.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.report import Report
from fofe.base.workers import Job
from fofe.wiki.job import Cut, Done, LabelSettings, Part, join, run_job

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

PARQUET = ".parquet"
DOCUMENT = (
    "id string, text string, mentions array<struct<start:int,end:int,type:string,kind:string,text:string>>, "
    "unknown array<array<int>>, sentences array<struct<tokens:array<array<int>>>>"
)
"""The columns of parquet output."""


def label_dump(spark: SparkSession, settings: LabelSettings, output: str, folder: Path) -> Report:
    """Label dumps; a parquet directory if `output` ends so, else a JSONL file that the driver writes."""
    settings = replace(
        settings,
        dumps=tuple(str(Path(dump).resolve()) for dump in settings.dumps),
        mapping=str(Path(settings.mapping).resolve()) if settings.mapping else None,
    )
    to_parquet = output.rstrip("/").endswith(PARQUET)
    write = partial(write_parquet, spark, output) if to_parquet else partial(join, output)
    return run_job(settings, folder, partial(_run, spark.sparkContext), write)


def _run(context: SparkContext, job: Job[Part, Done], sources: Sequence[Any], cut: Cut) -> list[Done]:
    """Cut up the sources in parallel, then work on their parts in so many tasks that no core idles."""
    tasks = max(2, 2 * context.defaultParallelism)
    parts = context.parallelize(sources, max(1, min(len(sources), 10 * tasks))).flatMap(cut)
    spread = parts.keyBy(lambda part: part.name).partitionBy(tasks, lambda name: zlib.crc32(name.encode()))
    return sorted(spread.values().mapPartitions(lambda parts: map(job.start(), parts)).collect())


def write_parquet(spark: SparkSession, output: str, files: Sequence[Path]) -> None:
    """Write the documents of files of JSON lines in their order, with columns of their own."""
    from pyspark.sql import functions as F

    context = spark.sparkContext
    paths = context.parallelize(files, max(1, min(len(files), 2 * context.defaultParallelism)))
    lines = spark.createDataFrame(paths.flatMap(_lines), "line string")
    documents = lines.select(F.from_json("line", DOCUMENT).alias("document")).select("document.*")
    documents.write.mode("overwrite").parquet(output)


def _lines(file: Path) -> Iterator[tuple[str]]:
    with file.open(encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield (line,)
