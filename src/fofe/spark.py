"""fofe on Apache Spark: tagging and Wikipedia labels as DataFrame jobs, for more than one machine can do.

Rows reach Python as Arrow batches (`mapInArrow`): lists of mentions need not become pandas objects on the
way. A model is loaded once in each Python worker, and stays there for later jobs.

The driver cuts files of lines into ranges of bytes, so that workers can read parts of one file and still
number lines as one reader would. Reading them for that costs little beside what is done with them.
"""

from __future__ import annotations

import pickle
import shutil
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from io import BytesIO
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fofe.base.errors import FofeError
from fofe.base.files import STANDARD, open_bytes
from fofe.base.report import Report
from fofe.base.workers import Job
from fofe.tagging.installed import AUTO, model_path
from fofe.tagging.pipeline import Input, Tagged, TagJob, chunks, mentions_only
from fofe.tagging.sources import TEXT_LINES, Source, line_input
from fofe.wiki.job import Cut, Done, LabelSettings, Part, join, run_job

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

RANGE_BYTES = 4 << 20
PARQUET = ".parquet"
DOCUMENT = (
    "id string, text string, mentions array<struct<start:int,end:int,type:string,kind:string,text:string>>, "
    "unknown array<array<int>>, sentences array<struct<tokens:array<array<int>>>>"
)
"""The columns of labelled documents in parquet."""

_SETTINGS = {
    "spark.app.name": "fofe",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # BLAS threads of several workers would fight for cores.
    "spark.executorEnv.OMP_NUM_THREADS": "1",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    # Pages are long: small batches keep the memory of a worker small.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200",
}
_ON_ONE_MACHINE = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def require_spark() -> None:
    """Say what to install where Spark cannot run."""
    try:
        import pyarrow  # noqa: F401
        import pyspark  # noqa: F401
    except ModuleNotFoundError as error:
        raise FofeError(f"Spark needs {error.name} (pip install 'fofe[spark]')") from None
    if "JAVA_HOME" not in environ and shutil.which("java") is None:
        raise FofeError("Spark needs Java 17 or newer (install it, or set JAVA_HOME)")


def make_session(master: str | None = None) -> SparkSession:
    """A session on a master: `local[4]`, `spark://host:7077`, `yarn`, ...

    Without one, that of the configuration (`spark-submit`, SPARK_HOME/conf), or else all cores of this
    machine. A session that runs already is used as it is.
    """
    require_spark()
    from pyspark.conf import SparkConf
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    conf = SparkConf()
    chosen = master or conf.get("spark.master") or "local[*]"
    settings = _SETTINGS
    if chosen.startswith("local"):
        settings = _SETTINGS | _ON_ONE_MACHINE
        environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers need the packages that are here
    for key, value in settings.items():
        conf.setIfMissing(key, value)
    conf.setMaster(chosen)  # a configuration remembers the master of an earlier session of this process
    return SparkSession.builder.config(conf=conf).getOrCreate()


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


def tag_parquet(
    spark: SparkSession, paths: list[str], output: str, text_col: str, model: str, options: Mapping[str, Any]
) -> None:
    """Tag the texts of parquet files, and write all of their columns and the mentions to others."""
    from pyspark.errors import AnalysisException

    try:
        tag(spark.read.parquet(*paths), text_col, model, **options).write.parquet(output)
    except AnalysisException as error:  # a path that is not there, or an output that is
        raise FofeError(str(error).partition("\n")[0]) from None


def tag_lines(
    spark: SparkSession, job: TagJob[str], sources: list[Source]
) -> Generator[Tagged[str], None, None]:
    """What became of each chunk of some files of lines, plain text or JSON, in the order of the input."""
    from pyspark.storagelevel import StorageLevel

    for source in sources:
        if source.kind not in (TEXT_LINES, "jsonl") or source.path == STANDARD:
            raise FofeError(
                f"Spark reads files of lines, plain text or JSON, and parquet; {source.path} is {source.kind}"
            )
    ranges = [part for source in sources for part in cut_up(source, RANGE_BYTES)]
    pickled = pickle.dumps(job)

    def tag_ranges(ranges: Iterable[Range]) -> Iterator[Tagged[str]]:
        for part in ranges:
            inputs = (line_input(part.source, *line) for line in read_range(part))
            yield from map(_started(pickled), chunks(inputs))

    tagged = spark.sparkContext.parallelize(ranges, max(1, len(ranges))).mapPartitions(tag_ranges)
    tagged.persist(StorageLevel.DISK_ONLY)
    try:
        tagged.count()  # all partitions at the same time; read one after another they would be made so
        yield from tagged.toLocalIterator()
    finally:
        tagged.unpersist()


@cache
def _started(job: bytes) -> Callable[[list[Input]], Tagged[Any]]:
    """A job that stays in the memory of its process with its model, since workers are used again."""
    return cast(TagJob[Any], pickle.loads(job)).start()


class Range(NamedTuple):
    """A range of bytes of a file, whole lines, and the number of the first."""

    source: Source
    start: int
    end: int
    first_line: int


def cut_up(source: Source, size: int) -> Iterator[Range]:
    """The ranges of a file, in their order, of about so many bytes each."""
    start, first_line = 0, 1
    with open_bytes(source.path) as stream:
        while lines := stream.readlines(size):
            yield Range(source, start, stream.tell(), first_line)
            start, first_line = stream.tell(), first_line + len(lines)


def read_range(part: Range) -> Iterator[tuple[int, bytes]]:
    """The lines of a range, with their numbers."""
    with open_bytes(part.source.path) as stream:
        stream.seek(part.start)
        return enumerate(BytesIO(stream.read(part.end - part.start)), start=part.first_line)


def label_dump(spark: SparkSession, settings: LabelSettings, output: str, folder: Path) -> Report:
    """Label Wikipedia dumps; a parquet directory if `output` ends so, else a JSONL file of the driver.

    One task reads each dump, and its parts are then spread over all workers. The index of titles is made by
    the driver. The work directory `folder` must be on a file system that all workers share.
    """
    settings = replace(
        settings,
        dumps=tuple(str(Path(dump).resolve()) for dump in settings.dumps),
        mapping=str(Path(settings.mapping).resolve()) if settings.mapping else None,
    )
    to_parquet = output.rstrip("/").endswith(PARQUET)
    write = partial(write_parquet, spark, output) if to_parquet else partial(join, output)
    return run_job(settings, folder, partial(_label, spark.sparkContext), write)


def _label(context: SparkContext, job: Job[Part, Done], sources: Sequence[Any], cut: Cut) -> list[Done]:
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
