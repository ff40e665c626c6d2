"""Intervals and the paired test."""

from __future__ import annotations

import numpy as np
import pytest

from fofe.base.errors import FofeError, InputError
from fofe.evaluate.bootstrap import Numbers, compare, confidence, unit_counts
from fofe.text.document import Document, Mention


def random_counts(units: int, right: float, seed: int) -> Numbers:
    """Two mentions in every unit, each found with probability `right` and else missed and misplaced."""
    found = np.random.default_rng(seed).binomial(2, right, units)
    return np.stack([found, 2 - found, 2 - found], axis=1)


def test_identical_predictions_do_not_differ() -> None:
    counts = random_counts(50, 0.8, seed=1)
    row = compare(counts, counts, samples=200)["f1"]
    assert (row["difference"], row["low"], row["high"], row["p"]) == (0, 0, 0, 1)
    assert row["a"] == row["b"] > 0


def test_a_clear_difference_is_found_and_has_the_sign_of_the_second() -> None:
    worse, better = random_counts(300, 0.6, seed=1), random_counts(300, 0.9, seed=2)
    row = compare(worse, better, samples=1000)["f1"]
    assert 20 < row["low"] < row["difference"] < row["high"] < 40
    assert row["p"] == pytest.approx(2 / 1001)
    back = compare(better, worse, samples=1000)["f1"]
    assert (back["difference"], back["low"], back["high"]) == pytest.approx(
        (-row["difference"], -row["high"], -row["low"])
    )


def test_a_difference_by_chance_is_not_significant() -> None:
    row = compare(random_counts(100, 0.8, seed=3), random_counts(100, 0.8, seed=4), samples=1000)["f1"]
    assert row["low"] < 0 < row["high"]
    assert row["p"] > 0.05


def test_the_same_seed_gives_the_same_result_and_another_seed_another() -> None:
    a, b = random_counts(80, 0.7, seed=1), random_counts(80, 0.75, seed=2)
    assert compare(a, b, 500, seed=7) == compare(a, b, 500, seed=7)
    assert confidence(a, 500, seed=7) == confidence(a, 500, seed=7)
    assert confidence(a, 500, seed=7) != confidence(a, 500, seed=8)


def test_interval_agrees_with_the_normal_approximation() -> None:
    """A share p of 2n independent mentions has a standard error of sqrt(p (1 - p) / 2n)."""
    counts = random_counts(1000, 0.8, seed=5)
    share = counts[:, 0].sum() / 2000
    reach = 1.96 * 100 * np.sqrt(share * (1 - share) / 2000)
    recall = confidence(counts, samples=3000)["recall"]
    assert (recall["low"], recall["high"]) == pytest.approx(
        (100 * share - reach, 100 * share + reach), abs=0.25
    )


def test_interval_of_a_perfect_prediction_is_a_point() -> None:
    counts = np.array([[3, 0, 0], [1, 0, 0]])
    assert {(two["low"], two["high"]) for two in confidence(counts, 100).values()} == {(100, 100)}


def test_samples_drawn_in_portions_are_those_drawn_at_once() -> None:
    counts = random_counts(3000, 0.7, seed=1)
    rows = np.random.default_rng(9).integers(0, 3000, (500, 3000))
    recall = 100 * counts[rows, 0].sum(axis=1) / 6000
    interval = confidence(counts, 500, seed=9)["recall"]
    assert (interval["low"], interval["high"]) == pytest.approx(tuple(np.percentile(recall, [2.5, 97.5])))


def corpus() -> tuple[list[Document], list[Document]]:
    gold = [Document.from_words([["Ann", "came"], ["Bob", "went"]]), Document.from_words([["so", "what"]])]
    predicted = [Document(one.text) for one in gold]
    gold[0].mentions = [Mention(0, 3, "PER"), Mention(9, 12, "PER")]
    predicted[0].mentions = [Mention(0, 3, "PER"), Mention(9, 12, "ORG")]
    predicted[1].mentions = [Mention(3, 7, "ORG")]
    return gold, predicted


def test_units_are_documents_or_sentences_of_the_gold() -> None:
    gold, predicted = corpus()
    assert unit_counts(gold, predicted).tolist() == [[1, 1, 1], [0, 1, 0]]
    assert unit_counts(gold, predicted, "sentence").tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 0]]


def test_what_cannot_be_drawn_is_refused() -> None:
    gold, predicted = corpus()
    with pytest.raises(InputError, match=r"only one document .*draw sentences instead"):
        confidence(unit_counts(gold[:1], predicted[:1]))
    with pytest.raises(InputError, match="there is no document to draw from"):
        confidence(unit_counts([], []))
    with pytest.raises(InputError, match=r"document 1 .* no sentences .*draw whole documents"):
        unit_counts([Document("Ann")], [Document("Ann")], "sentence")
    with pytest.raises(FofeError, match="unknown unit 'word'"):
        unit_counts(gold, predicted, "word")
    with pytest.raises(FofeError, match="at least 1"):
        confidence(unit_counts(gold, predicted), samples=-1)
