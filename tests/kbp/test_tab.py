from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.kbp.source import Reading, SourceDocument, read_sources
from fofe.kbp.tab import TabMention, problems, read_tab, write_tab

from .conftest import NEWSWIRE

LINE = "run\tm1\tAnna Berg\tENG_NW_1:10-18\tNIL1\tPER\tNAM\t0.5"


def read(tmp_path: Path, text: str) -> tuple[list[TabMention], Report]:
    path, report = tmp_path / "x.tab", Report()
    path.write_text(text, encoding="utf-8", newline="")
    return read_tab(path, report), report


def test_ends_are_inclusive_in_the_file_only(tmp_path: Path) -> None:
    (mention,), _ = read(tmp_path, LINE + "\n")
    assert mention == TabMention("ENG_NW_1", 10, 19, "Anna Berg", "PER", "NAM", "NIL1", 0.5, "run", "m1")
    assert mention.line() == LINE + "\n"


def test_blank_lines_windows_line_ends_and_ids_with_colons(tmp_path: Path) -> None:
    mentions, report = read(tmp_path, "\n" + LINE.replace("ENG_NW_1", "a:b") + "\r\n\r\n")
    assert [mention.document for mention in mentions] == ["a:b"]
    assert not report


def test_more_columns_are_counted(tmp_path: Path) -> None:
    mentions, report = read(tmp_path, LINE + "\tweb\tN\n")
    assert len(mentions) == 1
    assert sum(report.counts.values()) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t0.5", "", "7 columns"),
        ("ENG_NW_1:10-18", "ENG_NW_1", "'ENG_NW_1' is no place"),
        ("10-18", "10-x", "is no place"),
        ("10-18", "-1-4", "is no place"),
        ("10-18", "10-9", "ends before it begins"),
        ("\tPER\t", "\t \t", "the type is empty"),
        ("NAM", "PRO", "the kind is 'PRO'"),
        ("0.5", "high", "the confidence is 'high'"),
        ("0.5", "nan", "the confidence is 'nan'"),
    ],
)
def test_a_broken_line_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"x.tab:2: .*{message}"):
        read(tmp_path, f"{LINE}\n{LINE.replace(old, new)}\n")


def test_a_mismatch_names_the_document_and_both_strings(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    path.write_text(NEWSWIRE, encoding="utf-8")
    (document,) = read_sources(path, Reading(), Report())
    assert isinstance(document, SourceDocument)
    start = NEWSWIRE.index("Anna Berg")

    def found(start: int, text: str, document_id: str = "ENG_NW_1") -> list[str]:
        mention = TabMention(document_id, start, start + len(text), text, "PER", id=text)
        return list(problems([mention], {document.id: document}))

    assert found(start, "Anna Berg") == []
    assert found(NEWSWIRE.index("Bergen meets"), "Bergen meets AT&amp;T") == []
    assert found(NEWSWIRE.index("Bergen.\n"), "Bergen. ") == []  # a line break is a space in its column
    assert found(start + 1, "Anna Berg") == [
        f"ENG_NW_1:{start + 1}-{start + 9} is 'nna Berg ' in the document, but 'Anna Berg' in the mention"
    ]
    assert "outside the document" in found(len(NEWSWIRE) - 2, "Anna")[0]
    assert "no document of that id" in found(start, "Anna Berg", "other")[0]
    twice = [TabMention("ENG_NW_1", start, start + 4, "Anna", "PER", id="m")] * 2
    assert list(problems(twice, {document.id: document})) == [
        f"ENG_NW_1:{start}-{start + 3}: the mention id 'm' is used twice"
    ]


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), min_size=1
)


@settings(max_examples=30)
@given(
    st.lists(
        st.builds(
            TabMention,
            document=st.from_regex(r"[A-Za-z_0-9.:-]+", fullmatch=True),
            start=st.integers(0, 10**6),
            end=st.integers(10**6 + 1, 10**7),
            text=WORDS,
            type=st.sampled_from(["PER", "ORG"]),
            kind=st.sampled_from(["NAM", "NOM"]),
            kb=st.sampled_from(["NIL1", "E7", ""]),
            score=st.floats(0, 1),
            run=st.just("r"),
            id=st.text("abc1", max_size=4),
        ),
        max_size=5,
    )
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, mentions: list[TabMention]
) -> None:
    path = tmp_path_factory.getbasetemp() / "again.tab"
    write_tab(mentions, path)
    assert read_tab(path, Report()) == mentions
