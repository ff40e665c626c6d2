"""Kinds of errors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fofe.evaluate.errors import KINDS, examples, find_errors, in_context
from fofe.evaluate.scores import score_documents
from fofe.evaluate.spans import Span
from fofe.text.document import Document, Mention

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
    assert {error.kind for error in found} <= set(KINDS)
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
    assert [error.place.document for error in examples(found, 3)] == [0, 3, 6]
    assert examples(found, 99) == found
    assert examples([], 3) == []
