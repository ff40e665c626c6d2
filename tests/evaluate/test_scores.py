"""Scores against seqeval and against figures worked out by hand."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.evaluate import Counts, Evaluation, score_documents, score_spans
from fofe.evaluate.scores import without_unknown
from fofe.text.document import Document, Mention, Region

TAGS = st.lists(st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]), min_size=1, max_size=12)


def document(*mentions: tuple[int, int, str], text: str = "x" * 40, id: str = "") -> Document:
    """A document whose labels may end in _NOM."""
    built = [
        Mention(start, end, label.removesuffix("_NOM"), "NOM" if label.endswith("_NOM") else "NAM")
        for start, end, label in mentions
    ]
    return Document(text, mentions=built, id=id)


def score(gold: Document, predicted: Document) -> Evaluation:
    return score_documents([gold], [predicted])


def well_formed(tags: list[str]) -> list[str]:
    """The same tags with every I- that continues nothing turned into B-."""
    fixed = ["O"]
    for tag in tags:
        continues = tag[0] == "I" and fixed[-1] != "O" and fixed[-1][2:] == tag[2:]
        fixed.append("B" + tag[1:] if tag[0] == "I" and not continues else tag)
    return fixed[1:]


def spans_of_tags(tags: list[str]) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    for position, tag in enumerate(tags):
        if tag[0] == "B":
            spans.append((position, position + 1, tag[2:]))
        elif tag[0] == "I":
            start, _, label = spans.pop()
            spans.append((start, position + 1, label))
    return spans


@given(pairs=st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=6))
def test_flat_scores_equal_those_of_seqeval(pairs: list[tuple[list[str], list[str]]]) -> None:
    from seqeval.metrics import classification_report  # here, since it loads scikit-learn
    from seqeval.scheme import IOB2

    cut = [min(len(a), len(b)) for a, b in pairs]
    gold = [well_formed(a[:n]) for (a, _), n in zip(pairs, cut, strict=True)]
    predicted = [well_formed(b[:n]) for (_, b), n in zip(pairs, cut, strict=True)]
    ours = score_documents(
        [document(*spans_of_tags(tags)) for tags in gold],
        [document(*spans_of_tags(tags)) for tags in predicted],
    )
    if not ours.labels:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = classification_report(
            gold, predicted, mode="strict", scheme=IOB2, output_dict=True, zero_division=0
        )
    for name, counts in {**ours.labels, "micro avg": ours.overall}.items():
        row = theirs[name]
        expected = [row["precision"] * 100, row["recall"] * 100, row["f1-score"] * 100]
        assert [counts.precision, counts.recall, counts.f1] == pytest.approx(expected)
        assert counts.tp + counts.fn == row["support"]
    as_sets = [[set(spans_of_tags(tags)) for tags in side] for side in (gold, predicted)]
    assert score_spans(*as_sets) == ours.overall


def test_figures_of_the_conll_script() -> None:
    """8 gold phrases, 7 found, 5 of them correct: the script prints 71.43, 62.50 and 66.67."""
    counts = Counts(tp=5, fp=2, fn=3)
    assert [f"{x:.2f}" for x in (counts.precision, counts.recall, counts.f1)] == ["71.43", "62.50", "66.67"]


def test_nothing_predicted_or_nothing_to_find_scores_zero() -> None:
    assert Counts().as_dict() == {"precision": 0, "recall": 0, "f1": 0, "tp": 0, "fp": 0, "fn": 0}
    assert score(document((0, 1, "PER")), document()).overall == Counts(fn=1)
    assert score(document(), document((0, 1, "PER"))).overall == Counts(fp=1)


def test_nested_mentions_each_count() -> None:
    gold = document((0, 20, "ORG"), (14, 20, "GPE"), (14, 18, "PER"))
    predicted = document((0, 20, "ORG"), (14, 20, "LOC"), (14, 18, "PER"), (0, 3, "PER"))
    result = score(gold, predicted)
    assert result.overall == Counts(tp=2, fp=2, fn=1)
    assert result.labels == {
        "GPE": Counts(fn=1),
        "LOC": Counts(fp=1),
        "ORG": Counts(tp=1),
        "PER": Counts(tp=1, fp=1),
    }


def test_wrong_kind_is_an_error_on_both_sides() -> None:
    gold = document((0, 5, "PER"), (6, 9, "PER_NOM"), (10, 12, "ORG"))
    predicted = document((0, 5, "PER_NOM"), (6, 9, "PER_NOM"), (10, 12, "ORG"))
    result = score(gold, predicted)
    assert result.names == Counts(tp=1, fn=1)
    assert result.nominals == Counts(tp=1, fp=1)
    assert result.overall == Counts(tp=2, fp=1, fn=1)


def test_duplicates_count_once() -> None:
    twice = document((0, 5, "PER"), (0, 5, "PER"))
    assert score(twice, document((0, 5, "PER"))).overall == Counts(tp=1)
    assert score(document(), twice).overall == Counts(fp=1)


def test_the_same_span_in_two_documents_counts_twice() -> None:
    both = [document((0, 5, "PER")), document((0, 5, "PER"))]
    assert score_documents(both, both).overall == Counts(tp=2)


def test_other_text_is_refused_and_the_place_named() -> None:
    gold = [document(), document(text="Ann met Bob", id="b2")]
    with pytest.raises(InputError, match=r"document 2 \(b2\) differ from character 8 .*'Bob'.*'Rob'"):
        score_documents(gold, [document(), document(text="Ann met Rob", id="b2")])


def test_other_ids_are_no_difference_where_the_texts_agree() -> None:
    mention = (0, 1, "PER")
    assert score(document(mention, id="a"), document(mention, id="b")).overall == Counts(tp=1)
    with pytest.raises(InputError, match=r"the texts of document 1 \(a\) differ from character 0 on"):
        score(document(id="a", text="Ann"), document(id="b", text="Bob"))


def test_the_same_ids_pair_documents_in_any_order() -> None:
    gold = [document((0, 1, "PER"), id="a"), document((2, 3, "ORG"), id="b")]
    assert score_documents(gold, gold[::-1]).overall == Counts(tp=2)


def test_ids_that_only_partly_agree_may_not_be_in_another_order() -> None:
    gold = [document(id=id) for id in ("a", "b", "c")]
    assert score_documents(gold, [document(id=id) for id in ("a", "x", "c")]).overall == Counts()
    with pytest.raises(InputError, match=r"document 1 \(a\) of the gold .* document 1 \(x\)"):
        score_documents(gold, [document(id=id) for id in ("x", "a", "c")])


def test_a_missing_id_is_no_difference() -> None:
    assert score(document((0, 1, "PER"), id="a"), document((0, 1, "PER"))).overall == Counts(tp=1)


@pytest.mark.parametrize(("gold", "predicted", "side"), [(2, 1, "prediction"), (1, 2, "gold")])
def test_missing_documents_are_named(gold: int, predicted: int, side: str) -> None:
    with pytest.raises(InputError, match=f"document 2 is missing in the {side}"):
        score_documents([document()] * gold, [document()] * predicted)


def test_what_is_found_in_unknown_text_counts_only_if_it_is_right() -> None:
    gold = Document("ab cd", mentions=[Mention(0, 2, "A")], regions=[Region(1, 4, "unknown")])
    found = [Mention(0, 2, "A"), Mention(0, 2, "B"), Mention(3, 5, "A"), Mention(4, 5, "A")]
    (kept,) = without_unknown([gold], [Document("ab cd", mentions=found)])
    assert kept.mentions == [found[0], found[3]]
    known = Document("ab cd", regions=[Region(0, 5, "known")])
    assert without_unknown([known], [Document("ab cd", mentions=found)])[0].mentions == found


def test_paths_are_no_documents() -> None:
    with pytest.raises(InputError, match=r"not of type str \(.*read_corpus those of a file"):
        score_documents("gold.jsonl", "predicted.jsonl")  # type: ignore[arg-type]
