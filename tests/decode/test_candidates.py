"""From probabilities to candidates."""

from __future__ import annotations

import numpy as np
import pytest

from fofe.base.arrays import FloatArray
from fofe.decode import Candidate
from fofe.decode.candidates import select
from fofe.features.fragments import Fragments, all_fragments

LABELS = ("NONE", "PER", "ORG")


def candidates(rows: FloatArray, threshold: float, *, for_recall: bool = False) -> list[list[Candidate]]:
    offsets = np.array([0, 1, 3])
    fragments = all_fragments(offsets, 2)
    return select(fragments, offsets, rows, LABELS, threshold=threshold, for_recall=for_recall)


@pytest.fixture
def rows() -> FloatArray:
    """Sentence 0: one word. Sentence 1: the first word, both words, the second word."""
    return np.array([[0.1, 0.7, 0.2], [0.6, 0.1, 0.3], [0.25, 0.25, 0.5], [0.9, 0.05, 0.05]])


def test_best_label_beats_none_and_reaches_the_threshold(rows: FloatArray) -> None:
    assert candidates(rows, 0.3) == [[Candidate(0, 1, "PER", 0.7)], [Candidate(0, 2, "ORG", 0.5)]]
    assert candidates(rows, 0.5) == candidates(rows, 0.3), "reaching it is enough"
    assert candidates(rows, 0.6) == [[Candidate(0, 1, "PER", 0.7)], []]
    assert candidates(rows, 1.0) == [[], []]


def test_a_label_that_reaches_its_threshold_stands_in_for_one_that_does_not() -> None:
    rows = np.array([[0.1, 0.5, 0.4], [0.45, 0.3, 0.25], [0.2, 0.1, 0.7], [0.1, 0.2, 0.7]])
    offsets = np.array([0, 4])
    fragments = all_fragments(offsets, 1)

    def found(per: float, org: float) -> list[Candidate]:
        thresholds = np.array([0.5, per, org])
        return select(fragments, offsets, rows, LABELS, threshold=thresholds)[0]

    assert [one[:3] for one in found(0.6, 0.3)] == [(0, 1, "ORG"), (2, 3, "ORG"), (3, 4, "ORG")]
    assert [one[:3] for one in found(0.1, 0.8)] == [(0, 1, "PER"), (3, 4, "PER")], "NONE is likelier"
    assert [one[:3] for one in found(0.1, np.inf)] == [(0, 1, "PER")], "an ORG is not wanted"


def test_for_recall_takes_what_none_would_have_won(rows: FloatArray) -> None:
    found = candidates(rows, 0.3, for_recall=True)
    assert found == [
        [Candidate(0, 1, "PER", 0.7)],
        [Candidate(0, 1, "ORG", 0.3), Candidate(0, 2, "ORG", 0.5)],
    ]
    assert len(candidates(rows, 0.0, for_recall=True)[1]) == 3


def test_scores_are_plain_numbers(rows: FloatArray) -> None:
    (candidate,), _ = candidates(rows.astype(np.float32), 0.6)
    assert [type(value) for value in candidate] == [int, int, str, float]


def test_nothing_to_select_from() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    found = select(
        Fragments(nothing, nothing, nothing), np.array([0]), np.zeros((0, 3)), LABELS, threshold=0.5
    )
    assert found == []
