from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats import conll
from fofe.text.document import Document, Mention, Sentence, Token


def load(path: Path, content: str | bytes, **options: Any) -> tuple[list[Document], Report]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    report = Report()
    return list(conll.read(path, report, **options)), report


def dump(documents: list[Document], **options: Any) -> tuple[str, Report]:
    stream, report = io.StringIO(), Report()
    conll.write(documents, stream, report, **options)
    return stream.getvalue(), report


def labelled(document: Document) -> list[tuple[str, str]]:
    return [(document.text[mention.start : mention.end], mention.label) for mention in document.mentions]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "corpus.conll"


def test_words_are_joined_by_spaces_and_sentences_by_newlines(file: Path) -> None:
    (document,), report = load(file, "Maria B-PER\nRuiz I-PER\nvino O\n\nA O\nParis B-LOC\n")
    assert document.text == "Maria Ruiz vino\nA Paris"
    assert document.mentions == [
        Mention(0, 10, "PER", text="Maria Ruiz"),
        Mention(18, 23, "LOC", text="Paris"),
    ]
    assert report.facts == {"tag scheme": ["IOB2"]}
    assert not report


def test_document_starts_split_documents_and_are_no_tokens(file: Path) -> None:
    content = "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\n\n-DOCSTART- -X- O O\n\nBonn NNP I-NP I-LOC\n"
    documents, report = load(file, content)
    assert [document.text for document in documents] == ["EU", "Bonn"]
    assert report.facts == {"tag scheme": ["IOB1"]}


def test_a_document_may_start_before_the_first_start_line(file: Path) -> None:
    documents, _ = load(file, "EU B-ORG\n\n-DOCSTART-\n\nBonn B-LOC\n")
    assert [document.text for document in documents] == ["EU", "Bonn"]


def test_columns_can_be_chosen_and_comments_are_recognised(file: Path) -> None:
    content = "# newdoc\n# text = 李白来\n1\t李白\tB-PER\t-\t-\n2\t来\tO\t-\t-\n"
    (document,), report = load(file, content, token_column=1, tag_column=2)
    assert labelled(document) == [("李白", "PER")]
    assert report.counts["comment lines left out"] == 2
    (same,), _ = load(file, content, token_column=-4, tag_column=-3)
    assert same == document


def test_a_hash_token_stays_a_token(file: Path) -> None:
    for separator in ("\t", " "):
        (document,), report = load(file, f"#{separator}O\nRio{separator}B-LOC\n\n#rio{separator}B-LOC\n")
        assert [token.text for token in document.tokens] == ["#", "Rio", "#rio"]
        assert not report


def test_comments_among_spaces_are_those_without_a_tag(file: Path) -> None:
    (document,), report = load(file, "# id one\nRio B-LOC\n# O\n")
    assert document.text == "Rio #"
    assert report.counts["comment lines left out"] == 1


def test_comments_can_be_forced_either_way(file: Path) -> None:
    (document,), _ = load(file, "# O\nRio B-LOC\n", comments=True)
    assert document.text == "Rio"
    with pytest.raises(InputError, match=r"corpus.conll:1: 'Rio' is not a tag"):
        load(file, "# Rio\nRio B-LOC\n", comments=False)


def test_words_alone_can_be_read(file: Path) -> None:
    (document,), report = load(file, "Rio\nde\n\n#\n", tag_column=None)
    assert [sentence.words for sentence in document.sentences] == [["Rio", "de"], ["#"]]
    assert not document.mentions
    assert not report


def test_lines_of_whitespace_end_a_sentence(file: Path) -> None:
    (document,), _ = load(file, "a\tO\n\t\nb\tO\n \t \nc\tO")
    assert [sentence.words for sentence in document.sentences] == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize(
    ("label", "type", "kind"),
    [
        ("PER.NAM", "PER", "NAM"),
        ("GPE.NOM", "GPE", "NOM"),
        ("PER_NOM", "PER", "NOM"),
        ("cell_line", "cell_line", "NAM"),
        ("creative-work", "creative-work", "NAM"),
        (".NOM", ".NOM", "NAM"),
    ],
)
def test_labels_say_type_and_kind(file: Path, label: str, type: str, kind: str) -> None:
    (document,), _ = load(file, f"x B-{label}\n")
    assert (document.mentions[0].type, document.mentions[0].kind) == (type, kind)


