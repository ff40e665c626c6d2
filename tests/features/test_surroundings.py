"""What sentences and those around them are about."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fofe.features.config import FAR
from fofe.features.surroundings import (
    FACTOR,
    FEW,
    FEW_AROUND,
    NEARBY,
    importance,
    surroundings,
    weighted,
)
from fofe.features.vocabulary import Vocabulary


def test_frequent_words_count_little_and_unknown_ones_nothing() -> None:
    vocabulary = Vocabulary([f"word{rank}" for rank in range(1000)], cased=False, digits="none")
    counts = importance(vocabulary)
    assert len(counts) == len(vocabulary)
    assert counts[vocabulary.row("never seen")] == 0
    frequent, rare = (counts[vocabulary.row(word)] for word in ("word5", "word900"))
    assert frequent < 0.02 < 0.7 < rare < 1


LENGTHS = st.sampled_from([1, 2, 3, 150])


@given(st.lists(st.tuples(LENGTHS, st.booleans()), min_size=1, max_size=40), st.integers(0, 99))
def test_surroundings_are_those_of_the_plain_definition(sentences: list[tuple[int, bool]], seed: int) -> None:
    lengths, opens = zip(*sentences, strict=True)
    offsets = np.cumsum([0, *lengths])
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(offsets[-1], 3)).astype(np.float32)
    weights = random.random(offsets[-1]).astype(np.float32)
    made = surroundings(
        np.add.reduceat(weighted(vectors, weights), offsets[:-1], axis=0), offsets, np.array(opens)
    )
    assert made.shape == (len(sentences), 6)
    sums = [
        (weights[start:end, None] * vectors[start:end]).sum(axis=0)
        for start, end in itertools.pairwise(offsets)
    ]
    counts = [weights[start:end].sum() for start, end in itertools.pairwise(offsets)]
    documents = np.cumsum(opens)
    for one in range(len(sentences)):
        assert np.allclose(made[one, :3], sums[one] / (counts[one] + FEW), atol=1e-5)
        around, count = np.zeros(3), 0.0
        for other in range(len(sentences)):
            distance = abs(one - other)
            apart = offsets[one] - offsets[other] if other < one else offsets[other + 1] - offsets[one + 1]
            if 0 < distance <= NEARBY and apart <= FAR and documents[one] == documents[other]:
                around += FACTOR ** (distance - 1) * sums[other]
                count += FACTOR ** (distance - 1) * counts[other]
        assert np.allclose(made[one, 3:], around / (count + FEW_AROUND), atol=1e-5)
