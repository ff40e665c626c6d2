"""How fast Spark tags and labels on this machine: with one core and with two.

    python benchmarks/spark.py --model runs/conll2003-default-1/model

Tags the paragraphs of the Wikipedia pages beside the project, some times over, and labels the pages
themselves. Sessions are warmed up first: starting Spark and loading models does not grow with the text. The
CPU seconds are those of all processes under this one, which a busy machine changes less than the time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from _record import as_command, on_one_thread, record, shared

from fofe.base.report import Report
from fofe.spark import label_dump, make_session, tag
from fofe.text.tokenise import tokeniser
from fofe.wiki.dump import read_pages
from fofe.wiki.job import LabelSettings
from fofe.wiki.languages import wiki_language
from fofe.wiki.markup import parse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DUMPS = ("enwiki-206-pages.xml.bz2", "enwiki-27-pages.xml.bz2")
COPIES = 4
"""How many times over the pages are labelled, so that what is done once for any number hardly counts."""
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure with each number of cores, and record."""
    on_one_thread()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--repeat", type=int, default=1, help="how often the text is tagged")
    args = parser.parse_args()
    dumps = [str(shared("data", "wikipedia", name)) for name in DUMPS]
    texts = _paragraphs(dumps) * args.repeat
    tokens = sum(1 for text in texts for _ in tokeniser("en").document(text).tokens)
    metrics: dict[str, float] = {"tokens": tokens}
    for cores in (1, 2):
        spark = make_session(f"local[{cores}]")
        seconds, cpu = _tag(spark, texts, args.model, cores)
        metrics |= {f"tokens_per_s_{cores}": round(tokens / seconds)}
        metrics |= {f"tokens_per_cpu_s_{cores}": round(tokens / cpu)}
        if cores == 2:
            _label(spark, dumps)
            pages, seconds, cpu = _label(spark, dumps * COPIES)
            metrics |= {"pages_per_s_2": round(pages / seconds, 1)}
            metrics |= {"pages_per_cpu_s_2": round(pages / cpu, 1)}
            metrics |= {"characters_per_page": round(_characters(dumps) / (pages / COPIES))}
        spark.stop()
    print(metrics)
    record("spark", metrics, f"python benchmarks/spark.py --model {args.model}")


def _characters(dumps: list[str]) -> int:
    """The wikitext of all articles."""
    pages = (page for dump in dumps for page in read_pages(dump, Report()))
    return sum(len(page.markup) for page in pages if not page.redirect and not page.namespace)


def _paragraphs(dumps: list[str]) -> list[str]:
    pages = (page for dump in dumps for page in read_pages(dump, Report()) if not page.redirect)
    return [
        line for page in pages for line in parse(page.markup, wiki_language("en"), Report()).text.splitlines()
    ]


def _tag(spark: SparkSession, texts: list[str], model: str, cores: int) -> tuple[float, float]:
    """Seconds and CPU seconds of tagging, with the model loaded."""
    frame = spark.createDataFrame([(text,) for text in texts], "text string").repartition(4 * cores).persist()
    frame.count()
    tag(frame.limit(10 * cores), "text", model).repartition(cores).count()
    start = time.perf_counter(), _cpu_seconds()
    tag(frame, "text", model).selectExpr("sum(size(mentions))").collect()
    return time.perf_counter() - start[0], _cpu_seconds() - start[1]


def _label(spark: SparkSession, dumps: list[str]) -> tuple[int, float, float]:
    """Pages, seconds and CPU seconds of labelling."""
    settings = LabelSettings(tuple(dumps), (str(shared("data", "wikipedia", "enwiki-classes.tsv.xz")),))
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter(), _cpu_seconds()
        report = label_dump(spark, settings, f"{folder}/weak.parquet", Path(folder) / "work")
        used = time.perf_counter() - start[0], _cpu_seconds() - start[1]
    return report.totals["pages"], *used


def _cpu_seconds() -> float:
    """User and system time of all processes under this one, with those of theirs that have ended."""
    times: dict[int, float] = {}
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(folder.name)] = int(fields[1])
        times[int(folder.name)] = sum(map(int, fields[11:15])) / TICKS
    mine = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(times.get(process, 0.0) for process in mine)


if __name__ == "__main__":
    as_command(main)
