"""Which mentions share an id: by a table of titles, by parts of names, across documents, and nominals."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.cli import main
from fofe.kbp.entities import Titles, numbered
from fofe.kbp.tab import TabMention, read_tab

from .conftest import NEWSWIRE


def mention(
    text: str, document: str = "a", type: str = "PER", start: int = 0, kind: str = "NAM", kb: str = ""
) -> TabMention:
    return TabMention(document, start, start + len(text), text, type, kind, kb)


def ids(*mentions: TabMention, titles: Titles | None = None, sentences: list[int] | None = None) -> list[str]:
    return [row.kb for row in numbered(mentions, "r", titles, sentences)]


def test_mentions_are_numbered_as_those_of_the_run() -> None:
    rows = list(numbered([mention("Anna"), mention("Li", kb="E0123")], "run1"))
    assert [(row.run, row.id, row.kb) for row in rows] == [
        ("run1", "run1_000001", "NIL000001"),
        ("run1", "run1_000002", "E0123"),
    ]


def test_parts_of_names_and_equal_names_share_an_id() -> None:
    assert (
        ids(mention("Barack Obama"), mention("Obama"), mention("BARACK"), mention("Obama", "b"))
        == ["NIL000001"] * 4
    )
    assert ids(mention("Obama"), mention("Obama", type="GPE"), mention("Obamas")) == [
        *("NIL000001", "NIL000002", "NIL000003"),
    ]
    assert ids(mention("北京大学", type="ORG"), mention("北大", type="ORG"), mention("北京", type="ORG")) == [
        *("NIL000001", "NIL000002", "NIL000001"),
    ]
    assert ids(mention("😀"), mention("😀", "b"), mention("👩")) == ["NIL000001", "NIL000001", "NIL000002"]


def test_a_short_name_means_what_its_document_says_else_what_it_means_most_often() -> None:
    rows = [
        *(mention("Bill Clinton", "a"), mention("Clinton", "a")),
        *(mention("Hillary Clinton", "b"), mention("Clinton", "b")),
        *(mention("Hillary Clinton", "c"), mention("Clinton", "c"), mention("Clinton", "d")),
    ]
    bill, hillary = "NIL000001", "NIL000002"
    assert ids(*rows) == [bill, bill, hillary, hillary, hillary, hillary, hillary]


def test_a_nominal_is_the_nearest_name_before_it_in_its_sentence() -> None:
    rows = [
        mention("Anna", start=0),
        mention("Lima", start=10, type="GPE"),
        mention("Omar", start=20),
        mention("mayor", start=30, kind="NOM"),
        mention("mayor", start=40, kind="NOM"),
        mention("friend", start=50, kind="NOM", type="ORG"),
    ]
    assert ids(*rows, sentences=[0, 0, 0, 0, 1, 0]) == [
        *("NIL000001", "NIL000002", "NIL000003", "NIL000003", "NIL000004", "NIL000005"),
    ]
    assert len(set(ids(*rows))) == 6


def test_names_are_linked_to_the_most_frequent_title_or_alias(tmp_path: Path) -> None:
    path = tmp_path / "titles.tsv"
    path.write_text(
        "m.1\tBarack Obama\t900\tObama\tBarack H. Obama\nm.2\tObama\t5\n\nm.3\tAT&T\n"
        "m.4\tSpringfield\t7\nm.5\tspring field\t7\tSpringfield\n",
        encoding="utf-8",
    )
    titles = Titles.read(path)
    rows = [mention("Obama"), mention("Barack  Obama"), mention("AT&amp;T"), mention("Springfield")]
    assert ids(*rows, mention("Li"), titles=titles) == ["m.1", "m.1", "m.3", "m.4", "NIL000001"]
    chief = mention("president", start=30, kind="NOM")
    assert ids(mention("Obama"), chief, titles=titles, sentences=[0, 0]) == ["m.1", "m.1"]


@pytest.mark.parametrize("line", ["m.1", "\tObama", "m.1\tObama\tmany"])
def test_a_broken_table_of_titles_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "titles.tsv"
    path.write_text(f"m.0\tLima\t1\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"titles.tsv:2: is no entry"):
        Titles.read(path)


NAMES = st.lists(
    st.builds(
        mention,
        st.lists(st.sampled_from(["Anna", "Berg", "Li", "市", "长"]), min_size=1, max_size=3).map(" ".join),
        st.sampled_from("abc"),
        st.sampled_from(["PER", "ORG"]),
    ),
    max_size=12,
)


@given(NAMES)
def test_ids_do_not_mix_types_and_equal_names_of_a_document_share_one(rows: list[TabMention]) -> None:
    found = ids(*rows)
    assert len({(row.type, kb) for row, kb in zip(rows, found, strict=True)}) == len(set(found))
    of_name = {(row.document, row.type, row.text): kb for row, kb in zip(rows, found, strict=True)}
    assert [of_name[row.document, row.type, row.text] for row in rows] == found


def test_ids_of_a_tagged_document(tiny_path: Path, tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text(NEWSWIRE, encoding="utf-8")
    (tmp_path / "titles.tsv").write_text("m.9\tAnna Berg\t3\n", encoding="utf-8")
    output = tmp_path / "run.tab"
    arguments = ["-m", f"eng={tiny_path}", str(tmp_path / "d.xml"), "--kb", str(tmp_path / "titles.tsv")]
    assert main(["kbp", "tag", *arguments, "-o", str(output)]) == 0
    rows = {(row.text, row.kind): row.kb for row in read_tab(output, Report())}
    assert rows["Anna Berg", "NAM"] == rows["mayor", "NOM"] == "m.9"
