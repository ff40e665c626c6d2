"""LTF, the form in which the LDC ships documents: the same text, offsets and mentions as its source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fofe
from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.cli import main
from fofe.kbp.convert import to_training
from fofe.kbp.source import Reading, SourceDocument, read_all, read_sources, source_files
from fofe.kbp.tab import read_tab
from fofe.kbp.tag import mentions_in_source

from .conftest import BODY, FORUM, NEWSWIRE, as_ltf

Read = Callable[..., SourceDocument]


@pytest.mark.parametrize("raw", [NEWSWIRE, FORUM.split("\n", 1)[1], BODY], ids=["newswire", "forum", "body"])
def test_ltf_of_a_source_is_read_as_the_source(raw: str, read: Read) -> None:
    source, ltf = read(raw), read(as_ltf(raw, "other.nw.xml"), "x.ltf.xml")
    assert (ltf.id, ltf.text, ltf.authors) == (source.id, raw, source.authors)
    assert ltf.shown.text == source.shown.text
    assert ltf.is_ltf


def test_ltf_of_plain_text_has_its_own_id_and_language(read: Read) -> None:
    document = read(as_ltf("Anna Berg\n\nAT&T 😀 <3\n", "NEWS_1.rsd.txt", "spa"), "x.ltf.xml")
    assert (document.id, document.language()) == ("NEWS_1", "spa")
    assert document.shown.text == "Anna Berg\n\nAT&T 😀 <3"
    assert document.shown.to_source(11, 15) == (11, 15)


def test_offsets_point_into_the_raw_text_whatever_stands_before_the_tag(read: Read) -> None:
    document = read(as_ltf(FORUM, "ENG_DF_1"))
    start = document.shown.text.index("Li Wei")
    assert document.shown.to_source(start, start + 6)[0] == FORUM.index("Li Wei")


@pytest.mark.parametrize("between", ["\n", " "])
def test_the_md5_decides_what_stands_between_segments(between: str, read: Read) -> None:
    raw, report = f"One.{between}Two.", Report()
    ltf = as_ltf("One.\nTwo.", "d").replace(
        as_ltf("One.\nTwo.", "d").split('md5="')[1][:32], as_ltf(raw, "d").split('md5="')[1][:32]
    )
    assert read(ltf, report=report).text == raw
    assert not report


def test_another_md5_is_told(read: Read) -> None:
    report = Report()
    assert read(as_ltf("One.\nTwo.", "d", md5="0" * 32), report=report).text == "One.\nTwo."
    assert "1 LTF document whose raw text has another MD5" in report.lines()[0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('length="9"', 'length="8"', "d: raw_text_char_length is 8, but its segments end at 9"),
        ('end_char="3">\n<O', 'end_char="4">\n<O', "d: segment segment-0 has 4 characters at 0-4"),
        ('start_char="5" end_char="8">\n<O', 'start_char="2" end_char="5">\n<O', "segment-1 has 4"),
        ('start_char="0"', 'start_char=""', "d: <SEG id='segment-0'> has no place in the raw text"),
        ("</SEG>", "", "is not well-formed XML"),
    ],
)
def test_broken_ltf_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "d.ltf.xml"
    path.write_text(as_ltf("One.\nTwo.", "d").replace(old, new, 1), encoding="utf-8")
    (error,) = read_sources(path, Reading(), Report())
    assert isinstance(error, InputError)
    assert message in str(error)
    assert str(path) in str(error)


def test_a_document_in_both_forms_is_read_once_from_its_source(tmp_path: Path) -> None:
    (tmp_path / "a.ltf.xml").write_text(as_ltf(NEWSWIRE, "ENG_NW_1"), encoding="utf-8")
    (tmp_path / "b.ltf.xml").write_text(as_ltf(BODY, "eng-WL-11-1"), encoding="utf-8")
    (tmp_path / "c.xml").write_text(NEWSWIRE, encoding="utf-8")
    (tmp_path / "README.txt").write_text("These are documents.", encoding="utf-8")
    (tmp_path / "quote_regions.tab").write_text("ENG_NW_1\t1\t2\n", encoding="utf-8")
    report, bad = Report(), list[InputError]()
    documents = list(read_all(source_files([str(tmp_path)], report), Reading(), report, bad))
    assert [(one.id, one.is_ltf) for one in documents] == [("ENG_NW_1", False), ("eng-WL-11-1", True)]
    assert not bad
    assert report.counts["documents given as source and as LTF, read once, from the source"] == 1
    assert report.counts["files without a document left out"] == 2


def test_tokens_of_ldc_on_request(read: Read) -> None:
    raw = '<doc id="ENG_1">\n<P>\nAnna Berg\'s AT&amp;T, ok. Then\n</P>\n<quote>\nno no\n</quote>\n</doc>\n'
    ldc = to_training(read(as_ltf(raw, "x"), ltf_tokens=True), [], Report())
    assert [sentence.words for sentence in ldc.sentences] == [["Anna", "Berg's", "AT&T,", "ok.", "Then"]]
    own = to_training(read(as_ltf(raw, "x")), [], Report())
    assert len(own.sentences) == 2
    assert all(ldc.text[token.start : token.end] == token.text for token in ldc.tokens)


def test_ltf_is_tagged_at_the_offsets_of_its_source(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = []
    for form, text in (("source", NEWSWIRE), ("ltf", as_ltf(NEWSWIRE, "ENG_NW_1"))):
        folder = tmp_path / form
        folder.mkdir()
        (folder / "d.xml").write_text(text, encoding="utf-8")
        output = tmp_path / f"{form}.tab"
        assert main(["kbp", "tag", "-m", f"eng={tiny_path}", str(folder), "-o", str(output)]) == 0
        runs.append(read_tab(output, Report()))
    assert runs[0] == runs[1]
    ldc = tmp_path / "ldc.tab"
    model = f"eng={tiny_path}"
    assert main(["kbp", "tag", "-m", model, str(folder), "-o", str(ldc), "--tokens", "ldc"]) == 0
    assert "Anna Berg" in {row.text for row in read_tab(ldc, Report())}
    assert main(["kbp", "check", str(ldc), str(tmp_path / "source")]) == 0


PEOPLE = ("Anna Berg", "Li Wei", "安娜 😀", "e\u0301te\u0301", "AT&T", "a<b", "Omar Haddad")
SENTENCE = st.builds("{} met the mayor of {}.".format, st.sampled_from(PEOPLE), st.sampled_from(PEOPLE))
PARAGRAPHS = st.lists(st.lists(SENTENCE, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4)


def places(source: SourceDocument, model: fofe.Model) -> list[tuple[int, int, str, str, float]]:
    """What a model finds, at the offsets of what is shown."""
    rows = mentions_in_source(source, model(source.shown.text).mentions)
    found = [(source.shown.from_source(row.start, row.end), row) for row in rows]
    return [(*place, row.type, row.kind, row.score) for place, row in found if place is not None]


@settings(max_examples=25)
@given(PARAGRAPHS)
def test_ltf_source_and_plain_text_have_the_same_mentions(
    tmp_path_factory: pytest.TempPathFactory, tiny_model: fofe.Model, paragraphs: list[str]
) -> None:
    plain = "\n\n".join(paragraphs)
    blocks = [one.replace("&", "&amp;").replace("<", "&lt;") for one in paragraphs]
    source = '<DOC id="ENG_1" type="story">\n<TEXT>\n{}</TEXT>\n</DOC>\n'.format(
        "".join(f"<P>\n{block}\n</P>\n" for block in blocks)
    )
    expected = [
        (one.start, one.end, one.type, one.kind, round(one.score, 6)) for one in tiny_model(plain).mentions
    ]
    path = tmp_path_factory.getbasetemp() / "same.xml"
    for text in (source, as_ltf(source, "ENG_1"), as_ltf(plain, "ENG_1")):
        path.write_text(text, encoding="utf-8", newline="")
        (document,) = read_sources(path, Reading(), Report())
        assert isinstance(document, SourceDocument)
        assert document.shown.text == plain
        assert places(document, tiny_model) == expected
