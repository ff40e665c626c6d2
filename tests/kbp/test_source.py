from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.kbp.source import Reading, SourceDocument, read_sources, source_files

from .conftest import BODY, FORUM, NEWSWIRE

if TYPE_CHECKING:
    from tests.conftest import LeastSeconds

Read = Callable[..., SourceDocument]


def place(document: SourceDocument, string: str) -> tuple[int, int]:
    """Where a string that is shown stands in the source."""
    start = document.shown.text.index(string)
    return document.shown.to_source(start, start + len(string))


def authors(document: SourceDocument) -> list[str]:
    return [document.text[start:end] for start, end in document.authors]


def test_newswire(read: Read) -> None:
    document = read(NEWSWIRE)
    assert document.id == "ENG_NW_1"
    assert document.shown.text.split("\n\n") == [
        "Mayor of Bergen meets AT&T",
        "BERGEN, Norway",
        "Anna Berg met the mayor of Bergen.",
        "It rained all day.",
    ]
    assert authors(document) == []
    start, end = place(document, "Anna Berg")
    assert NEWSWIRE[start:end] == "Anna Berg"


def test_forum_authors_are_named_and_quotes_left_out(read: Read) -> None:
    document = read(FORUM)
    assert document.shown.text.split("\n\n") == [
        "Who lives in Leeds?",
        "I live in Leeds <3",
        "So does Li Wei.",
    ]
    assert authors(document) == ["Omar Haddad", "anna_b"]
    with_quotes = read(FORUM, quotes=True)
    assert with_quotes.shown.text.count("I live in Leeds <3") == 2


def test_body_variant(read: Read) -> None:
    document = read(BODY)
    assert document.id == "eng-WL-11-1"
    assert document.shown.text.split("\n\n") == ["In Lima it rained", "In Lima it rained all day."]
    assert authors(document) == ["Grace Otieno"]


def test_offsets_count_from_the_first_tag_or_from_the_file(read: Read) -> None:
    declaration = len(FORUM.splitlines()[0]) + 1
    start, end = place(read(FORUM), "Li Wei")
    assert FORUM[declaration:][start:end] == "Li Wei"
    assert place(read(FORUM, from_file=True), "Li Wei") == (start + declaration, end + declaration)


def test_character_references_count_as_written(read: Read) -> None:
    document = read('<doc id="d">A&amp;B &#20013;&#x6587; &lt;b&gt; &nope; x</doc>')
    assert document.shown.text == "A&B 中文 <b> &nope; x"
    start, end = place(document, "A&B")
    assert document.text[start:end] == "A&amp;B"
    start, end = place(document, "中文")
    assert document.text[start:end] == "&#20013;&#x6587;"


def test_a_border_inside_a_character_reference_is_not_shown(read: Read) -> None:
    document = read('<doc id="d">A&amp;B</doc>')
    begin = document.text.index("A&")
    assert document.shown.from_source(begin, begin + 1) == (0, 1)
    assert document.shown.from_source(begin, begin + 3) is None
    assert document.shown.from_source(begin + 2, begin + 7) is None
    assert document.shown.from_source(begin, begin + 6) == (0, 2)
    assert document.shown.from_source(0, 4) is None  # in the tag
    assert document.shown.from_source(len(document.text), len(document.text) + 3) is None


def test_tags_within_a_sentence_do_not_divide_it(read: Read) -> None:
    document = read('<doc id="d">Anna <b>Be</b>rg <a href="x">went</a> home.<br/>Then</doc>')
    assert document.shown.text == "Anna Berg went home.\n\nThen"
    start, end = place(document, "Anna Berg")
    assert document.text[start:end] == "Anna <b>Be</b>rg"


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("author='Anna'", "Anna"),
        ('author = "Anna"', "Anna"),
        ("author=Anna", "Anna"),
        ("author='An\"na'", 'An"na'),
        ('author="An&quot;na"', "An&quot;na"),
        ('author="An\'na"', "An'na"),
        ('author=" Anna Berg "', "Anna Berg"),
        ('author="<3 anna >"', "<3 anna >"),
        ('AUTHOR="Anna"', "Anna"),
        ('title="author=\'Omar\'" author="Anna"', "Anna"),
        ('author="安娜😀"', "安娜😀"),
    ],
)
def test_attributes_however_they_are_written(markup: str, name: str, read: Read) -> None:
    assert authors(read(f'<doc id="d"><post id="1" {markup} datetime="x">Hi</post></doc>')) == [name]


def test_running_text_with_angle_brackets(read: Read) -> None:
    text = "if a<b and c>d then <3 or <- x <john@x.org> <http://x.org> 3 < 4"
    assert read(f'<doc id="d">{text}</doc>').shown.text == text


def test_unclosed_elements(read: Read) -> None:
    report = Report()
    document = read(
        '<DOC id="d"><HEADLINE>One<DATETIME>2007<TEXT><P>Two<P>Three'
        '<post author="a">Four<quote>no<quote>no<post author="b">Five</quote>',
        report=report,
    )
    assert document.shown.text.split("\n\n") == ["One", "Two", "Three", "Four", "Five"]
    assert authors(document) == ["a", "b"]
    assert set(report.counts) == {
        "tags <datetime> never closed",
        "quotes never closed, ended with the post",
        "tags </quote> without an open quote",
        "documents without </DOC>",
    }


