"""Groups of mentions, counted by hand, and kinds of errors."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.cli._io import print_sections
from fofe.evaluate.errors import (
    ERROR_KINDS,
    by_depth,
    by_length,
    by_seen,
    ceiling_section,
    errors_section,
    examples,
    find_errors,
    in_context,
    window_ceilings,
)
from fofe.evaluate.scores import Counts, Span, score_documents
from fofe.text.document import Document, Mention

WORDS = ["the", "University", "of", "British", "Columbia", "in", "Vancouver", "hired", "Ann"]


def words_with(*mentions: tuple[str, str]) -> Document:
    """The sentence of `WORDS` with mentions given by their string and type."""
    built = Document.from_words([WORDS])
    for string, type in mentions:
        start = built.text.index(string)
        built.mentions.append(Mention(start, start + len(string), type))
    return built


GOLD = words_with(
    ("University of British Columbia", "ORG"),
    ("British Columbia", "GPE"),
    ("British", "LOC"),
    ("Vancouver", "GPE"),
    ("the University of British Columbia in Vancouver hired", "X"),
)
PREDICTED = words_with(
    ("University of British Columbia", "ORG"),
    ("British Columbia", "ORG"),
    ("Vancouver", "GPE"),
    ("hired Ann", "PER"),
)


def test_by_length_in_tokens() -> None:
    assert by_length([GOLD], [PREDICTED]) == {
        "1": Counts(tp=1, fn=1),
        "2": Counts(fp=2, fn=1),
        "4": Counts(tp=1),
        "8+": Counts(fn=1),
    }


def test_by_length_counts_every_token_that_is_touched() -> None:
    part = replace(GOLD, mentions=[Mention(6, 18, "X")])
    assert GOLD.text[6:18] == "iversity of "
    assert list(by_length([part], [part])) == ["2"]


def test_by_length_needs_tokens() -> None:
    bare = Document("Ann", mentions=[Mention(0, 3, "PER")])
    with pytest.raises(InputError, match="document 1 of the gold has no tokens"):
        by_length([bare], [bare])


def test_by_depth_counts_the_gold_mentions_around() -> None:
    assert by_depth([GOLD], [PREDICTED]) == {
        "0": Counts(fp=1, fn=1),
        "1": Counts(tp=2),
        "2": Counts(fp=1, fn=1),
        "3+": Counts(fn=1),
    }


def test_by_seen_goes_by_string_and_label() -> None:
    train = Document("Vancouver , British \n Columbia")
    train.mentions = [Mention(0, 9, "GPE"), Mention(12, 30, "GPE")]
    assert by_seen([GOLD], [PREDICTED], [train]) == {
        "seen": Counts(tp=1, fn=1),
        "seen with another label": Counts(fp=1),
        "unseen": Counts(tp=1, fp=1, fn=2),
    }


def test_groups_add_up_to_the_whole() -> None:
    whole = score_documents([GOLD], [PREDICTED]).overall
    for groups in (
        by_length([GOLD], [PREDICTED]),
        by_depth([GOLD], [PREDICTED]),
        by_seen([GOLD], [PREDICTED], []),
    ):
        assert sum(groups.values(), Counts()) == whole


def test_window_ceilings_are_shares_of_gold_mentions() -> None:
    ceilings = window_ceilings([GOLD])
    assert [ceilings[n] for n in (1, 2, 3, 4, 7, 8)] == [40, 60, 60, 80, 80, 100]
    assert set(window_ceilings([words_with()]).values()) == {0}


TEXT = "Ann Lee of Acme Ltd met Bob Ray in New York\non Monday ."


def document(*mentions: tuple[str, str]) -> Document:
    built = Document(TEXT)
    for string, type in mentions:
        start = TEXT.index(string)
        built.mentions.append(Mention(start, start + len(string), type))
    return built


def kinds(gold: Document, predicted: Document) -> list[tuple[str, str, str]]:
    """Each error as its kind and the strings of the gold and the predicted mention."""

    def string(span: Span | None) -> str:
        return TEXT[span.start : span.end] if span else ""

    found = find_errors([gold], [predicted])
    return [(error.kind, string(error.gold), string(error.predicted)) for error in found]


def test_every_kind() -> None:
    gold = document(("Ann Lee", "PER"), ("Acme Ltd", "ORG"), ("Bob Ray", "PER"), ("New York", "GPE"))
    predicted = document(("Ann", "PER"), ("Acme Ltd", "GPE"), ("Ray", "ORG"), ("Monday", "PER"))
    assert kinds(gold, predicted) == [
        ("boundary", "Ann Lee", "Ann"),
        ("type", "Acme Ltd", "Acme Ltd"),
        ("boundary+type", "Bob Ray", "Ray"),
        ("missed", "New York", ""),
        ("spurious", "", "Monday"),
    ]


def test_what_is_right_is_no_error_and_does_not_excuse_another_prediction() -> None:
    gold = document(("Ann Lee", "PER"))
    assert kinds(gold, gold) == []
    assert kinds(gold, document(("Ann Lee", "PER"), ("Lee", "PER"))) == [("spurious", "", "Lee")]


def test_each_gold_mention_is_used_once_by_the_most_alike_prediction() -> None:
    gold = document(("Ann Lee", "PER"))
    predicted = document(("Ann", "PER"), ("Ann Lee of", "PER"), ("Ann Lee", "ORG"))
    assert sorted(kinds(gold, predicted)) == [
        ("spurious", "", "Ann"),
        ("spurious", "", "Ann Lee of"),
        ("type", "Ann Lee", "Ann Lee"),
    ]
    assert ("boundary", "Ann Lee", "Ann Lee of") in kinds(
        gold, document(("Ann", "PER"), ("Ann Lee of", "PER"))
    )


def test_documents_are_kept_apart() -> None:
    found = find_errors([document(("Ann", "PER")), document()], [document(), document(("Ann", "PER"))])
    assert [error.kind for error in found] == ["missed", "spurious"]


mentions = st.lists(
    st.builds(
        lambda start, length, label: Mention(start, start + length, label),
        st.integers(0, 20),
        st.integers(1, 9),
        st.sampled_from("AB"),
    ),
    max_size=10,
)


@given(st.lists(st.tuples(mentions, mentions), max_size=3))
def test_every_wrong_or_missed_mention_is_in_one_error(
    pairs: list[tuple[list[Mention], list[Mention]]],
) -> None:
    gold = [Document("x" * 30, mentions=true) for true, _ in pairs]
    predicted = [Document("x" * 30, mentions=guess) for _, guess in pairs]
    found = find_errors(gold, predicted)
    whole = score_documents(gold, predicted).overall
    missed = [error.gold for error in found if error.gold]
    wrong = [error.predicted for error in found if error.predicted]
    assert len(missed) == len(set(missed)) == whole.fn
    assert len(wrong) == len(set(wrong)) == whole.fp
    assert {error.kind for error in found} <= set(ERROR_KINDS)
    for error in found:
        if error.gold and error.predicted:
            assert error.gold.start < error.predicted.end
            assert error.predicted.start < error.gold.end


def test_example_in_context_is_one_line() -> None:
    gold = document(("New York", "GPE"))
    (error,) = find_errors([gold], [document(("York", "ORG"))])
    assert in_context(error, [gold]) == (
        "Ann Lee of Acme Ltd met Bob Ray in [New York] on Monday ."
        "  gold: GPE 'New York', predicted: ORG 'York'"
    )


def test_long_context_is_cut_on_both_sides() -> None:
    gold = Document("a " * 50 + "Ann" + " b" * 50, mentions=[Mention(100, 103, "PER")])
    (error,) = find_errors([gold], [Document(gold.text)])
    shown = in_context(error, [gold])
    assert shown.startswith("…a a ")
    assert "[Ann]" in shown
    assert "b b…  gold: PER 'Ann', predicted: nothing" in shown


def test_examples_are_spread() -> None:
    gold = [document(("Ann", "PER")) for _ in range(10)]
    found = find_errors(gold, [document() for _ in range(10)])
    assert [error.span.document for error in examples(found, 3)] == [0, 3, 6]
    assert examples(found, 99) == found
    assert examples([], 3) == []


def test_ceiling_stops_where_nothing_is_gained() -> None:
    section = ceiling_section({1: 50.0, 2: 75.0, 3: 75.0, 4: 100.0, 5: 100.0})
    assert [line.split()[0] for line in section.text.splitlines()[1:]] == ["1", "2", "4"]


def test_text_that_utf8_cannot_hold_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    gold = [Document("\ud800 东京", mentions=[Mention(0, 1, "X"), Mention(2, 4, "GPE")])]
    section = errors_section(find_errors(gold, [Document(gold[0].text)]), gold, 2)
    print_sections(Namespace(json=False), [section])
    assert "[东京]" in capsys.readouterr().out.encode("utf-8").decode("utf-8")
    print_sections(Namespace(json=True), [section])
    assert (
        json.loads(capsys.readouterr().out.encode("utf-8"))["errors"]["examples"][0]["gold"]["text"]
        == "\ud800"
    )
