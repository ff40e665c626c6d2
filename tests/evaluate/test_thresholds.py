"""Scores by threshold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fofe.evaluate.scores import Counts, score_documents
from fofe.evaluate.thresholds import CURVE_THRESHOLDS, Point, best_point, threshold_curve
from fofe.text.document import Document, Mention

mentions = st.lists(
    st.builds(
        lambda start, label, score: Mention(start, start + 1, label, score=score),
        st.integers(0, 8),
        st.sampled_from("AB"),
        st.floats(0, 1),
    ),
    max_size=8,
)


@given(gold=mentions, predicted=mentions)
def test_each_point_is_the_score_of_the_mentions_above_the_threshold(
    gold: list[Mention], predicted: list[Mention]
) -> None:
    true = Document("x" * 9, mentions=gold)
    points = threshold_curve([true], [Document("x" * 9, mentions=predicted)])
    assert [point.threshold for point in points] == list(CURVE_THRESHOLDS)
    for threshold, counts in points:
        taken = [mention for mention in predicted if mention.score >= threshold]
        assert counts == score_documents([true], [Document("x" * 9, mentions=taken)]).overall


def test_thresholds_can_be_chosen() -> None:
    true = Document("x", mentions=[Mention(0, 1, "A")])
    guess = Document("x", mentions=[Mention(0, 1, "A", score=0.5)])
    assert threshold_curve([true], [guess], [0.5, 0.6]) == [(0.5, Counts(tp=1)), (0.6, Counts(fn=1))]


def test_of_thresholds_that_are_equally_good_the_middle_one_is_best() -> None:
    points = [Point(0.1, Counts(tp=2, fp=1)), *(Point(at / 10, Counts(tp=2)) for at in range(2, 9))]
    assert best_point(points).threshold == 0.5
    assert best_point(points[::-1]).threshold == 0.5
    assert best_point(points[:2]).threshold == 0.2
