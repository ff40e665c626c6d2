from __future__ import annotations

import io
from pathlib import Path

import pytest

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats import brat
from fofe.text.document import Document, Mention


def pair(folder: Path, name: str, text: str, annotation: str | None) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Path(f"{path}.txt").write_bytes(text.encode())
    if annotation is not None:
        Path(f"{path}.ann").write_bytes(annotation.encode())


def load(path: Path) -> tuple[list[Document], Report]:
    report = Report()
    return list(brat.read(path, report)), report


def test_a_pair_of_files(tmp_path: Path) -> None:
    pair(tmp_path, "d", "Ana saw\nher mother 👍 Bo", "T1\tPER 0 3\tAna\nT2\tPER_NOM 4 18\tsaw her mother\n")
    (document,), report = load(tmp_path / "d.ann")
    assert document == Document(
        "Ana saw\nher mother 👍 Bo",
        mentions=[Mention(0, 3, "PER", text="Ana"), Mention(4, 18, "PER", "NOM", text="saw\nher mother")],
        id="d",
    )
    assert not report
    assert load(tmp_path / "d.txt")[0] == [document]


def test_a_directory_is_read_in_order_with_what_is_below_it(tmp_path: Path) -> None:
    pair(tmp_path, "b", "", "")
    pair(tmp_path, "a/x.v1", "Rio", "T1\tLOC.NAM 0 3\tRio\n")
    pair(tmp_path, "c", "no annotation", None)
    pair(tmp_path, ".hidden/c", "left behind", "broken")
    (tmp_path / "annotation.conf").write_text("[entities]\nLOC\n")
    documents, report = load(tmp_path)
    assert [document.id for document in documents] == ["a/x.v1", "b", "c"]
    assert documents[0].mentions == [Mention(0, 3, "LOC", text="Rio")]
    assert report.counts == {"texts without an .ann file, read without mentions": 1}


def test_an_empty_directory_is_counted(tmp_path: Path) -> None:
    documents, report = load(tmp_path)
    assert documents == []
    assert report.counts == {"files without a document": 1}


def test_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    pair(tmp_path, "d", "\ufeffAna\r\nBo", "\ufeffT1\tX 0 7\tAna  Bo\r\n\r\n")
    (document,), _ = load(tmp_path)
    assert document.text == "Ana\r\nBo"
    assert document.mentions == [Mention(0, 7, "X", text="Ana\r\nBo")]


def test_what_is_no_continuous_mention_is_counted(tmp_path: Path) -> None:
    annotation = (
        "T1\tPER 0 3;4 6\tAna Bo\nR1\tknows Arg1:T1 Arg2:T2\nE1\tX:T1\nA1\tNeg T1\nM1\tNeg T1\n"
        "N1\tReference T1 Wikidata:Q1\n#1\tNote T1\thm\n*\tEquiv T1 T2\nT2\tPER 4 6\tBo\n"
    )
    pair(tmp_path, "d", "Ana Bo", annotation)
    (document,), report = load(tmp_path)
    assert [mention.text for mention in document.mentions] == ["Bo"]
    assert report.counts == {
        "discontinuous brat mentions left out": 1,
        "brat relations left out": 1,
        "brat events left out": 1,
        "brat attributes left out": 2,
        "brat normalisations left out": 1,
        "brat notes left out": 1,
        "brat equivalences left out": 1,
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T1\tPER 1 4\tAna", "reads 'Ana' but 1:4 of the text is 'na '"),
        ("T1\tPER 4 99\tBo", "span 4:99 is empty or outside the 6 characters"),
        ("T1\tPER 4 4\t", "span 4:4 is empty"),
        ("T1\tPER 0 3", "cannot be read as a mention"),
        ("T1\tPER -1 3\tAna", "cannot be read as a mention"),
        ("T1 PER 0 3 Ana", "cannot be read as a mention"),
        ("nonsense", "'nonsense' is no brat annotation"),
    ],
)
def test_broken_lines_are_errors_that_name_the_line(tmp_path: Path, line: str, message: str) -> None:
    pair(tmp_path, "d", "Ana Bo", f"T9\tPER 0 3\tAna\n{line}\n")
    with pytest.raises(InputError, match=f"d.ann:2: .*{message}"):
        load(tmp_path)


def test_annotation_without_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lost.ann").write_text("")
    with pytest.raises(InputError, match=r"lost.ann: there is no .txt file"):
        load(tmp_path)


def test_latin1_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_bytes("é".encode("latin1"))
    with pytest.raises(InputError, match=r"d.txt:1: byte 0xe9"):
        load(tmp_path)


def test_file_names_are_safe_and_unique(tmp_path: Path) -> None:
    ids = ["../etc/passwd", "a/b", "a_b", "A_B", "", "...", "a\0b", "名前", "長" * 300]
    report = Report()
    brat.write((Document("x", id=id) for id in ids), tmp_path / "new" / "out", report)
    documents, _ = load(tmp_path / "new" / "out")
    assert sorted(document.id for document in documents) == sorted(
        [
            "_etc_passwd",
            "a_b",
            "a_b-2",
            "A_B-3",
            "document-000005",
            "document-000006",
            "a_b-4",
            "名前",
            "長" * 66,
        ]
    )
    assert report.counts == {"document ids changed to fit a file name": 7}


def test_what_brat_cannot_hold_is_counted(tmp_path: Path) -> None:
    document = Document.from_words([["Ana", "\ud800"]], id="d", meta={"genre": "news"})
    document.mentions = [Mention(0, 3, "a type", score=0.5)]
    report = Report()
    brat.write([document], tmp_path, report)
    assert (tmp_path / "d.txt").read_text(encoding="utf-8") == "Ana \ufffd"
    assert (tmp_path / "d.ann").read_text(encoding="utf-8") == "T1\ta_type 0 3\tAna\n"
    assert report.counts == {
        "documents written without metadata, which brat cannot hold": 1,
        "documents written without tokens, which brat cannot hold": 1,
        "labels with whitespace written with underscores": 1,
        "lone surrogates written as U+FFFD": 1,
        "mention scores that brat cannot hold": 1,
    }


def test_only_a_new_or_empty_directory_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("old")
    with pytest.raises(InputError, match="the directory is not empty"):
        brat.write([Document("x")], tmp_path, Report())
    with pytest.raises(InputError, match="cannot be written"):
        brat.write([Document("x")], tmp_path / "old.txt", Report())
    for stream in (io.StringIO(), "-"):
        with pytest.raises(InputError, match="needs a directory"):
            brat.write([Document("x")], stream, Report())
