from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fofe.base.errors import InputError
from fofe.formats import FORMATS, Report, guess_format, read_corpus, write_corpus
from fofe.text.align import align
from fofe.text.document import Document

CONLL = "Rio B-LOC\n"
JSONL = '{"text": "Ana"}\n'


def texts(path: str | Path, format: str | None = None, report: Report | None = None) -> list[str]:
    return [document.text for document in read_corpus(path, format, report)]


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.conll", "", "conll"),
        ("a.IOB2", "", "conll"),
        ("a.jsonl", "", "jsonl"),
        ("a.ann", "", "brat"),
        ("eng.train", "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\n", "conll"),
        ("plain", "\ufeff# text = EU\n1\tEU\tB-ORG\t-\n", "conll"),
        ("unnamed", '\n {"text": "a"}\n', "jsonl"),
    ],
)
def test_formats_are_recognised(tmp_path: Path, name: str, content: str, format: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert guess_format(tmp_path / name) == format
    assert format in FORMATS


@pytest.mark.parametrize("content", ["", "Just some prose.\n", "# only\n"])
def test_what_is_not_recognised_must_be_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=r"cannot be guessed \(.*name the format: conll, .*doccano\)"):
        guess_format(path)


def test_text_with_an_annotation_file_is_brat(tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("Rio")
    (tmp_path / "d.ann").write_text("T1\tLOC 0 3\tRio\n")
    assert guess_format(tmp_path / "d.txt") == guess_format(tmp_path) == "brat"
    assert texts(tmp_path / "d.txt") == texts(tmp_path) == ["Rio"]


def test_mentions_of_no_type_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.conll"
    path.write_text("Soup B-NONE\n\n")
    with pytest.raises(
        InputError, match=r"corpus.conll: has mentions of type NONE, which stands for none \("
    ):
        texts(path)


def test_white_space_around_a_type_makes_no_other_type(tmp_path: Path) -> None:
    path, report = tmp_path / "corpus.jsonl", Report()
    lines = (f'{{"tokens": ["Abba"], "entities": [[0, 1, "{type}"]]}}\n' for type in ("BAND ", "BAND"))
    path.write_text("".join(lines))
    found = [document.mentions[0].type for document in read_corpus(path, report=report)]
    assert found == ["BAND", "BAND"]
    assert report.lines() == ["1 label with white space at an end, which was left out (first: 'BAND ')"]


def test_only_documents_are_written(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"a document is a fofe.Document, not of type str \(model\(text\) gives"
    ):
        write_corpus(["a"], tmp_path / "out.jsonl")  # type: ignore[list-item]
    assert not (tmp_path / "out.jsonl").exists()


def test_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown format 'xml' \(use one of conll, jsonl, brat, .*\)"):
        write_corpus([], "out.xml", "xml")


def test_directories_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "b.conll").write_text(CONLL)
    (tmp_path / "a.jsonl").write_text(JSONL)
    (tmp_path / "README.md").write_text("About this corpus.")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "c.conll").write_text(CONLL)
    report = Report()
    assert texts(tmp_path, report=report) == ["Ana", "Rio"]
    assert report.counts == {
        "files of other kinds left out": 1,
        "directories inside of one left out": 1,
    }
    assert texts(tmp_path / "*.conll") == ["Rio"]
    with pytest.raises(InputError, match=r"README.md:1: "):
        texts(tmp_path, "conll")


def brat_pair(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "p.txt").write_text(text)
    (folder / "p.ann").write_text("")


