"""The threshold and the strategy for a dev set."""

from __future__ import annotations

from fofe.decode import Candidate
from fofe.train.config import DecodingConfig
from fofe.train.examples import LabelledSentence
from fofe.train.tuning import Judged, Tuned
from fofe.train.tuning import tune as tune_corpora

SENTENCES = [
    LabelledSentence(list("abcd"), [(0, 2, "PER"), (3, 4, "GPE")]),
    LabelledSentence(list("ab"), []),
]
POOLS = [
    [Candidate(0, 2, "PER", 0.6), Candidate(0, 1, "PER", 0.7), Candidate(3, 4, "GPE", 0.9)],
    [Candidate(0, 1, "GPE", 0.4)],
]


def tune(
    candidates: list[list[Candidate]], sentences: list[LabelledSentence], config: DecodingConfig
) -> Tuned:
    """Tune on one corpus."""
    return tune_corpora([Judged("one", [set(sentence.spans) for sentence in sentences], candidates)], config)


def test_the_best_pair_of_threshold_and_strategy() -> None:
    config = DecodingConfig(strategies=("highest-first", "longest-first"), thresholds=(0.3, 0.5, 0.8))
    tuned = tune(POOLS, SENTENCES, config)
    assert (tuned.strategy, tuned.threshold) == ("longest-first", 0.5)
    assert (tuned.precision, tuned.recall, tuned.f1) == (100, 100, 100)


def test_of_equals_the_first_wins() -> None:
    config = DecodingConfig(strategies=("longest-first",), thresholds=(0.5, 0.55))
    assert tune(POOLS, SENTENCES, config).threshold == 0.5


def test_what_is_found_but_not_there_costs_precision() -> None:
    config = DecodingConfig(strategies=("highest-first",), thresholds=(0.3,))
    tuned = tune(POOLS, SENTENCES, config)
    assert (round(tuned.precision, 1), tuned.recall, tuned.f1) == (33.3, 50, 40)


def test_nothing_found_or_nothing_there() -> None:
    config = DecodingConfig(strategies=("highest-first",), thresholds=(0.5,))
    assert tune([[], []], SENTENCES, config).f1 == 0
    assert tune([[], []], [SENTENCES[1]] * 2, config).f1 == 0


def test_nested_decoding_keeps_what_lies_inside() -> None:
    pools = [[Candidate(0, 3, "ORG", 0.9), Candidate(2, 3, "GPE", 0.8)]]
    gold = [LabelledSentence(list("abc"), [(0, 3, "ORG"), (2, 3, "GPE")])]
    flat = DecodingConfig(strategies=("highest-first",), thresholds=(0.5,))
    nested = DecodingConfig(nested=True, strategies=("highest-first",), thresholds=(0.5,))
    assert tune(pools, gold, flat).recall == 50
    assert tune(pools, gold, nested).recall == 100
