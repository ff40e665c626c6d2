"""The lattice says of every fragment what the tagger made of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fofe.decode import STRATEGIES
from fofe.show.lattice import Fragment, lattices
from fofe.text.tokenise import tokeniser

if TYPE_CHECKING:
    from fofe.tagging.model import Model

WORDS = "Anna Berg Leeds University of The mayor met Acme in . , Li Wei New Delhi"
words = st.sampled_from(WORDS.split())


@settings(max_examples=40)
@given(
    words=st.lists(words, min_size=1, max_size=14),
    strategy=st.sampled_from(STRATEGIES),
    nested=st.booleans(),
    threshold=st.sampled_from([0.0, 0.05, 0.3, 0.8]),
    other=st.sampled_from([0.0, 0.5, 0.99]),
)
def test_outcomes_agree_with_the_mentions(
    words: list[str], strategy: str, nested: bool, threshold: float, other: float, tiny_model: Model
) -> None:
    model = tiny_model.with_options(strategy=strategy, nested=nested, threshold=threshold, exact=True)
    model.decoding = replace(model.decoding, thresholds={"PER": other, "PER_NOM": 0.9})
    document = tokeniser("en").document(" ".join(words))
    kept = set()
    for sentence, fragments in lattices(model, document):
        tokens = sentence.tokens
        spans = {(fragment.first, fragment.last): fragment for fragment in fragments}
        for fragment in fragments:
            assert_sound(fragment, spans, model)
            if fragment.outcome == "mention":
                kept.add((tokens[fragment.first].start, tokens[fragment.last].end, fragment.label))
    (tagged,) = model.tag_documents([document])
    assert kept == {(mention.start, mention.end, mention.label) for mention in tagged.mentions}


def assert_sound(fragment: Fragment, spans: dict[tuple[int, int], Fragment], model: Model) -> None:
    assert sum(fragment.probabilities) == pytest.approx(1, abs=1e-4)
    assert fragment.score == fragment.probabilities[model.labels.index(fragment.label)]
    best = max(fragment.probabilities[1:])
    if fragment.score < best:  # it stands in for one that does not reach its threshold
        likeliest = model.labels[fragment.probabilities.index(best, 1)]
        least, own = model.decoding.thresholds_of([likeliest, fragment.label])
        assert best < least
        assert fragment.score >= own
    none = fragment.probabilities[0]
    if fragment.outcome == "none":
        assert fragment.score <= none
    elif fragment.outcome == "below":
        assert none < fragment.score < model.decoding.thresholds_of([fragment.label])[0]
    if fragment.lost_to is not None:
        winner = spans[fragment.lost_to]
        assert winner.outcome == "mention"
        assert winner.first <= fragment.last
        assert fragment.first <= winner.last
    if fragment.outcome == "lost" and not model.decoding.strategy.endswith("by-word"):
        assert fragment.lost_to is not None


def test_a_text_without_words_has_no_lattice(tiny_model: Model) -> None:
    assert list(lattices(tiny_model, tokeniser("en").document(" \n"))) == []