def test_nested_quotes(read: Read) -> None:
    text = '<doc id="d"><post author="a">1<quote>x<quote>y</quote>z</quote>2<quote/>3</post></doc>'
    assert read(text).shown.text.split("\n\n") == ["1", "2", "3"]
    assert read(text, quotes=True).shown.text.split("\n\n") == ["1", "x", "y", "z", "2", "3"]


def test_broken_attributes_are_told(read: Read) -> None:
    report = Report()
    document = read(
        '<doc id="d"><post author="Joe "X" Hill" id=>Hi <a href="u>there</a></post></doc>', report=report
    )
    assert document.shown.text == "Hi there"
    assert authors(document) == ["Joe"]
    assert report.counts["tags with broken attributes"] == 2


def test_a_document_without_an_id_is_called_by_its_file(read: Read) -> None:
    report = Report()
    assert (
        read("<doc>Hi</doc>", name="AFP_ENG_20100414.0615.mpdf.xml", report=report).id
        == "AFP_ENG_20100414.0615"
    )
    assert report.counts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"Hello", "has no <DOC> tag"),
        (b'<doc id="d">caf\xe9</doc>', "byte 0xe9 at offset 15 is not UTF-8"),
        (b'<doc id="d"><post author="x', "document d: the tag <post at offset 12 never ends"),
        (b'<doc id="d"', "document d: the tag <doc at offset 0 never ends"),
        (b'<doc id="d">a <!-- b', "document d: the comment at offset 14 never ends"),
        (b'<doc id="d e">a</doc>', "the id 'd e' has a space in it"),
    ],
)
def test_what_cannot_be_read_is_named(text: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_bytes(text)
    (error,) = read_sources(path, Reading(), Report())
    assert isinstance(error, InputError)
    assert message in str(error)
    assert str(path) in str(error)


def test_several_documents_in_one_file_one_of_them_bad(tmp_path: Path) -> None:
    path = tmp_path / "two.xml"
    path.write_text(
        '<doc id="a">One</doc>\n<doc id="b"><post author=</doc><doc id="c">Three</doc><doc>x</doc>'
    )
    report = Report()
    a, b, c, d = read_sources(path, Reading(), report)
    assert isinstance(a, SourceDocument)
    assert isinstance(c, SourceDocument)
    assert (a.id, a.shown.text, c.id, c.shown.text) == ("a", "One", "c", "Three")
    assert place(c, "Three") == (12, 17)
    assert "document b: the tag <post at offset 12 never ends" in str(b)
    assert "has no id" in str(d)


def test_text_after_the_end_is_counted(read: Read) -> None:
    report = Report()
    assert read('<doc id="d">in</doc> out', report=report).shown.text == "in"
    assert report.counts["pieces of text after </DOC> left out"] == 1


def test_an_empty_document(read: Read) -> None:
    document = read('<doc id="d"></doc>')
    assert document.shown.text == ""
    assert document.language() is None


def test_entities_that_multiply_are_never_expanded(read: Read) -> None:
    entities = "\n".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    document = read(f'<?xml version="1.0"?>\n<!DOCTYPE doc [\n{entities}\n]>\n<doc id="d">&l9;</doc>')
    assert document.shown.text == "&l9;"


@pytest.mark.parametrize("body", ["<post author='x'>Hello &amp; <quote>", 'a <b c="', "< ", "<a  "])
def test_time_grows_with_the_length_alone(body: str, read: Read, least_seconds: LeastSeconds) -> None:
    def seconds(length: int) -> float:
        return least_seconds(lambda: read('<doc id="d">' + body * (length // len(body))))

    assert seconds(200_000) < 40 * max(seconds(20_000), 0.003)  # 100 times as long if time grew as its square


def test_files_of_directories_come_in_order(tmp_path: Path) -> None:
    for name in ("b.xml", "a.xml", ".hidden", "sub/c.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = source_files([str(tmp_path), str(tmp_path / "a.xml")])
    assert [file.relative_to(tmp_path).as_posix() for file in found] == ["a.xml", "b.xml", "sub/c.xml"]
    with pytest.raises(InputError, match="No such file"):
        source_files([str(tmp_path / "none")])


TEXT = st.text(st.sampled_from("ab 中😀e\u0301<>&;'\"/=\n\t!-?#xdocpstquiae"), max_size=60)


@given(TEXT)
def test_every_character_that_is_shown_stands_in_the_source(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.xml"
    path.write_text(f'<doc id="d">{text}</doc>', encoding="utf-8", newline="")
    for document in read_sources(path, Reading(), Report()):
        if isinstance(document, InputError):
            continue
        shown = document.shown
        for position, character in enumerate(shown.text):
            if character == "\n" and shown.text[max(0, position - 1) : position + 2].count("\n") > 1:
                continue  # between blocks
            start, end = shown.to_source(position, position + 1)
            assert document.text[start:end] == character or document.text[start] == "&"
            assert shown.from_source(start, end) == (position, position + 1)