def test_orphan_tags_start_a_mention_and_are_counted_with_their_lines(file: Path) -> None:
    content = "a B-PER\n\nb I-PER\nc I-PER\nd B-LOC\ne I-ORG\nf B-ORG\ng B-ORG\n"
    (document,), report = load(file, content)
    assert labelled(document) == [
        ("a", "PER"),
        ("b c", "PER"),
        ("d", "LOC"),
        ("e", "ORG"),
        ("f", "ORG"),
        ("g", "ORG"),
    ]
    assert report.lines() == [
        "tag scheme: IOB2",
        f"2 tags without a mention to continue, read as the start of one (first: {file}:3, {file}:6)",
    ]


def test_scheme_can_be_given(file: Path) -> None:
    (document,), report = load(file, "a I-PER\nb O\nc O\n", scheme="iob1")
    assert labelled(document) == [("a", "PER")]
    assert not report
    with pytest.raises(InputError, match=r"corpus.conll:2: 'E-PER' is no IOB2 tag"):
        load(file, "a B-PER\nb E-PER\n", scheme="BIO")


def test_empty_file_has_no_documents_and_is_counted(file: Path) -> None:
    for content in ("", "\n\n", "\ufeff"):
        documents, report = load(file, content)
        assert documents == []
        assert report.lines() == [f"1 file without a document (first: {file})"]


def test_long_and_short_sentences(file: Path) -> None:
    words = [f"w{number}" for number in range(5000)]
    content = "".join(f"{word} {'B' if number % 2 else 'I'}-X\n" for number, word in enumerate(words))
    (document,), _ = load(file, content + "\nend O\n")
    assert [len(sentence) for sentence in document.sentences] == [5000, 1]
    assert len(document.mentions) == 2501
    again, _ = dump([document])
    assert load(file, again)[0] == [document]


def test_line_ends_byte_order_mark_and_unusual_characters(file: Path) -> None:
    nfd, emoji = "Cafe\u0301", "👩\u200d🚀"
    rows = [nfd, emoji, "\u3000", "a\u2028b", "nul\0", "x\u00a0y"]
    content = "\ufeff" + "".join(f"{word} B-X\r\n" for word in rows)
    (document,), _ = load(file, content)
    assert [token.text for token in document.tokens] == rows
    assert [mention.text for mention in document.mentions] == rows


def test_latin1_is_an_error_with_its_line(file: Path) -> None:
    with pytest.raises(InputError, match=r"corpus.conll:2: byte 0xe9 .*iconv"):
        load(file, "a O\ncafé O\n".encode("latin1"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tO\nb\tc\tO\n", "2: 3 columns where the rows before have 2 .*tab inside a token"),
        (
            "a NN O\nb O\n",
            r"2: 2 columns where the rows before have 3 "
            r"\(look for a space inside a token, or a line without its tag\)$",
        ),
        ("a b O\nc d e O\n", "2: 4 columns where the rows before have 3 .*space"),
        ("a b O\n# x y O\n", "2: 4 columns where .*without its tag; a comment line needs --comments"),
        ("a\tO\n\tO\n", "2: the token column is empty"),
        ("alone\n", "1: one column only"),
        ("a PER\n", "1: 'PER' is not a tag .*--tag-column"),
        ("a.txt:1\t0\t3\tORG\t0.8633\tRio\n", "1: a mention in a table .*write JSON lines, -o"),
        ("a B\n", "1: 'B' is not a tag"),
        ("a B-\n", "1: 'B-' is not a tag"),
        ("a E-X\nb L-X\n", ": tags that begin with E, L fit no tag scheme"),
    ],
)
def test_broken_rows_are_errors_that_name_the_line(file: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=f"corpus.conll:{message}".replace("conll::", "conll:")):
        load(file, content)


