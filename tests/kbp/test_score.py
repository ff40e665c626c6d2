"""`fofe kbp score` against neleval, the track's own scorer."""

from __future__ import annotations

import collections
import collections.abc
import warnings
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.evaluate.scores import Counts
from fofe.kbp.score import layout, score
from fofe.kbp.tab import TabMention


@pytest.fixture(scope="module")
def neleval() -> ModuleType:
    """The scorer, which still looks for a class where older versions of Python had it."""
    pytest.importorskip("neleval")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collections, "Sequence", collections.abc.Sequence, raising=False)
        import neleval.evaluate
    module: ModuleType = neleval.evaluate
    return module


def official(neleval: ModuleType, gold: list[TabMention], run: list[TabMention]) -> dict[str, float]:
    from neleval.annotation import Annotation, Candidate
    from neleval.document import Document, by_document

    def documents(mentions: list[TabMention]) -> list[Any]:
        annotations = [
            Annotation(
                mention.document,
                mention.start,
                mention.end - 1,
                [Candidate("NIL1", mention.score, mention.type)],
            )
            for mention in mentions
        ]
        return [Document(id, of_document) for id, of_document in by_document(annotations)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", neleval.StrictMetricWarning)
        evaluate = neleval.Evaluate(documents(run), documents(gold), measures=["strong_typed_mention_match"])
        results: dict[str, dict[str, float]] = evaluate()
    return results["strong_typed_mention_match"]


MENTIONS = st.lists(
    st.builds(
        lambda document, start, length, label, kind: TabMention(
            document, start, start + length, "x" * length, label, kind
        ),
        st.sampled_from(["ENG_NW_1", "ENG_DF_2", "CMN_NW_1", "XIN_SPA_20100101.0001", "other"]),
        st.integers(0, 3),
        st.integers(1, 2),
        st.sampled_from(["PER", "ORG"]),
        st.sampled_from(["NAM", "NOM"]),
    ),
    max_size=25,
)
KINDS = {"NAME": ("NAM",), "NOMINAL": ("NOM",), "OVERALL": ("NAM", "NOM")}
LANGUAGE_OF = {
    "ENG_NW_1": "ENG",
    "ENG_DF_2": "ENG",
    "CMN_NW_1": "CMN",
    "XIN_SPA_20100101.0001": "SPA",
    "other": "UND",
}


@given(MENTIONS, MENTIONS)
def test_the_scores_are_those_of_neleval(
    neleval: ModuleType, gold: list[TabMention], run: list[TabMention]
) -> None:
    table = score(gold, run)
    assert set(table) == {LANGUAGE_OF[mention.document] for mention in gold + run} | {"ALL"}
    for language, groups in table.items():
        for group, counts in groups.items():

            def part(
                mentions: list[TabMention], language: str = language, group: str = group
            ) -> list[TabMention]:
                return [
                    mention
                    for mention in mentions
                    if language in ("ALL", LANGUAGE_OF[mention.document]) and mention.kind in KINDS[group]
                ]

            expected = official(neleval, part(gold), part(run))
            assert counts.precision / 100 == pytest.approx(expected["precision"])
            assert counts.recall / 100 == pytest.approx(expected["recall"])
            assert counts.f1 / 100 == pytest.approx(expected["fscore"])
            assert (counts.tp, counts.fp, counts.fn) == (expected["ptp"], expected["fp"], expected["fn"])


def test_a_name_taken_for_a_nominal_is_right_overall_only() -> None:
    gold = [TabMention("ENG_1", 0, 4, "Anna", "PER", "NAM")]
    run = [TabMention("ENG_1", 0, 4, "Anna", "PER", "NOM")]
    scores = {group: counts.f1 for group, counts in score(gold, run)["ALL"].items()}
    assert scores == {"NAME": 0.0, "NOMINAL": 0.0, "OVERALL": 100.0}


def test_languages_come_in_the_order_of_the_track() -> None:
    gold = [TabMention(f"{code}_1", 0, 1, "x", "PER") for code in ("SPA", "CMN", "ENG")]
    assert list(score(gold, gold)) == ["ENG", "CMN", "SPA", "ALL"]
    assert layout(score(gold, gold[:2])).splitlines() == [
        "             NAME               NOMINAL             OVERALL",
        "LANG       P     R    F1       P     R    F1       P     R    F1",
        "ENG    0.000 0.000 0.000   0.000 0.000 0.000   0.000 0.000 0.000",
        "CMN    1.000 1.000 1.000   0.000 0.000 0.000   1.000 1.000 1.000",
        "SPA    1.000 1.000 1.000   0.000 0.000 0.000   1.000 1.000 1.000",
        "ALL    1.000 0.667 0.800   0.000 0.000 0.000   1.000 0.667 0.800",
    ]


@given(MENTIONS, MENTIONS)
def test_counts_by_document_add_up(gold: list[TabMention], run: list[TabMention]) -> None:
    total = Counts()
    for document in LANGUAGE_OF:
        sides = ([one for one in side if one.document == document] for side in (gold, run))
        total += score(*sides)["ALL"]["OVERALL"]
    assert total == score(gold, run)["ALL"]["OVERALL"]
