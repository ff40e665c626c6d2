"""CSV and TSV files, and directories of text, as inputs of `fofe tag`."""

from __future__ import annotations

import csv
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.cli import main
from fofe.tagging.sources import find_sources, inputs
from fofe.text.document import Document

TEXT = "Omar Haddad left."

cells = st.lists(
    st.sampled_from(["a", "🙂", "e\u0301", "\r\n", "\n", " ", "\t", ",", ";", '"', "'", "\ufeff"]), max_size=8
).map("".join)


def documents(path: Path, column: str | None = None, format: str | None = None) -> list[Document]:
    report = Report()
    sources = find_sources([str(path)], format, "line", report, column)
    found = [one.read(report) for one in filter(None, inputs(sources, report))]
    return [document for document in found if document]


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("csv", ";"), ("tsv", "\t")])
@given(st.lists(st.tuples(cells, cells), max_size=4))
def test_what_the_csv_module_writes_is_read(
    suffix: str, delimiter: str, table: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x.{suffix}")
        with open(path, "w", encoding="utf-8-sig", newline="") as stream:
            csv.writer(stream, delimiter=delimiter).writerows([("note", "body"), *table])
        found = documents(path, "body")
    assert [(document.meta["note"], document.text) for document in found] == table


def test_a_table_is_tagged(tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "reviews.csv"
    rows = [
        "stars,id,text",
        f'5,r1,"{TEXT}',
        'It rained."',
        "",
        f"4,,{TEXT}",
        "3,r3,one,too many",
        f"2,r4,{TEXT}",
    ]
    path.write_bytes("\r\n".join(rows).encode())
    assert main(["tag", "-m", str(tiny_path), str(path)]) == 1
    captured = capsys.readouterr()
    lines = [json.loads(line) for line in captured.out.splitlines()]
    assert [(line["id"], line["stars"], line["mentions"][0]["text"]) for line in lines] == [
        ("r1", "5", "Omar Haddad"),
        (f"{path}:5", "4", "Omar Haddad"),
        ("r4", "2", "Omar Haddad"),
    ]
    assert f"{path}:6: 4 columns where the first row names 3 (quote text" in captured.err


@pytest.mark.parametrize("unit", ["codepoints", "utf16"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_field_of_the_user_does_not_pass_for_the_unit_of_offsets(
    suffix: str, unit: str, tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, text = tmp_path / f"x.{suffix}", f"🙂 {TEXT}"
    line = json.dumps({"text": text, "offsets": "bytes"})
    path.write_text(f"text,offsets\n{text},bytes\n" if suffix == "csv" else line, "utf-8")
    assert main(["tag", "-m", str(tiny_path), str(path), "--offsets", unit]) == 0
    out, err = capsys.readouterr()
    tagged = json.loads(out)
    assert tagged.get("offsets", "codepoints") == unit
    assert tagged["mentions"][0]["end"] == (13 if unit == "codepoints" else 14)
    assert "1 value of metadata 'offsets' left out because the format uses that name" in err


@pytest.mark.parametrize(
    ("content", "message", "code"),
    [
        ("title,body\nx,y\n", "x.csv:1: has no column 'text' (name one with --text-column: title, body)", 2),
        ('text\n"open\nb\n', "x.csv:2: a quote is never closed: lines 2 to 3 are not read (quote text", 2),
        ('"te"xt\n', "x.csv:1: cannot be read: ',' expected", 2),
        ("text,text\nx,y\n", "x.csv:1: has several columns 'text' (give each column a name of its own)", 2),
        ('"te\nx\xe9t"\nx\n', "x.csv:2: byte 0xe9 at offset 1 of the line is not UTF-8", 2),
        ("t\xe9xt\nx\n", "x.csv:1: byte 0xe9 at offset 1 of the line is not UTF-8", 2),
        ("text\ncaf\xe9\n", "x.csv:2: byte 0xe9 at offset 3 of the line is not UTF-8", 2),
        ("", "1 file without a document", 0),
        ("text\n" + "a" * 9_000_000 + "\n", "x.csv:2: field larger than field limit", 2),
    ],
)
def test_mistakes(
    tiny_path: Path, tmp_path: Path, content: str, message: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.csv").write_bytes(content.encode("latin-1"))
    assert main(["tag", "-m", str(tiny_path), str(tmp_path / "x.csv")]) == code
    assert message in capsys.readouterr().err


def test_a_row_that_is_not_utf8_is_left_out_alone(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b'text\nOne.\n"Two\ncaf\xe9."\nThree.\nFour.\n')
    assert main(["tag", "-m", str(tiny_path), str(path)]) == 1
    captured = capsys.readouterr()
    assert [json.loads(line)["text"] for line in captured.out.splitlines()] == ["One.", "Three.", "Four."]
    assert f"{path}:4: byte 0xe9" in captured.err
    assert "1 document left out for the reasons given above; 3 tagged" in captured.err


def test_a_tsv_file_is_a_table_if_a_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("Omar\tB-PER\nleft\tO\n", "utf-8")
    assert documents(path)[0].text == "Omar left"
    path.write_text(f"body\tn\n{TEXT}\t1\n", "utf-8")
    assert [document.text for document in documents(path, "body")] == [TEXT]
    path.write_text(f"text\tn\n{TEXT}\t1\n", "utf-8")
    assert [document.text for document in documents(path, format="tsv")] == [TEXT]


def test_a_directory_of_texts(tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b.txt", "a.txt", ".hidden.txt", "other.md"):
        (tmp_path / name).write_text(f"{TEXT}\nIt rained.\n", "utf-8")
    hidden, other = tmp_path / ".hidden.txt", tmp_path / "other.md"
    command = ["tag", "-m", str(tiny_path), "-f", "tsv", str(tmp_path)]
    for options, ids in ([], ["a.txt:1", "b.txt:1"]), (["--unit", "file"], ["a.txt", "b.txt"]):
        assert main([*command, *options]) == 0
        captured = capsys.readouterr()
        assert [line.split("\t")[0] for line in captured.out.splitlines()] == [
            str(tmp_path / id) for id in ids
        ]
        assert captured.err == f"fofe: 2 files of other kinds left out (first: {hidden}, {other})\n"


@pytest.mark.parametrize(
    ("names", "format", "column", "read", "left_out"),
    [
        (["a.txt", "b.csv", "c.md", "sub/d.txt"], None, None, ["a.txt"], ["b.csv", "c.md", "sub"]),
        (["a.txt", "b.csv"], None, "body", ["b.csv"], ["a.txt"]),
        (["a.txt", "b.csv"], "csv", None, ["b.csv"], ["a.txt"]),
        (["b.csv", "c.CSV", "d.md"], None, None, ["b.csv", "c.CSV"], ["d.md"]),
        (["a.tsv"], "tsv", None, ["a.tsv"], []),
        (["a.tsv"], None, "body", ["a.tsv"], []),
        (["a.txt", "b.jsonl"], "text", None, ["a.txt"], ["b.jsonl"]),
        (["a.txt", "b.jsonl"], None, None, ["b.jsonl"], ["a.txt"]),
    ],
)
def test_a_directory_is_read_by_its_first_kind_of_file(
    tmp_path: Path,
    names: list[str],
    format: str | None,
    column: str | None,
    read: list[str],
    left_out: list[str],
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text,body\nOne,two\n", "utf-8")
    report = Report()
    found = find_sources([str(tmp_path)], format, "line", report, column)
    assert [Path(source.path).name for source in found] == read
    assert all(source.column == (column or "text") for source in found)
    noted = [place for places in report.places.values() for place in places]
    assert sorted(Path(place).name for place in noted) == left_out
    assert report.counts.total() == len(left_out)


def test_a_directory_of_tables(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(f"text\n{name}\n", "utf-8")
    for format in (None, "csv"):
        assert [document.text for document in documents(tmp_path, format=format)] == ["a.csv", "b.csv"]


def test_a_directory_without_such_files(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", "utf-8")
    for arguments, problem in (
        ((None, None), "holds no corpus or .txt or .csv file"),
        (("csv", None), "holds no .csv file"),
        ((None, "body"), "holds no .csv or .tsv file"),
    ):
        with pytest.raises(InputError, match=problem):
            documents(tmp_path, format=arguments[0], column=arguments[1])
