"""Tagging a column of parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fofe.base.errors import InputError
from fofe.cli import main
from fofe.tagging.parquet import tag_files
from fofe.tagging.pipeline import TagJob, mentions_only

if TYPE_CHECKING:
    from fofe.tagging.model import Model

pa = pytest.importorskip("pyarrow", reason="parquet needs fofe[parquet]")
pq = pytest.importorskip("pyarrow.parquet", reason="parquet needs fofe[parquet]")

TEXTS = ["Omar Haddad left for Lima.", None, "", "🙂 In Porto it rained all day."]


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"number": range(len(TEXTS)), "text": TEXTS}), path)
    return str(path)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_row_comes_back_with_its_mentions(
    table: str, tmp_path: Path, tiny_path: Path, tiny_model: Model, workers: int
) -> None:
    output = str(tmp_path / "out.parquet")
    assert tag_files(
        TagJob(str(tiny_path), mentions_only), [table, table], output, workers=workers
    ) == 2 * len(TEXTS)
    rows = pq.read_table(output).to_pylist()
    assert [row["number"] for row in rows] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert [row["text"] for row in rows] == TEXTS * 2
    for row in rows:
        if row["text"] is None:
            assert row["mentions"] is None
            continue
        expected = tiny_model(row["text"]).mentions
        found = [(m["start"], m["end"], m["type"], m["kind"], m["text"]) for m in row["mentions"]]
        assert found == [(m.start, m.end, m.type, m.kind, m.text) for m in expected]


def test_many_rows(tmp_path: Path, tiny_path: Path) -> None:
    path, output = tmp_path / "in.parquet", str(tmp_path / "out.parquet")
    names = ["Lima", "Porto", "Leeds"]
    texts = [f"In {names[number % 3]} it rained." for number in range(2500)]
    pq.write_table(pa.table({"body": pa.array(texts, pa.large_string())}), path)
    tag_files(TagJob(str(tiny_path), mentions_only), [str(path)], output, text_column="body")
    mentions = pq.read_table(output).column("mentions").to_pylist()
    assert [found[0]["text"] for found in mentions] == [names[number % 3] for number in range(2500)]


def test_a_directory_stands_for_its_files(table: str, tmp_path: Path, tiny_path: Path) -> None:
    folder = tmp_path / "parts.parquet"
    folder.mkdir()
    with pytest.raises(InputError, match="is a directory without"):
        tag_files(TagJob(str(tiny_path), mentions_only), [str(folder)], str(tmp_path / "out.parquet"))
    for name in ("part-1.parquet", "part-2.parquet"):
        (folder / name).write_bytes(Path(table).read_bytes())
    (folder / "_SUCCESS").write_bytes(b"")
    rows = tag_files(TagJob(str(tiny_path), mentions_only), [str(folder)], str(tmp_path / "out.parquet"))
    assert rows == 2 * len(TEXTS)


def test_on_the_command_line(
    table: str, tmp_path: Path, tiny_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.parquet"
    command = ["tag", "-m", str(tiny_path), table]
    assert main([*command, "-o", str(output), "--threshold", "0.5", "--workers", "2"]) == 0
    assert capsys.readouterr().err == "fofe: 4 rows tagged\n"
    assert pq.read_table(output).column("mentions").to_pylist()[0][0]["text"] == "Omar Haddad"
    elsewhere = [[*command, "-o", str(tmp_path / "out.jsonl")], ["tag", "-o", str(tmp_path / "new.parquet")]]
    for wrong in elsewhere:
        assert main(wrong) == 2
        assert "end in .parquet" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [["--redact"], ["--flat"], ["--format", "tsv"], ["--offsets", "bytes"], ["--text", "Lima"]]
)
def test_what_parquet_cannot_do_is_refused(
    option: list[str], table: str, tmp_path: Path, tiny_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.parquet"
    assert main(["tag", "-m", str(tiny_path), table, "-o", str(output), *option]) == 2
    assert f"{option[0]} does not go with parquet" in capsys.readouterr().err
    assert not output.exists()


def test_options_are_those_of_the_model(table: str, tmp_path: Path, tiny_path: Path) -> None:
    output = str(tmp_path / "out.parquet")
    tag_files(TagJob(str(tiny_path), mentions_only, options={"threshold": 1.0}), [table], output)
    assert pq.read_table(output).column("mentions").to_pylist() == [[], None, [], []]


def test_mistakes_are_told_and_leave_no_file(table: str, tmp_path: Path, tiny_path: Path) -> None:
    output = tmp_path / "out.parquet"
    job = TagJob(str(tiny_path), mentions_only)
    (tmp_path / "no.parquet").write_bytes(b"PAR1 or so")
    pq.write_table(pa.table({"text": ["a"], "mentions": [1]}), tmp_path / "had.parquet")
    for paths, column, problem in (
        ([table], "body", r"in\.parquet: has no column 'body' \(name one with --text-column: number, text\)"),
        ([table], "number", "holds int64, not text"),
        ([str(tmp_path / "none.parquet")], "text", r"none\.parquet: cannot be read"),
        ([str(tmp_path / "no.parquet")], "text", r"no\.parquet: is no parquet file"),
        ([str(tmp_path / "had.parquet")], "text", "has a column 'mentions' already"),
        ([table, str(tmp_path / "had.parquet")], "text", "has other columns than"),
    ):
        with pytest.raises(InputError, match=problem):
            tag_files(job, paths, str(output), text_column=column)
        assert not output.exists()