@pytest.mark.parametrize("option", ["token_column", "tag_column"])
def test_columns_that_are_not_there(file: Path, option: str) -> None:
    with pytest.raises(InputError, match="1: there is no column 5"):
        load(file, "a O\n", **{option: 5})


def test_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.conll: cannot be read: No such file"):
        list(conll.read(tmp_path / "none.conll", Report()))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Rio B-LOC\n")))
    (document,) = conll.read("-", Report())
    assert labelled(document) == [("Rio", "LOC")]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Rio LOC\n")))
    with pytest.raises(InputError, match="<stdin>:1: 'LOC' is not a tag"):
        list(conll.read("-", Report()))


def test_writing_one_and_several_documents() -> None:
    one = Document.from_words([["Rio", "is"], ["big"]])
    one.mentions = [Mention(0, 3, "LOC", "NOM")]
    assert dump([one])[0] == "Rio B-LOC_NOM\nis O\n\nbig O\n\n"
    two, _ = dump([one, one], scheme="BIOES")
    assert two == 2 * "-DOCSTART- O\n\nRio S-LOC_NOM\nis O\n\nbig O\n\n"


def test_overlaps_leave_the_longest_and_are_counted() -> None:
    document = Document.from_words([["Bank", "of", "China", "in", "Rome"]])
    document.mentions = [
        Mention(8, 13, "LOC"),
        Mention(0, 13, "ORG"),
        Mention(8, 21, "MISC"),
        Mention(17, 21, "LOC"),
    ]
    text, report = dump([document])
    assert text == "Bank B-ORG\nof I-ORG\nChina I-ORG\nin O\nRome B-LOC\n\n"
    assert report.counts == {"mentions left out for overlapping one at least as long": 2}
    assert report.lines()[0].endswith("(first: document 1 8:21, document 1 8:13)")


def test_mentions_off_the_tokens_and_over_sentences_are_counted() -> None:
    document = Document.from_words([["Bank", "of"], ["China"]], id="d")
    document.mentions = [Mention(0, 3, "X"), Mention(5, 13, "X"), Mention(4, 7, "X"), Mention(0, 4, "X")]
    text, report = dump([document])
    assert text == "Bank B-X\nof O\n\nChina O\n\n"
    assert report.counts["mentions left out for not beginning and ending with a token"] == 2
    assert report.counts["mentions left out for crossing a sentence border"] == 1


def test_everything_else_that_is_lost_is_counted() -> None:
    document = Document(
        "New York, \ud800\n-DOCSTART-x",
        [Sentence([Token("New York", 0, 8), Token(",", 8, 9), Token("\ud800", 10, 11)])],
        [Mention(0, 8, "LOC part", score=0.5)],
        id="d1",
        meta={"genre": "news"},
    )
    document.sentences.append(Sentence([Token("-DOCSTART-x", 12, 23)]))
    text, report = dump([document])
    assert text == "New_York B-LOC_part\n, O\n\ufffd O\n\n_DOCSTART_x O\n\n"
    assert sorted(report.counts) == [
        "document ids that CoNLL cannot hold",
        "documents written without metadata, which CoNLL cannot hold",
        "documents written without the spacing of the text, which CoNLL cannot hold",
        "labels with whitespace written with underscores",
        "lone surrogates written as U+FFFD",
        "mention scores that CoNLL cannot hold",
        "words -DOCSTART- written with underscores",
        "words with whitespace written with underscores",
    ]


def test_text_without_tokens_cannot_be_written() -> None:
    with pytest.raises(InputError, match=r"document 1 has no tokens .*--lang"):
        dump([Document("Rio is big")])


def test_a_failed_write_leaves_the_old_file(file: Path) -> None:
    file.write_text("old")
    with pytest.raises(InputError):
        conll.write([Document.from_words([["a"]]), Document("untokenised")], file, Report())
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]
