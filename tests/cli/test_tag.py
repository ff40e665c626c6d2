"""`fofe tag`, from every kind of input to every kind of output."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fofe.cli import main

TEXT = "Anna Berg met the mayor of Bergen."


@pytest.fixture
def model(tiny_path: Path) -> str:
    return str(tiny_path)


def tag(model: str, *arguments: str) -> int:
    return main(["tag", "--model", model, *arguments])


def tagged(capsys: pytest.CaptureFixture[str], model: str, *arguments: str) -> list[dict[str, Any]]:
    assert tag(model, *arguments) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def found(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(mention["text"], mention["type"]) for mention in document["mentions"]]


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_texts_on_the_command_line(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tagged(capsys, model, "--text", TEXT, "-t", "In Lima it rained all day.")
    assert first["text"] == TEXT
    assert found(first) == [("Anna Berg", "PER"), ("mayor", "PER"), ("Bergen", "GPE")]
    assert [mention["kind"] for mention in first["mentions"]] == ["NAM", "NOM", "NAM"]
    for mention in first["mentions"]:
        assert TEXT[mention["start"] : mention["end"]] == mention["text"]
    assert found(second) == [("Lima", "GPE")]


def test_a_line_is_a_document(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "news.txt"
    path.write_bytes(f"\ufeff{TEXT}\r\n\nIn Lima it rained all day.".encode())
    documents = tagged(capsys, model, str(path))
    assert [document["id"] for document in documents] == [f"{path}:1", f"{path}:2", f"{path}:3"]
    assert [document["text"] for document in documents] == [TEXT, "", "In Lima it rained all day."]
    assert found(documents[2]) == [("Lima", "GPE")]


def test_json_lines_without_ids_are_told_by_their_numbers(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "news.jsonl"
    path.write_text('{"text": "Lima"}\n\nno JSON\n{"text": "Oslo"}\n{"text": "Rome", "id": "own"}\n', "utf-8")
    assert tag(model, str(path)) == 1
    ids = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
    assert ids == [f"{path}:1", f"{path}:4", "own"]


def test_a_number_out_of_range_costs_its_line_alone(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "news.jsonl"
    path.write_text('{"text": "Lima"}\n{"text": "Oslo", "views": 1e400}\n{"text": "Rome"}\n', "utf-8")
    assert tag(model, str(path)) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["Lima", "Rome"]
    assert "news.jsonl:2: not JSON: 1e400 is out of the range of numbers" in err


def test_a_file_as_one_document(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "news.txt"
    text = f"{TEXT}\nIn Lima it rained all day.\n"
    path.write_text(text, encoding="utf-8")
    (document,) = tagged(capsys, model, str(path), "--unit", "file")
    assert (document["id"], document["text"]) == (str(path), text)
    assert found(document)[-1] == ("Lima", "GPE")


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_standard_input(
    arguments: list[str], model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, f"{TEXT}\n".encode())
    (document,) = tagged(capsys, model, *arguments)
    assert document["id"] == "stdin:1"
    assert len(document["mentions"]) == 3


@pytest.mark.parametrize("line", [{"text": TEXT}, {"tokens": ["Lima"]}])
def test_json_lines_taken_for_text_are_told(
    line: dict[str, Any], model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = f"{json.dumps(line)}\n".encode() * 2
    give_stdin(monkeypatch, given)
    assert tag(model) == 0
    told = "fofe: read as plain text, but looks like JSON lines (give --input jsonl): <stdin>\n"
    assert capsys.readouterr().err == told
    give_stdin(monkeypatch, given)
    assert tag(model, "--input", "jsonl") == 0
    assert "looks like" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", [b"{Lima}", b'{"body": "Lima"}', b'"text"', b"{" * 2000, b'{"text": "\xe9"}']
)
def test_other_text_in_braces_is_text(
    line: bytes, model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, line)
    assert tag(model) in (0, 2)
    assert "looks like" not in capsys.readouterr().err


def test_jsonl_keeps_what_it_carries(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "corpus.jsonl"
    line = {"id": "d1", "text": TEXT, "mentions": [{"start": 0, "end": 4, "type": "OLD"}], "genre": "news"}
    path.write_text(json.dumps(line), encoding="utf-8")
    (document,) = tagged(capsys, model, str(path))
    assert (document["id"], document["genre"]) == ("d1", "news")
    assert found(document) == [("Anna Berg", "PER"), ("mayor", "PER"), ("Bergen", "GPE")]


def test_conll_in_and_out(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "corpus.conll"
    path.write_text("Anna O\nBerg O\nmet O\n\nIn O\nLima O\n", encoding="utf-8")
    assert tag(model, str(path), "--format", "conll", "--no-nested") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert rows == [
        ["Anna", "B-PER"], ["Berg", "I-PER"], ["met", "O"], ["In", "O"], ["Lima", "B-GPE"],
    ]  # fmt: skip


def test_plain_text_under_a_corpus_suffix(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text.tsv"
    path.write_text(TEXT, encoding="utf-8")
    (document,) = tagged(capsys, model, str(path), "--input", "text")
    assert document["text"] == TEXT


@pytest.mark.parametrize(
    ("output", "arguments", "start"),
    [
        ("x.html", [], "<!DOCTYPE html>"),
        ("x.conll", [], "Anna B-PER\n"),
        ("x.iob2", [], "Anna B-PER\n"),
        ("x.TSV", [], "text:1\t0\t9\tPER\t"),
        ("x.txt", [], "[Anna Berg PER] met"),
        ("x.ndjson", [], '{"text": '),
        ("x", [], '{"text": '),
        ("x.html", ["-f", "text"], "[Anna Berg PER] met"),
        ("x.ann", ["-f", "jsonl"], '{"text": '),
        ("x.txt", ["--redact"], "[PER] met"),
        ("x", ["--redact"], "[PER] met"),
        ("x.jsonl", ["--redact"], '{"text": "[PER] met'),
    ],
)
def test_the_suffix_of_the_output_says_its_format(
    output: str, arguments: list[str], start: str, model: str, tmp_path: Path
) -> None:
    assert tag(model, "--text", TEXT, "-o", str(tmp_path / output), *arguments) == 0
    assert (tmp_path / output).read_text("utf-8").startswith(start)


def test_a_pipe_may_have_any_suffix(model: str, tmp_path: Path) -> None:
    pipe = tmp_path / "out.docx"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text, "utf-8")
        assert tag(model, "--text", TEXT, "-o", str(pipe)) == 0
        assert read.result().startswith('{"text"')


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_it(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    (tmp_path / "loop.txt").symlink_to("/proc/self/mem")
    assert tag(model, str(tmp_path / "loop.txt"), str(tmp_path / "a.txt")) == 1
    captured = capsys.readouterr()
    assert found(json.loads(captured.out)) == [("Anna Berg", "PER"), ("mayor", "PER"), ("Bergen", "GPE")]
    assert "loop.txt: cannot be read" in captured.err


def test_tsv(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert tag(model, "--text", TEXT, "--format", "tsv", "--alternatives", "1") == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [(row[1], row[2], row[3], row[5]) for row in rows] == [
        ("0", "9", "PER", "Anna Berg"),
        ("18", "23", "PER_NOM", "mayor"),
        ("27", "33", "GPE", "Bergen"),
    ]
    for row in rows:
        assert 0.5 <= float(row[4]) <= 1
        label, score = row[6].split("=")
        assert label != row[3]
        assert float(score) < 0.5


def test_tsv_is_no_corpus(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = str(tmp_path / "x.tsv")
    assert tag(model, "-t", TEXT, "-o", output, "--alternatives", "1") == 0
    assert main(["evaluate", output, output]) == 2
    assert f"{output}:1: a mention in a table that fofe tag wrote" in capsys.readouterr().err


def test_tsv_names_every_document(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ids(*arguments: str) -> list[str]:
        assert tag(model, *arguments, "-f", "tsv") == 0
        return [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]

    assert ids("-t", "In Lima it rained.", "-t", "In Lima it rained.") == ["text:1", "text:2"]
    give_stdin(monkeypatch, b"In Lima it rained.\n")
    assert ids() == ["stdin:1"]
    words = tmp_path / "words.conll"
    words.write_text("In O\nLima O\n", "utf-8")
    assert ids(str(words)) == [f"document 1 of {words}"]


def test_text_for_eyes(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["--text", TEXT, "--text", "The University of Lima hired Li Wei in 2014."]
    assert tag(model, *texts, "--format", "text") == 0
    assert capsys.readouterr().out.splitlines() == [
        "[Anna Berg PER] met the [mayor PER_NOM] of [Bergen GPE].",
        "The [University of [Lima GPE] ORG] hired [Li Wei PER] in 2014.",
    ]


@pytest.mark.parametrize(("unit", "before"), [("codepoints", 2), ("utf16", 3), ("bytes", 5)])
def test_offsets_for_programs_that_count_otherwise(
    unit: str, before: int, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"😀 {TEXT} 😀é"  # a face is one character, two UTF-16 units, four bytes
    (document,) = tagged(capsys, model, "--text", text, "--offsets", unit)
    bergen = document["mentions"][-1]
    assert (bergen["text"], bergen["start"], bergen["end"]) == ("Bergen", before + 27, before + 33)
    assert document.get("offsets", "codepoints") == unit
    assert tag(model, "--text", text, "--offsets", unit, "--format", "tsv") == 0
    assert capsys.readouterr().out.splitlines()[-1].split("\t")[1:3] == [str(before + 27), str(before + 33)]


@pytest.mark.parametrize("format", ["text", "tsv", "jsonl", "conll"])
def test_text_that_is_no_unicode_comes_out_whole(
    format: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell hands on bytes that are no UTF-8 as lone surrogates."""
    assert tag(model, "--text", f"\udcff {TEXT}", "--format", format) == 0
    assert "Bergen" in capsys.readouterr().out


