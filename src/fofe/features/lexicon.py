"""The lexicon view: all words of a list that run through a token, wherever a segmenter would cut the text.

Text without spaces can be cut in several ways, and a segmenter that errs hides the right one. Here every word
that the text could contain counts, by the place that the token has in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.fragments import offsets_of, ragged
from fofe.features.vocabulary import Vocabulary
from fofe.text.segment import is_letter

BEGINS, INSIDE, ENDS, ALONE = range(4)
PLACES = 4
"""Where a token can stand in a word: it begins it, is inside, ends it, or is the whole word."""
LONGEST = 8
"""Words of more tokens are not looked for: names of that length are seldom words of a list."""

WordsThrough = tuple[tuple[int, ...], ...]
"""The rows of the words that run through a token, by its place in them."""


class WordFinder:
    """Finds the words of a vocabulary in sentences of tokens of one letter."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._row_of = vocabulary.listed.get  # as it is written, with no rule applied
        self._longest = min(LONGEST, max(map(len, vocabulary.words), default=0))

    def find(self, tokens: Sequence[str]) -> list[WordsThrough]:
        """What runs through each token of a sentence; words do not reach over tokens of several letters."""
        found: list[WordsThrough] = []
        for letters, group in groupby(tokens, is_letter):
            run = list(group)
            found += self._in_run(run) if letters else map(self._alone, run)
        return found

    def _in_run(self, letters: Sequence[str]) -> list[WordsThrough]:
        run = "".join(letters)
        through: list[tuple[list[int], ...]] = [([], [], [], []) for _ in letters]
        for start in range(len(run)):
            for end in range(start + 1, min(start + self._longest, len(run)) + 1):
                row = self._row_of(run[start:end])
                if row is None:
                    continue
                through[start][ALONE if end == start + 1 else BEGINS].append(row)
                for place in range(start + 1, end):
                    through[place][ENDS if place == end - 1 else INSIDE].append(row)
        return [tuple(map(tuple, places)) for places in through]

    def _alone(self, token: str) -> WordsThrough:
        row = self._row_of(token)
        return (), (), (), () if row is None else (row,)


@dataclass(frozen=True)
class Matches:
    """The words that run through T tokens: M in all, by token and place."""

    rows: IntArray
    """[M] rows of a table."""
    offsets: IntArray
    """[4 T + 1] where the words of each place of each token begin in `rows`."""

    @classmethod
    def of(cls, found: Sequence[WordsThrough]) -> Matches:
        """The words that were found for some tokens."""
        places = [words for token in found for words in token]
        offsets = offsets_of(places)
        rows = (row for words in places for row in words)
        return cls(np.fromiter(rows, dtype=np.int32, count=offsets[-1]), offsets)

    def take(self, tokens: IntArray) -> Matches:
        """The words of some tokens [T']."""
        places = (tokens[:, None] * PLACES + np.arange(PLACES)).ravel()
        chosen, offsets = ragged(self.offsets, places)
        return Matches(self.rows[chosen], offsets)

    def means(self, vectors: FloatArray) -> FloatArray:
        """[T, 4 D] the mean of the vectors [M, D] of each place's words, zero where there are none."""
        counts = np.diff(self.offsets)
        means = np.zeros((len(counts), vectors.shape[1]), dtype=np.float32)
        some = np.flatnonzero(counts)
        if len(some):
            means[some] = np.add.reduceat(vectors, self.offsets[some], axis=0) / counts[some, None]
        return means.reshape(-1, PLACES * vectors.shape[1])
