"""The threshold and the strategy for a dev set."""

from __future__ import annotations

import pytest

from fofe.decode import Candidate, Decoding
from fofe.tagging.model import Model
from fofe.training.annotation import Annotation, LabelledSentence
from fofe.training.config import DecodingConfig
from fofe.training.scoring import ScoredCorpus, Tuned, score_corpus
from fofe.training.scoring import tune as tune_corpora

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
    return tune_corpora(
        [ScoredCorpus("one", [set(sentence.spans) for sentence in sentences], candidates)], config
    )


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


def test_several_corpora_count_alike() -> None:
    """The mean of the corpora's F1 decides, however many mentions each has."""
    large = ScoredCorpus("large", [{(0, 1, "A")}] * 9, [[Candidate(0, 1, "A", 0.4)]] * 9)
    small = ScoredCorpus("small", [{(0, 1, "A")}], [[Candidate(0, 1, "A", 0.9), Candidate(1, 2, "A", 0.5)]])
    config = DecodingConfig(strategies=("highest-first",), thresholds=(0.3, 0.8))
    tuned = tune_corpora([large, small], config)
    assert tuned.threshold == 0.3
    assert tuned.f1_by_corpus == {"large": 100, "small": pytest.approx(200 / 3)}
    assert tuned.f1 == pytest.approx(250 / 3)
    assert tune_corpora([small], config).threshold == 0.8
    assert tune_corpora([small], config).f1_by_corpus == {}


def test_on_a_flat_corpus_the_outermost_of_nested_mentions_count() -> None:
    pools = [[Candidate(0, 3, "ORG", 0.8), Candidate(2, 3, "GPE", 0.9)]]
    config = DecodingConfig(nested=True, strategies=("non-crossing",), thresholds=(0.5,))
    gold = [{(0, 3, "ORG")}]
    assert tune_corpora([ScoredCorpus("one", gold, pools, flat=True)], config).f1 == 100
    assert tune_corpora([ScoredCorpus("one", gold, pools)], config).precision == 50


@pytest.mark.parametrize("nested", [True, False])
def test_mentions_inside_others_count_only_in_a_nested_corpus(tiny_model: Model, nested: bool) -> None:
    words = ["The", "University", "of", "Leeds", "hired", "Omar", "Haddad", "."]
    inner, outer = (3, 4, "GPE"), {(1, 4, "ORG"), (1, 4, "PER"), (5, 7, "PER")}
    own = {label: frozenset([label]) for label in ("GPE", "ORG", "PER")}
    scored = score_corpus(
        "one",
        tiny_model._engine,
        [LabelledSentence(words, [inner, *outer])],
        tiny_model.labels,
        0.3,
        annotation=Annotation(own, frozenset(own), nested=nested),
        nested=True,
    )
    assert scored.gold == [outer | {inner} if nested else outer], "several on one span are not nested"
    (found,) = scored.found(Decoding(0.3, "non-crossing", nested=True))
    assert (inner in [one[:3] for one in found]) == nested


def test_scores_of_names_and_nominals() -> None:
    gold = [{(0, 1, "PER"), (2, 3, "PER_NOM")}, {(0, 1, "PER")}]
    pools = [[Candidate(0, 1, "PER", 0.9), Candidate(2, 3, "PER", 0.9)], [Candidate(0, 1, "PER", 0.2)]]
    scores = ScoredCorpus("one", gold, pools).evaluation(Decoding(0.5, "highest-first"))
    assert (scores.names.tp, scores.names.fp, scores.names.fn) == (1, 1, 1), "a wrong kind is an error"
    assert (scores.nominals.tp, scores.nominals.fn) == (0, 1)
    assert scores.overall.f1 == 40


def test_what_a_corpus_does_not_annotate_is_left_out(tiny_model: Model) -> None:
    """The model knows people, places and organisations; the corpus has all places, and some unknown text."""
    words = ["Anna", "Berg", "met", "the", "mayor", "of", "Bergen", "."]
    sentences = [LabelledSentence(words, [(6, 7, "LOC"), (0, 2, "PERSON")])] * 2
    sentences.append(LabelledSentence(words, [], unknown=((5, 8),)))
    annotation = Annotation(
        {"LOC": frozenset(["GPE", "ORG"]), "PERSON": frozenset(["PER"])}, frozenset(["LOC"])
    )
    engine = tiny_model._engine
    scored = score_corpus("places", engine, sentences, tiny_model.labels, 0.3, annotation=annotation)
    assert scored.gold == [{(6, 7, "LOC")}, {(6, 7, "LOC")}, set()]
    assert [[one[:3] for one in pool] for pool in scored.candidates] == [[(6, 7, "LOC")]] * 2 + [[]]


def test_the_agreement_that_serves_the_dev_set_is_chosen() -> None:
    gold = [{(0, 1, "ORG")}, {(0, 1, "ORG")}]
    alone = [[Candidate(0, 1, "LOC", 0.5)], [Candidate(0, 1, "ORG", 0.9)]]
    together = [[Candidate(0, 1, "ORG", 0.8)], [Candidate(0, 1, "ORG", 0.9)]]
    scored = ScoredCorpus("one", gold, alone, agreed={0.5: together, 1.0: together})
    config = DecodingConfig(agreements=(0.0, 0.5, 1.0))
    tuned = tune_corpora([scored], config)
    assert (tuned.agreement, tuned.f1) == (0.5, 100), "the first of those that are best"
    assert tuned.decoding(nested=False).agreement == 0.5
    assert tune_corpora([scored], DecodingConfig()).recall == 50
    with pytest.raises(ValueError, match="agreements must not be negative, not -1"):
        DecodingConfig(agreements=(-1.0,))


def test_candidates_are_scored_with_those_of_nearby_sentences(tiny_model: Model) -> None:
    words = ["Anna", "Berg", "met", "the", "mayor", "of", "Bergen", "."]
    sentences = [LabelledSentence(words, [], opens=not number) for number in range(3)]
    scored = score_corpus(
        "one", tiny_model._engine, sentences, tiny_model.labels, 0.3, nested=True, agreements=(0.0, 1.0)
    )
    assert list(scored.agreed) == [1.0]
    (alone, *_), (together, *_) = scored.candidates, scored.agreed[1.0]
    assert [one[:3] for one in alone] == [one[:3] for one in together]
    assert all(one.score >= other.score for one, other in zip(together, alone, strict=True))


def test_nested_decoding_keeps_what_lies_inside() -> None:
    pools = [[Candidate(0, 3, "ORG", 0.9), Candidate(2, 3, "GPE", 0.8)]]
    gold = [LabelledSentence(list("abc"), [(0, 3, "ORG"), (2, 3, "GPE")])]
    flat = DecodingConfig(strategies=("highest-first",), thresholds=(0.5,))
    nested = DecodingConfig(nested=True, strategies=("highest-first",), thresholds=(0.5,))
    assert tune(pools, gold, flat).recall == 50
    assert tune(pools, gold, nested).recall == 100