def test_into_a_file(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.jsonl"
    assert tag(model, "--text", TEXT, "-o", str(path)) == 0
    assert json.loads(path.read_text("utf-8"))["text"] == TEXT
    assert capsys.readouterr().out == ""


def test_decoding_options(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = "The University of Lima hired Li Wei in 2014."
    (nested,) = tagged(capsys, model, "--text", text, "--nested")
    (flat,) = tagged(capsys, model, "--text", text, "--no-nested", "--strategy", "longest-first")
    assert ("Lima", "GPE") in found(nested)
    (outer,) = tagged(capsys, model, "--text", text, "--nested", "--flat")
    assert found(outer) == [one for one in found(nested) if one != ("Lima", "GPE")]
    assert ("Lima", "GPE") not in found(flat)
    assert tagged(capsys, model, "--text", text, "--threshold", "1")[0]["mentions"] == []
    (greedy,) = tagged(capsys, model, "--text", text, "--threshold", "0", "--recall")
    assert len(greedy["mentions"]) > len(nested["mentions"])


def test_what_was_done_to_the_input_is_told(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"text": TEXT}), encoding="utf-8")
    assert tag(model, str(path)) == 0
    assert "1 document without tokens tokenised as en" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "1 file without a document (first: "),
        ("table.tsv", b"id\ttext\n1\tLima\n", "--input text takes the file for plain text"),
        ("words.conll", "café O\n".encode("latin-1"), "iconv -f latin1"),
    ],
)
def test_files_that_are_not_what_was_meant(
    name: str, content: bytes, message: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert tag(model, str(tmp_path / name)) == (0 if not content else 2)
    assert message in capsys.readouterr().err


def test_if_no_document_can_be_read_nothing_is_written(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = tmp_path / "list.json", tmp_path / "out.jsonl"
    output.write_text("before", "utf-8")
    path.write_text(f'[{{"text": "{TEXT}"}}]', "utf-8")
    assert tag(model, str(path), "-o", str(output)) == 2
    error = capsys.readouterr().err
    assert "put one JSON object on each line, as jq -c '.[]' does with a JSON list" in error
    assert error.endswith("fofe: 1 document left out for the reasons given above; none tagged\n")
    assert output.read_text("utf-8") == "before"


OTHER_KINDS = [
    ("Lima\n".encode("utf-16"), "is UTF-16, not text in UTF-8 (convert it: iconv -f utf-16 -t utf-8)"),
    ("Lima\n".encode("utf-32"), "is UTF-32, not text in UTF-8 (convert it: iconv -f utf-32 -t utf-8)"),
    ("Hi\n".encode("utf-16-le"), "holds NUL bytes, as no text does (of UTF-16 text"),
    ("Lima\n".encode("utf-16-be"), "holds NUL bytes, as no text does (of UTF-16 text"),
    (
        gzip.compress(b"Lima\n", mtime=0),
        "is packed by gzip, not text in UTF-8 (unpack it with gunzip, or read it by zcat",
    ),
    (bz2.compress(b"Lima\n"), "is packed by bzip2"),
    (lzma.compress(b"Lima\n"), "is packed by xz"),
    (b"PK\x03\x04" + bytes(20), "is a zip archive"),
    (b"\x89PNG\r\n\x1a\n\0\0", "is a PNG image"),
    (b"%PDF-1.4\n%\xe2\xe3", "is a PDF document"),
]


@pytest.mark.parametrize("stream", [False, True], ids=["file", "stdin"])
@pytest.mark.parametrize(("content", "message"), OTHER_KINDS)
def test_what_is_no_text_is_refused_as_a_whole(
    content: bytes,
    message: str,
    stream: bool,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, output = tmp_path / "input", tmp_path / "output"
    path.write_bytes(content)
    give_stdin(monkeypatch, content)
    assert tag(model, "-" if stream else str(path), "-o", str(output)) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"fofe: {'<stdin>' if stream else path}: {message}")
    assert error.count("\n") == 1
    assert not output.exists()


@pytest.mark.parametrize("stream", [False, True], ids=["file", "stdin"])
@pytest.mark.parametrize("before", [0, 1, 5000])
def test_a_line_with_a_nul_byte_is_left_out_wherever_it_stands(
    before: int,
    stream: bool,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, content = tmp_path / "x.txt", b"\n" * before + b"Anna\0 Berg left.\nIn Lima it rained all day.\n"
    path.write_bytes(content)
    give_stdin(monkeypatch, content)
    assert tag(model, "-" if stream else str(path), "-f", "tsv") == 1
    name, (out, err) = "<stdin>" if stream else path, capsys.readouterr()
    assert [line.split("\t")[-1] for line in out.splitlines()] == ["Lima"]
    assert f"fofe: {name}:{before + 1}: holds NUL bytes, as no text does (" in err


def test_files_and_rows_with_nul_bytes_are_left_out(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_bytes(b"text\nAnna\0 left.\nIn Lima it rained.\n")
    assert tag(model, str(tmp_path / "a.csv"), "-f", "text") == 1
    out, err = capsys.readouterr()
    assert out == "In [Lima GPE] it rained.\n"
    assert "a.csv:2: holds NUL bytes" in err
    (tmp_path / "a.txt").write_bytes(b"In Lima it rained.\nAnna\0 left.\n")
    assert tag(model, str(tmp_path / "a.txt"), "--unit", "file") == 2
    assert "a.txt:2: holds NUL bytes" in capsys.readouterr().err


def test_text_that_only_speaks_of_pdf_is_text(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, b"%PDF-1.4 is how such a file begins.\n")
    assert len(tagged(capsys, model)) == 1


def test_a_file_among_others_that_is_no_text_fails_alone_where_files_are_documents(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_bytes("Lima\n".encode("utf-16"))
    (tmp_path / "b.txt").write_bytes(b"In Lima it rained all day.\n")
    paths = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    assert tag(model, "--unit", "file", *paths) == 1
    captured = capsys.readouterr()
    assert found(json.loads(captured.out)) == [("Lima", "GPE")]
    assert f"{paths[0]}: is UTF-16" in captured.err


def test_patterns_may_be_quoted(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, town in (("p1.txt", "Lima"), ("p2.txt", "Oslo"), ("q.txt", "Rome")):
        (tmp_path / name).write_text(f"Anna left {town}.\n", "utf-8")
    assert tag(model, str(tmp_path / "p*.txt"), "-f", "jsonl") == 0
    texts = [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()]
    assert texts == ["Anna left Lima.", "Anna left Oslo."]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.txt"], "none.txt: cannot be read: No such file or directory (give the name of a file)"),
        ([TEXT], "takes the text itself with --text"),
        (["FOLDER"], "holds no corpus or .txt or .csv file (only files right in it are read"),
        (["FOLDER", "--input", "text"], "holds no .txt file (only files right in it"),
        (
            ["LATIN", "--text-column", "body"],
            "--text-column goes with csv, tsv and parquet files (give --in",
        ),
        (["none.jsonl"], "none.jsonl: there is no such file"),
        (["LATIN", "--strict"], "latin.txt:2: byte 0xe9 at offset 3 of the line is not UTF-8"),
        (["LATIN", "--strict", "--unit", "file"], "latin.txt:2: byte 0xe9"),
        (["--text", "x", "none.txt"], "give either --text or files, not both"),
        (["--text", "x", "--strategy", "best"], "strategy must be one of"),
        (["--text", "x", "--threshold", "2"], "threshold must be a number from 0 to 1, not 2.0"),
        (["--text", "x", "--alternatives", "-1"], "must be a whole number of at least 0, not -1"),
        (["--text", "x", "-o", "/none/such/out.jsonl"], "out.jsonl: cannot be written"),
        (
            ["--text", "x", "-o", "x.bioes"],
            "x.bioes: has the suffix of a format that tagging does not write (write .j",
        ),
        (["--text", "x", "-o", "x.spacy"], "x.spacy: has the suffix of a format that tagging does not write"),
        (
            ["--text", "x", "-f", "text", "--alternatives", "1"],
            "--alternatives is not shown in text: give --format jsonl or tsv",
        ),
        (["--text", "x", "--strategy", "non-crossing", "--no-nested"], "non-crossing is nested by nature"),
        (["--text", "x", "--unit", "file"], "--input and --unit are of files, not of --text"),
        (["--text", "x", "--input", "conll"], "--input and --unit are of files, not of --text"),
        (
            ["--text", "x", "-o", "x.docx"],
            "x.docx: has an unknown suffix (known: .jsonl, .ndjson, .json, .conll, .iob2, .bio, .tsv",
        ),
        (["--text", "x", "-o", "x.csv"], "x.csv: has the suffix of a format that tagging does not write"),
        (["--text", "x", "-o", "x.csv", "--redact"], "not write (redacted text goes into .txt or .jsonl"),
        (["CORPUS", "--text-column", "body"], "and parquet files (leave it out: a corpus names its texts"),
        (["CORPUS", "--unit", "file"], "a.jsonl is none: name the texts, or leave it out"),
        (["in.parquet", "-o", "out.parquet", "--unit", "file"], "--unit does not go with parquet"),
        (
            ["--text", "x", "-o", "x.html", "--offsets", "utf16"],
            "--offsets is not shown in html: give --format jsonl or tsv",
        ),
        (["--text", "x", "--device", "cuda"], "--device goes with --engine torch (leave it out)"),
        (["--text", "x", "--device", "cpu", "--engine", "spark"], "--device goes with --engine torch"),
        (["in.parquet", "-o", "out.parquet", "--device", "cuda"], "--device goes with --engine torch"),
        (["--text", "x", "--master", "local[2]"], "--master goes with --engine spark"),
        (["--text", "x", "--engine", "spark"], "--engine spark reads files of lines and parquet, not --text"),
        (["in.txt", "--engine", "spark", "--workers", "2"], "--engine spark shares work by --master"),
        (["--text", "x", "--text-column", "body"], "--text-column goes with csv, tsv and parquet files"),
    ],
)
def test_mistakes_end_with_one_line_and_code_2(
    arguments: list[str], message: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "latin.txt").write_bytes("Lima\ncafé\n".encode("latin-1"))
    (tmp_path / "a.jsonl").write_text('{"text": "Lima"}\n', "utf-8")
    given = {"LATIN": tmp_path / "latin.txt", "FOLDER": tmp_path / "empty", "CORPUS": tmp_path / "a.jsonl"}
    (tmp_path / "empty").mkdir()
    arguments = [str(given.get(word, word)) for word in arguments]
    assert tag(model, *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("fofe: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("input", "output"),
    [
        (["x.txt"], "x.txt"),
        (["x.txt"], "link.txt"),
        (["y.jsonl", "x.jsonl"], "x.jsonl"),
        (["corpora"], "corpora/a.jsonl"),
        (["brat"], "brat/a.txt"),
        (["brat/a.ann"], "brat/a.txt"),
        (["x.parquet"], "x.parquet"),
        (["folder.parquet"], "folder.parquet/a.parquet"),
    ],
)
def test_the_input_is_not_written_over(
    input: list[str], output: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contents = {
        "x.txt": TEXT,
        "x.jsonl": json.dumps({"text": TEXT}),
        "y.jsonl": json.dumps({"text": TEXT}),
        "corpora/a.jsonl": json.dumps({"text": TEXT}),
        "brat/a.txt": TEXT,
        "brat/a.ann": "",
        "x.parquet": "",
        "folder.parquet/a.parquet": "",
    }
    for name, content in contents.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    (tmp_path / "link.txt").symlink_to("x.txt")
    path = str(tmp_path / output)
    assert tag(model, *(str(tmp_path / name) for name in input), "-o", path) == 2
    assert capsys.readouterr().err == f"fofe: {path}: is the input itself (choose another name)\n"
    assert {name: (tmp_path / name).read_text("utf-8") for name in contents} == contents


def test_what_was_written_before_and_devices_may_be_written_again(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.txt").write_text(TEXT, "utf-8")
    (tmp_path / "x.jsonl").write_text("old", "utf-8")
    assert tag(model, str(tmp_path / "x.txt"), "-o", str(tmp_path / "x.jsonl")) == 0
    assert json.loads((tmp_path / "x.jsonl").read_text("utf-8"))["text"] == TEXT
    assert tag(model, "/dev/null", "-o", "/dev/null") == 0
    assert "is the input itself" not in capsys.readouterr().err


def test_standard_input_is_not_written_over(model: str, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(TEXT, "utf-8")
    with path.open() as stream:
        command = [sys.executable, "-m", "fofe", "tag", "--model", model, "-o", str(path)]
        result = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "x.txt: is the input itself" in result.stderr
    assert path.read_text("utf-8") == TEXT


def test_standard_output_in_a_directory_is_no_part_of_it(model: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(TEXT, "utf-8")
    with (tmp_path / "out.jsonl").open("w") as stream:
        command = [sys.executable, "-m", "fofe", "tag", "--model", model, str(tmp_path)]
        subprocess.run(command, stdout=stream, check=True)
    assert json.loads((tmp_path / "out.jsonl").read_text("utf-8"))["text"] == TEXT


def test_of_mentions_that_cross_text_shows_that_of_a_rule(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rule]]\nname = "a"\ntype = "A"\naction = "replace"\nphrases = ["Berg met"]\n', "utf-8"
    )
    assert main(["tag", "--model", model, "-t", TEXT, "-f", "text", "--rules", str(rules)]) == 0
    told = capsys.readouterr()
    assert told.out == "Anna [Berg met A] the [mayor PER_NOM] of [Bergen GPE].\n"
    assert "1 mention left out for crossing others, which text cannot show" in told.err


def test_missing_and_broken_models(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tag(str(tmp_path / "none"), "--text", TEXT) == 2
    assert (
        "none: there is no such model directory, and no installed model has that name"
        in capsys.readouterr().err
    )
    assert tag(str(tiny_path.parent), "--text", TEXT) == 2
    error = capsys.readouterr().err
    assert f"{tiny_path.parent}: holds no model (give {tiny_path})" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "option",
    [["--format", "xml"], ["--threshold", "high"], ["--offsets", "feet"], ["--unit"], ["--workers", "0"]],
)
def test_values_that_no_option_has(option: list[str], model: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        tag(model, *option)
    assert caught.value.code == 2
    assert f"argument {option[0]}" in capsys.readouterr().err.replace("-f/", "")


def test_a_reader_that_leaves_early_is_no_error(model: str, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(f"{TEXT}\n" * 4000, encoding="utf-8")
    command = f'"{sys.executable}" -m fofe tag --model "{model}" "{path}"'
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -n 1"], capture_output=True, text=True, check=False
    )
    assert json.loads(result.stdout)["text"] == TEXT
    assert result.stderr == ""
    assert result.returncode == 0
