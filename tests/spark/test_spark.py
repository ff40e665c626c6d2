"""Spark gives what the commands give on one machine. Few tests, since each job takes a while to start."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fofe.base.errors import FofeError, ModelError
from fofe.base.journal import Journal
from fofe.cli import main
from fofe.formats import read_corpus
from fofe.spark import label_dump as label_on_spark
from fofe.spark import tag, write_parquet
from fofe.tagging.model import Model
from fofe.wiki.job import LabelSettings, label_dump
from fofe.wiki.types import LOOP

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from fofe.spark import Range
    from fofe.tagging.sources import Source

TEXTS = [
    "Anna Berg met the mayor of Bergen.",
    "",
    "Nothing here.",
    "In Leeds it rained, said Omar Haddad. 🚀 Oslo",
]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "wikipedia"


def test_tags_a_column_as_the_model_does(spark: SparkSession, tiny_model: Model, tiny_path: Path) -> None:
    rows = [(number, text) for number, text in enumerate([*TEXTS, None])]
    frame = spark.createDataFrame(rows, "number int, body string").repartition(2)
    tagged = tag(frame, "body", tiny_path, threshold=0.4)
    assert tagged.columns == ["number", "body", "mentions"]
    found = {row.number: row.mentions for row in tagged.collect()}
    assert found.pop(len(TEXTS)) is None
    model = tiny_model.with_options(threshold=0.4)
    for number, text in enumerate(TEXTS):
        for row, mention in zip(found[number], model(text).mentions, strict=True):
            expected = (mention.start, mention.end, mention.type, mention.kind, mention.text)
            assert (row.start, row.end, row.type, row.kind, row.text) == expected
            assert row.score == pytest.approx(mention.score, abs=1e-5)  # rounded with others in its batch


def test_wrong_columns_and_models_are_told_at_once(
    spark: SparkSession, tiny_path: Path, tmp_path: Path
) -> None:
    frame = spark.createDataFrame([("a", [1])], "body string, mentions array<int>")
    with pytest.raises(FofeError, match="no column 'text' among body, mentions"):
        tag(frame, "text", tiny_path)
    with pytest.raises(FofeError, match="already"):
        tag(frame, "body", tiny_path)
    with pytest.raises(ModelError):
        tag(frame, "body", tmp_path, mentions_col="found")
    with pytest.raises(FofeError, match="threshold"):
        tag(frame, "body", tiny_path, mentions_col="found", threshold=7)


def test_the_tag_command_gives_the_same_output(
    spark: SparkSession,
    tiny_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from fofe.spark import cut_up

    cut: list[Range] = []

    def cut_small(source: Source, _: int) -> list[Range]:
        ranges = list(cut_up(source, 700))
        cut.extend(ranges)
        return ranges

    monkeypatch.setattr("fofe.spark.cut_up", cut_small)
    text, corpus = tmp_path / "news.txt", tmp_path / "corpus.jsonl"
    text.write_text("\n".join(TEXTS * 12), "utf-8")
    corpus.write_text("".join(json.dumps({"text": one}) + "\n" for one in TEXTS) + "broken\n", "utf-8")
    command = ["tag", "-m", str(tiny_path), str(text), str(corpus), "-f", "jsonl", "-o"]
    alone, on_spark = tmp_path / "alone", tmp_path / "spark"
    assert main([*command, str(alone)]) == 1
    told = capsys.readouterr().err
    assert main([*command, str(on_spark), "--engine", "spark"]) == 1
    assert _rounded(on_spark) == _rounded(alone)
    assert capsys.readouterr().err == told
    assert len(on_spark.read_text("utf-8").splitlines()) == len(TEXTS) * 13
    assert sum(part.source.path == str(text) for part in cut) > 1, "a file was shared among workers"


def _rounded(path: Path) -> list[str]:
    """Lines with scores of four digits: the last ones depend on what else was in a batch."""
    lines = path.read_text("utf-8").splitlines()
    return [re.sub(r'(?<="score": )[\d.]+', lambda score: f"{float(score[0]):.4f}", line) for line in lines]


def test_parquet_goes_into_parquet(
    spark: SparkSession, tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = str(tmp_path / "in.parquet"), str(tmp_path / "out.parquet")
    spark.createDataFrame([(text,) for text in TEXTS], "body string").write.parquet(source)
    command = ["tag", "-m", str(tiny_path), source, "-o", target]
    assert main([*command, "--engine", "spark", "--text-column", "body"]) == 0
    rows = spark.read.parquet(target).collect()
    assert sorted(row.body for row in rows) == sorted(TEXTS)
    assert any(mention.text == "Anna Berg" for row in rows for mention in row.mentions)
    for wrong, remedy in (
        (command, "name one with --text-column"),
        ([*command[:-1], "out.jsonl", "--engine", "spark"], "end in .parquet"),
        (["tag", "-m", str(tiny_path), "-t", "x", "--engine", "spark"], "files of lines"),
        (["tag", "-m", str(tiny_path), "no.parquet", "-o", "new.parquet", "--engine", "spark"], "no.parquet"),
    ):
        assert main(wrong) == 2
        assert remedy in capsys.readouterr().err


def test_wikipedia_is_labelled_the_same(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = tmp_path / "second.xml"
    text = (EXAMPLE / "dump.xml").read_text("utf-8")
    extra = "<page><title>{0}</title><ns>0</ns><revision><text>{1}</text></revision></page>\n"
    links = "[[Norge]] [[Loop]] [[Part]] [[Leeds, Yorkshire]] [[Berg (disambiguation)]]"
    pages = [
        ("Loop", "#REDIRECT [[Loop]]"),
        ("Norge", "#REDIRECT [[Norway]]"),
        ("Part", "#REDIRECT [[Bergen#History]]"),
        ("Last", f"{links} and friends."),
        ("Friends", "'''Friends''' is a film. [[Oslo"),
        ("Bergen", "'''Bergen''' is a river. [[Porto]], {{open"),
    ]
    written = "".join(extra.format(*page) for page in pages)
    second.write_text(text.replace("</mediawiki>", written), "utf-8")  # and no end: as if it were cut off
    table = tmp_path / "types.tsv"
    classes = (EXAMPLE / "classes.tsv").read_text("utf-8")
    table.write_text(f"{classes}Porto\tfilm\nno tab\nYorkshire\tcounty\n", "utf-8")
    settings = LabelSettings((str(EXAMPLE / "dump.xml"), str(second)), (str(table),), repeats=True)
    alone, on_spark = tmp_path / "alone.jsonl", tmp_path / "spark.jsonl"
    report = label_dump(settings, alone, tmp_path / "work")
    command = ["corpus", "wiki", *settings.dumps, "--types", str(table), "--repeats", "--json"]
    assert main([*command, "-o", str(on_spark), "--engine", "spark"]) == 0
    assert on_spark.read_text("utf-8") == alone.read_text("utf-8")
    on_spark_summary = json.loads(capsys.readouterr().out)
    assert on_spark_summary["counts"] == report.totals
    assert on_spark_summary["dropped"] == report.counts
    assert LOOP in report.counts
    assert not list(tmp_path.glob("*.work"))


def test_labelled_pages_go_into_parquet(spark: SparkSession, tmp_path: Path) -> None:
    alone, output = tmp_path / "weak.jsonl", tmp_path / "weak.parquet"
    label_dump(LabelSettings((str(EXAMPLE / "dump.xml"),)), alone, tmp_path / "work")
    write_parquet(spark, str(output), [alone])
    rows = {row.id: row for row in spark.read.parquet(str(output)).collect()}
    for document in read_corpus(alone):
        row = rows.pop(document.id)
        found = [(one.start, one.end, one.type, one.text) for one in row.mentions]
        assert found == [(one.start, one.end, one.type, one.text) for one in document.mentions]
        assert [tuple(span) for span in row.unknown or ()] == [region[:2] for region in document.regions]
    assert not rows


def test_what_is_done_is_not_done_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = LabelSettings((str(EXAMPLE / "dump.xml"),))
    output, work = tmp_path / "out.jsonl", tmp_path / "work"

    class FullError(Exception):
        pass

    def fail(*_: object) -> None:
        raise FullError

    with monkeypatch.context() as patch:
        patch.setattr("fofe.spark.join", fail)
        with pytest.raises(FullError):
            label_on_spark(spark, settings, str(output), work)
    done = {file.name: file.stat().st_mtime_ns for file in work.glob("*.jsonl")}
    monkeypatch.setattr("fofe.spark.join", lambda _, files: output.write_bytes(files[0].read_bytes()))
    monkeypatch.setattr(Journal, "remove", lambda _: None)
    label_on_spark(spark, settings, str(output), work)
    assert {file.name: file.stat().st_mtime_ns for file in work.glob("*.jsonl")} == done
    assert [document.id for document in read_corpus(output)]
