"""Surroundings: the subject of a sentence and of the sentences around it, as two vectors.

The contexts of a fragment end with its sentence. Whether *Barcelona* is a city or a club is often clear from
other sentences, which speak of goals. So the network can also see the mean of the sentence's words, and the
mean of the words around it by a FOFE code of sentences: what is further away counts less.

A sentence of thousands of words is tagged in windows (`fofe.tagging.batching`): it is then about what the
words of a window are about, some thousand before and after a fragment. Sentences beside it are not affected.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fofe.base.arrays import BoolArray, FloatArray, IntArray
from fofe.features.config import FAR, ModelConfig
from fofe.features.encoded import EncodedText
from fofe.features.feature import Feature, ModelParts, ReadText
from fofe.features.fragments import Fragments
from fofe.features.vocabulary import Vocabulary
from fofe.features.word_table import Table

SURROUNDINGS = "surroundings"
SUBJECTS = "subjects"

NEARBY = 16
"""How many sentences before and after are seen."""
FACTOR = 0.8
"""The forgetting factor from one sentence to the next."""
FREQUENT = 300
"""The word of this rank counts half: more frequent ones say little about a subject."""
FEW, FEW_AROUND = 1, 5
"""Added to the number of words that a mean is taken over: few of them say little."""


class Surroundings(Feature):
    """The subject of a fragment's sentence and of those around it."""

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        widths = {view.name: view.width for view in config.views}
        return {} if config.surroundings is None else {SURROUNDINGS: 2 * widths[config.surroundings]}

    @staticmethod
    def arrays(text: EncodedText, fragments: Fragments) -> dict[str, NDArray[Any]]:
        """[F, 2 D] the subjects of each fragment's sentence and of those around it."""
        if text.surroundings is None:
            return {}
        return {SURROUNDINGS: text.surroundings[fragments.sentences]}

    def __init__(self, model: ModelParts) -> None:
        assert model.config.surroundings is not None, "only a model with surroundings has this feature"
        self._view = model.config.surroundings
        self._table = Table.from_weights(model.weights, self._view)
        self._importance = importance(model.encoder.vocabularies[self._view])
        self._weight = model.columns[SURROUNDINGS]

    def of_words(self, text: EncodedText, vectors: FloatArray) -> dict[str, FloatArray]:
        """[U, D + 1] what words say about the subject, and how much it counts."""
        rows = text.words[self._view]
        return {SUBJECTS: weighted(self._table.rows(rows), self._importance[rows])}

    def add_to_starts(self, starts: FloatArray, firsts: IntArray, text: ReadText) -> None:
        """All fragments with one first word are in one sentence."""
        offsets = text.token_offsets
        sums = np.add.reduceat(text.rows(SUBJECTS), offsets[:-1], axis=0)
        added = surroundings(sums, offsets, text.opens) @ self._weight
        sentence_of = np.repeat(np.arange(len(text)), np.diff(offsets))
        starts += added.take(sentence_of[firsts], axis=0)


def importance(vocabulary: Vocabulary) -> FloatArray:
    """[V] what each word counts, by its rank in the vocabulary; unknown words count nothing."""
    ranks = np.arange(len(vocabulary.words), dtype=np.float32)
    return np.concatenate([np.zeros(len(vocabulary.unknowns)), ranks / (ranks + FREQUENT)]).astype(np.float32)


def weighted(vectors: FloatArray, weights: FloatArray) -> FloatArray:
    """[T, D + 1] the vectors [T, D] of words times their weights [T], and these weights beside them."""
    return np.concatenate([vectors * weights[:, None], weights[:, None]], axis=1)


def surroundings(
    sums: FloatArray, token_offsets: IntArray, opens: BoolArray | Sequence[bool] | None
) -> FloatArray:
    """[S, 2 D] the subjects of each sentence and of those around it in its document.

    `sums` [S, D + 1] are those of the sentences' weighted words, `token_offsets` [S + 1] say where the words
    of each begin, `opens` [S] which sentences open a document; each is one if it is not given.
    """
    documents = np.arange(len(sums)) if opens is None else np.cumsum(opens)
    starts, ends = token_offsets[:-1], token_offsets[1:]
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