def test_a_pair_of_brat_hides_no_other_corpus(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(JSONL)
    (tmp_path / "notes.txt").write_text("Plain.")
    brat_pair(tmp_path / "old", "Lima")
    report = Report()
    assert texts(tmp_path, report=report) == ["Ana"]
    assert report.places == {
        "directories inside of one left out": [str(tmp_path / "old")],
        "files of other kinds left out": [str(tmp_path / "notes.txt")],
    }
    brat_pair(tmp_path, "Oslo")
    assert texts(tmp_path) == ["Ana", "Oslo"]


def test_pairs_of_brat_are_read_below_a_directory_without_other_corpora(tmp_path: Path) -> None:
    brat_pair(tmp_path, "Oslo")
    brat_pair(tmp_path / "old", "Lima")
    (tmp_path / "old" / "a.jsonl").write_text(JSONL)
    report = Report()
    assert texts(tmp_path, report=report) == ["Lima", "Oslo"]
    assert report.places == {"files of other kinds left out": [str(tmp_path / "old" / "a.jsonl")]}
    assert guess_format(tmp_path) == "brat"
    write_corpus(read_corpus(tmp_path, report=report), tmp_path / "out.jsonl")
    assert report.counts.total() == 2


def test_a_corpus_can_be_written_into_the_directory_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(CONLL)
    report = Report()
    write_corpus(read_corpus(tmp_path, report=report), tmp_path / "out.jsonl")
    assert texts(tmp_path / "out.jsonl") == ["Rio"]
    assert not report


def test_guessing_a_directory(tmp_path: Path) -> None:
    assert guess_format(tmp_path) == "brat"
    (tmp_path / "b.conll").write_text(CONLL)
    assert guess_format(tmp_path) == "conll"
    (tmp_path / "a.jsonl").write_text(JSONL)
    with pytest.raises(InputError, match="cannot be guessed"):
        guess_format(tmp_path)


def test_nothing_there_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.conll", tmp_path / "*.conll"):
        with pytest.raises(InputError, match="no such file or directory"):
            texts(path)
    with pytest.raises(InputError, match="cannot be guessed"):
        texts("-")


def test_options_go_to_the_format_that_has_them(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("1 Rio B-LOC\n")
    assert [document.text for document in read_corpus(path, token_column=1)] == ["Rio"]
    with pytest.raises(InputError, match=r"reading conll has no option 'spans' \(it has: token_column"):
        list(read_corpus(path, spans="tokens"))
    with pytest.raises(InputError, match=r"writing brat has no option 'scheme' \(it has: none\)"):
        write_corpus([], tmp_path / "out", "brat", scheme="BIO")


def test_writing_guesses_by_suffix_and_takes_streams(tmp_path: Path) -> None:
    documents = [Document.from_words([["Rio"]])]
    write_corpus(documents, tmp_path / "a.jsonl")
    write_corpus(documents, tmp_path / "a.conll", scheme="BILOU")
    assert texts(tmp_path / "a.jsonl") == texts(tmp_path / "a.conll") == ["Rio"]
    stream = io.StringIO()
    write_corpus(documents, stream, "conll")
    assert stream.getvalue() == "Rio O\n\n"
    for target in (stream, "-"):
        with pytest.raises(InputError, match="a stream that is written has no format of its own"):
            write_corpus(documents, target)
    with pytest.raises(InputError, match="cannot be guessed"):
        write_corpus(documents, tmp_path / "a.unknown")


def test_report_names_the_first_places_of_each_remark() -> None:
    report = Report()
    report.found("tag scheme", "IOB1")
    report.found("tag scheme", "IOB1")
    report.found("tag scheme", "BIOES")
    assert not report
    for line in range(1, 6):
        report.note("orphans", f"f:{line}")
    report.note("others")
    assert report
    assert report.lines() == ["tag scheme: IOB1, BIOES", "5 orphans (first: f:1, f:2, f:3)", "1 other"]


def test_words_become_the_tokens_of_the_language(tmp_path: Path) -> None:
    path = tmp_path / "words.conll"
    path.write_text(
        "习近平\tB-PER\n访问\tO\n北京\tB-ORG\n大学2010\tI-ORG\n。\tO\n\n好\tO\n", encoding="utf-8"
    )
    report = Report()
    (document,) = read_corpus(path, "conll", report, language="zh", retokenise=True)
    assert [sentence.words for sentence in document.sentences] == [
        [*"习近平访问北京大学", "2010", "。"],
        ["好"],
    ]
    assert [document.text[token.start : token.end] for token in document.tokens] == [
        token.text for token in document.tokens
    ]
    aligned, rest = align(document)
    assert [span for span, _ in aligned] == [(0, 0, 3), (0, 5, 10)]
    assert not rest
    assert report.counts["documents retokenised as zh"] == 1


def test_cutting_anew_needs_a_language(tmp_path: Path) -> None:
    (tmp_path / "words.conll").write_text(CONLL)
    with pytest.raises(InputError, match="needs a language"):
        list(read_corpus(tmp_path / "words.conll", retokenise=True))


def test_a_new_format_takes_one_module_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: str | Path, report: Report, *, separator: str = "|") -> Iterator[Document]:
        yield from map(Document, Path(path).read_text().split(separator))

    def write(documents: Iterable[Document], path_or_stream: Any, report: Report) -> None:
        Path(path_or_stream).write_text("|".join(document.text for document in documents))

    module: Any = ModuleType("fofe.formats.bars")
    module.read, module.write = read, write
    monkeypatch.setitem(sys.modules, "fofe.formats.bars", module)
    monkeypatch.setitem(FORMATS, "bars", (".bars",))  # the line

    path = tmp_path / "a.bars"
    write_corpus([Document("Ana"), Document("Leeds")], path)
    assert guess_format(path) == "bars"
    assert [document.text for document in read_corpus(path)] == ["Ana", "Leeds"]
    assert len(list(read_corpus(path, separator="x"))) == 1
    with pytest.raises(InputError, match="writing bars has no option 'separator'"):
        write_corpus([], path, separator="x")
