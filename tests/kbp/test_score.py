"""`fofe kbp score` against neleval, the track's own scorer."""

from __future__ import annotations

import collections
import collections.abc
import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.cli import main
from fofe.evaluate.scores import Counts
from fofe.kbp.score import MEASURES, best_pairing, layout, score
from fofe.kbp.tab import TabMention, write_tab


@pytest.fixture(scope="module")
def neleval() -> Iterator[ModuleType]:
    """The scorer, which still looks for names where older versions of Python and NumPy had them."""
    pytest.importorskip("neleval")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collections, "Sequence", collections.abc.Sequence, raising=False)
        for name, type in (("bool", bool), ("int", int)):
            if not hasattr(np, name):
                patch.setattr(np, name, type, raising=False)
        import neleval.coref_metrics
        import neleval.evaluate

        # With sparse matrices it miscounts spans that lie in two clusters.
        patch.setattr(neleval.coref_metrics, "sparse", None)
        yield neleval.evaluate


def official(
    neleval: ModuleType, measure: str, gold: list[TabMention], run: list[TabMention]
) -> dict[str, float]:
    from neleval.annotation import Annotation, Candidate
    from neleval.document import Document, by_document

    def documents(mentions: list[TabMention]) -> list[Any]:
        annotations = [
            Annotation(
                mention.document,
                mention.start,
                mention.end - 1,
                [Candidate(mention.kb, mention.score, mention.type)],
            )
            for mention in mentions
        ]
        return [Document(id, of_document) for id, of_document in by_document(annotations)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", neleval.StrictMetricWarning)
        evaluate = neleval.Evaluate(documents(run), documents(gold), measures=[measure])
        results: dict[str, dict[str, float]] = evaluate()
    return results[measure]


MENTIONS = st.lists(
    st.builds(
        lambda document, start, length, label, kind, kb: TabMention(
            document, start, start + length, "x" * length, label, kind, kb
        ),
        st.sampled_from(["ENG_NW_1", "ENG_DF_2", "CMN_NW_1", "XIN_SPA_20100101.0001", "other"]),
        st.integers(0, 3),
        st.integers(1, 2),
        st.sampled_from(["PER", "ORG"]),
        st.sampled_from(["NAM", "NOM"]),
        st.sampled_from(["NIL1", "NIL2", "NIL3", "E1", "E2"]),
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


@pytest.mark.parametrize("measure", MEASURES)
@given(MENTIONS, MENTIONS)
def test_the_scores_are_those_of_neleval(
    neleval: ModuleType, measure: str, gold: list[TabMention], run: list[TabMention]
) -> None:
    table = score(gold, run, measure=MEASURES[measure])
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

            expected = official(neleval, measure, part(gold), part(run))
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


@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_clusters_are_paired_as_well_as_possible(rows: int, columns: int, random: Random) -> None:
    weights = np.array([[random.randint(0, 5) for _ in range(columns)] for _ in range(rows)])
    shorter = weights if rows <= columns else weights.T
    pairings = permutations(range(shorter.shape[1]), shorter.shape[0])
    best = max(sum(shorter[row, column] for row, column in enumerate(one)) for one in pairings)
    assert best_pairing(weights) == best


def test_all_measures_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = [TabMention("ENG_1", start, start + 4, "Anna", "PER", kb="NIL1") for start in (0, 10)]
    run = [replace(gold[0], kb="E1"), replace(gold[1], kb="NIL9")]
    for name, mentions in (("gold.tab", gold), ("run.tab", run)):
        write_tab(mentions, tmp_path / name)
    files = [str(tmp_path / "gold.tab"), str(tmp_path / "run.tab")]
    assert main(["kbp", "score", *files, "--json"]) == 0
    measures = json.loads(capsys.readouterr().out)[files[1]]
    assert {name: table["ALL"]["OVERALL"]["f1"] for name, table in measures.items()} == {
        "strong_typed_mention_match": 100.0,
        "strong_nil_match": pytest.approx(200 / 3),
        "mention_ceaf": 50.0,
    }
    assert main(["kbp", "score", *files]) == 0
    assert capsys.readouterr().out.count("LANG ") == 3
