"""What a sentence and those around it are about, as two vectors.

The contexts of a fragment end with its sentence. Whether *Barcelona* is a city or a club often stands in
others: they speak of goals. So the network can also see the mean of the sentence's words, and the mean of
those around it by a FOFE code of sentences: what stands further away counts less.
"""

from __future__ import annotations

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray, IntArray
from fofe.features.vocabulary import Vocabulary

NEARBY = 16
"""How many sentences before and after are seen."""
FAR = 1000
"""How many tokens these may take: text without full stops has sentences without end."""
FACTOR = 0.8
"""The forgetting factor from one sentence to the next."""
FREQUENT = 300
"""The word of this rank counts half: those before it say little of what a text is about."""
FEW, FEW_AROUND = 1, 5
"""Added to the number of words that a mean is taken over: few of them say little."""


def importance(vocabulary: Vocabulary) -> FloatArray:
    """[V] what each word counts, by its rank in the vocabulary; unknown words count nothing."""
    ranks = np.arange(len(vocabulary.words), dtype=np.float32)
    return np.concatenate([np.zeros(len(vocabulary.unknowns)), ranks / (ranks + FREQUENT)]).astype(np.float32)


def weighted(vectors: FloatArray, weights: FloatArray) -> FloatArray:
    """[T, D + 1] the vectors [T, D] of words times what they count [T], and that beside them."""
    return np.concatenate([vectors * weights[:, None], weights[:, None]], axis=1)


def sentence_sums(words: FloatArray, token_offsets: IntArray) -> FloatArray:
    """[S, D + 1] the sums of the weighted words [T, D + 1] of sentences, which begin at offsets [S + 1]."""
    sums: FloatArray = np.add.reduceat(words, token_offsets[:-1], axis=0)
    return sums


def surroundings(sums: FloatArray, token_offsets: IntArray, opens: BoolArray) -> FloatArray:
    """[S, 2 D] what each sentence and those around it in its document are about.

    `sums` [S, D + 1] are those of the sentences' weighted words, `token_offsets` [S + 1] say where the words
    of each begin, `opens` [S] which sentences open a document.
    """
    documents, starts, ends = np.cumsum(opens), token_offsets[:-1], token_offsets[1:]
    around = np.zeros_like(sums)
    for distance in range(1, min(NEARBY, len(sums) - 1) + 1):
        together = documents[distance:] == documents[:-distance]
        faded = np.float32(FACTOR ** (distance - 1))
        before = together & (starts[distance:] - starts[:-distance] <= FAR)
        after = together & (ends[distance:] - ends[:-distance] <= FAR)
        around[distance:] += faded * before[:, None] * sums[:-distance]
        around[:-distance] += faded * after[:, None] * sums[distance:]
    return np.concatenate([_means(sums, FEW), _means(around, FEW_AROUND)], axis=1)


def _means(sums: FloatArray, more: int) -> FloatArray:
    """[S, D] of sums and what they were taken over [S, D + 1]."""
    means: FloatArray = sums[:, :-1] / (sums[:, -1:] + more)
    return means
