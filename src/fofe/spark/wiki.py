"""What `fofe wiki label` does, on Spark: stages of DataFrames, each kept as parquet until all is done.

    pages      text, links and evidence of every page            (a task for each dump, then for each part)
    tables     classes of titles, from the tables given
    entries    what is known of each title
    resolved   the title behind each link and its types          (joins)
    labelled   the line of each page

A stage that is complete is not done again: a job that was killed goes on from there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.spark import _wiki_rows as rows
from fofe.spark.rows import map_rows, one_row_each
from fofe.wiki.job import Settings, claim
from fofe.wiki.label import by_first_word
from fofe.wiki.summary import Summary
from fofe.wiki.types import LOOP, MAX_REDIRECTS, PART

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARQUET = ".parquet"
DOCUMENT = (
    "id string, text string, mentions array<struct<start:int,end:int,type:string,kind:string,text:string>>, "
    "unknown array<array<int>>, sentences array<struct<tokens:array<array<int>>>>"
)
"""The columns of parquet output."""


def label_dump(spark: SparkSession, settings: Settings, output: str, folder: Path) -> Summary:
    """Label dumps; a parquet directory if `output` ends so, else a JSONL file through the driver."""
    settings = settings.completed()
    claim(folder, f"spark {settings.fingerprint()}")
    job = _Job(spark, settings, folder.resolve())
    labelled = job.labelled()
    lines = labelled.where("line is not null").orderBy("number")
    if output.rstrip("/").endswith(PARQUET):
        write_parquet(lines, output)
    else:
        _write_lines(lines, output)
    summary = job.summary()
    shutil.rmtree(folder)
    return summary


def write_parquet(lines: DataFrame, output: str) -> None:
    """Write lines of JSON as documents with columns of their own."""
    from pyspark.sql import functions as F

    parsed = lines.select(F.from_json("line", DOCUMENT).alias("document"))
    parsed.select("document.*").write.mode("overwrite").parquet(output)


def _write_lines(lines: DataFrame, output: str) -> None:
    ordered = lines.select("line").persist()
    ordered.count()  # all partitions at the same time
    with write_atomically(output) as stream:
        stream.writelines(f"{row.line}\n" for row in ordered.toLocalIterator())
    ordered.unpersist()


class Stages:
    """DataFrames that are made once and kept in a directory."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self._folder = folder

    def get(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """A stage, made now if it is not complete."""
        path = self._folder / f"{name}{PARQUET}"
        if not (path / "_SUCCESS").exists():
            make().write.mode("overwrite").parquet(str(path))
        return self._spark.read.parquet(str(path))


class _Job:
    """The stages of one job."""

    def __init__(self, spark: SparkSession, settings: Settings, folder: Path) -> None:
        self._spark = spark
        self._settings = settings
        self._stage = Stages(spark, folder).get
        self._mapping = settings.load_mapping()
        self._parts = max(2, 2 * spark.sparkContext.defaultParallelism)

    def _pages(self) -> DataFrame:
        def make() -> DataFrame:
            paths = [(number, str(Path(path).resolve())) for number, path in enumerate(self._settings.dumps)]
            dumps = one_row_each(self._spark, paths, "dump long, path string")
            raw = map_rows(dumps, rows.read_dumps, rows.RAW)
            read = partial(rows.read_pages, self._settings, self._mapping)
            return map_rows(raw.repartition(self._parts), read, rows.PAGES)

        return self._stage("pages", make)

    def _tables(self) -> DataFrame:
        def make() -> DataFrame:
            paths = [(number, str(Path(path).resolve())) for number, path in enumerate(self._settings.tables)]
            tables = one_row_each(self._spark, paths, "table long, path string")
            return map_rows(tables, partial(rows.read_tables, self._settings, self._mapping), rows.TABLES)

        return self._stage("tables", make)

    def _entries(self) -> DataFrame:
        """What is known of each title: of several pages the last counts, of several classes the first."""
        from pyspark.sql import functions as F

        def make() -> DataFrame:
            pages = self._pages().where("title is not null")
            tables = self._tables().where("title is not null")
            common = pages.select(F.explode("common").alias("title")).distinct()
            by_page = pages.select("title", "number", F.explode("types").alias("source", "found"))
            by_page = by_page.groupBy("title", "source").agg(F.max_by("found", "number").alias("found"))
            by_table = tables.where("found is not null").groupBy("title", "source")
            types = by_page.unionByName(by_table.agg(F.min_by("found", "number").alias("found")))
            together = types.groupBy("title").agg(
                F.map_from_entries(F.collect_list(F.struct("source", "found"))).alias("types")
            )
            about = pages.groupBy("title").agg(
                F.max_by("redirect", "number").alias("redirect"),
                F.max_by("ambiguous", "number").alias("ambiguous"),
            )
            titles = pages.select("title").union(tables.select("title")).union(common).distinct()
            found = titles.join(about, "title", "left").join(together, "title", "left")
            return found.join(common.withColumn("common", F.lit(True)), "title", "left")

        return self._stage("entries", make)

    def _resolved(self) -> DataFrame:
        """Every title that is asked for, the one behind all redirects, and its types."""
        from pyspark.sql import functions as F

        def make() -> DataFrame:
            entries = self._entries()
            typed = entries.where("types is not null").select("title")
            lower = map_rows(typed, rows.lower_titles, "title string")
            asked = self._pages().select(F.explode("wanted").alias("title")).union(lower).distinct()
            state = asked.select(F.col("title").alias("wanted"), F.col("title").alias("target"))
            state = state.withColumn("why_not", F.lit(None).cast("string"))
            state = state.withColumn("arrived", F.lit(False))
            for _ in range(MAX_REDIRECTS + 1):
                state = _one_step(state, entries.select(F.col("title").alias("target"), "redirect"))
            state = state.withColumn(
                "why_not", F.when(~F.col("arrived"), F.lit(LOOP)).otherwise(F.col("why_not"))
            )
            known = entries.drop("redirect").withColumn("known", F.lit(True))
            joined = state.join(known.withColumnRenamed("title", "target"), "target", "left")
            return map_rows(joined, partial(rows.judge_titles, self._mapping), rows.RESOLVED)

        return self._stage("resolved", make)

    def labelled(self) -> DataFrame:
        """The line of each page, or null where it has no mention, and what was counted."""
        from pyspark.sql import functions as F

        def make() -> DataFrame:
            resolved = self._resolved()
            lower = by_first_word(self._lower_names(resolved))
            names = self._spark.sparkContext.broadcast(lower)
            pages = self._pages().where("title is not null and redirect is null")
            asked = pages.select("number", F.explode("wanted").alias("wanted")).join(resolved, "wanted")
            fields = F.struct("wanted", "title", "types", "sources", "why_not")
            answers = asked.groupBy("number").agg(F.collect_list(fields).alias("resolved"))
            label = partial(rows.label_pages, self._mapping, names, self._settings.repeats)
            return map_rows(pages.join(answers, "number"), label, rows.LABELLED)

        return self._stage("labelled", make)

    def _lower_names(self, resolved: DataFrame) -> Iterator[str]:
        """The names that have no capital where they stand in a sentence."""
        typed = self._entries().where("types is not null").select("title")
        found = typed.join(resolved.where("why_not = ''").select("wanted"), typed.title == resolved.wanted)
        forms = map_rows(found.select(typed.title), rows.lower_names, "name string")
        return (row.name for row in forms.distinct().toLocalIterator())

    def summary(self) -> Summary:
        """What was counted in all stages, in the order of the pages."""
        total = Summary(report=Report())
        for frame in (self._pages(), self.labelled(), self._tables()):
            told = frame.where("summary is not null").select("number", "summary").orderBy("number")
            for row in map_rows(told, rows.add_up, "summary string").toLocalIterator():
                total.add(Summary.from_json(json.loads(row.summary)))
        return total


def _one_step(state: DataFrame, redirects: DataFrame) -> DataFrame:
    """Follow one redirect from each title that has not arrived."""
    from pyspark.sql import functions as F

    joined = state.join(redirects, "target", "left")
    goes_on = ~F.col("arrived") & F.col("redirect").isNotNull() & (F.col("redirect") != "")
    part = ~F.col("arrived") & (F.col("redirect") == "")
    return joined.select(
        "wanted",
        F.when(goes_on, F.col("redirect")).otherwise(F.col("target")).alias("target"),
        F.when(part, F.lit(PART)).otherwise(F.col("why_not")).alias("why_not"),
        (F.col("arrived") | F.col("redirect").isNull() | (F.col("redirect") == "")).alias("arrived"),
    )
