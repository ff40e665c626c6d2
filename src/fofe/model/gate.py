"""The gate: a narrow network that turns away most fragments before the wide layers see them.

It scores words, not fragments: whether a mention can start at a word, end there, or contain it. A fragment
passes if its first word can start one, its last can end one and all its words can be in one. The gate sees
each word with a few neighbours, and what a word adds to its hidden units is computed once for each distinct
word: so it costs a few additions a word, however many fragments there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.settings import require
from fofe.features.encoded import SentenceBounds
from fofe.features.feature import ReadText, Shapes
from fofe.features.fragments import Fragments
from fofe.features.word_codes import NeighbourLayer

PREFIX = "gate."
JUDGEMENTS = 3
"""Whether a mention can start at a word, end there, contain it: the columns of the gate's scores."""


MOST_UNITS = 10_000
"""More than any gate has: a bound for files that claim more."""


@dataclass(frozen=True)
class GateSettings:
    """What is stored of a gate besides its weights."""

    width: int
    """Its hidden units."""
    window: int
    """How many words it sees on either side of a word."""
    cut: float
    """Words that score below are turned away."""
    recall: float
    """The share of the network's own positives that it let through where its cut was chosen."""
    passed: float
    """The share of all fragments that it let through there."""

    def __post_init__(self) -> None:
        require(self, "width window", lambda size: 0 <= size <= MOST_UNITS, f"must be from 0 to {MOST_UNITS}")

    @property
    def offsets(self) -> range:
        """The offsets of the words that it sees, from a word itself."""
        return range(-self.window, self.window + 1)

    def shapes(self, read: int) -> Shapes:
        """The name and shape of each of its weights in a model whose words are vectors of `read` numbers."""
        return {
            f"{PREFIX}layers.0.weight": (self.width, len(self.offsets) * read),
            f"{PREFIX}layers.0.bias": (self.width,),
            f"{PREFIX}layers.1.weight": (JUDGEMENTS, self.width),
            f"{PREFIX}layers.1.bias": (JUDGEMENTS,),
        }


class Gate:
    """Chooses the fragments that the wide layers are to score."""

    def __init__(self, settings: GateSettings, weights: Mapping[str, FloatArray], max_words: int) -> None:
        self._cut = settings.cut
        self._max_words = max_words
        weight, bias = weights[f"{PREFIX}layers.0.weight"], weights[f"{PREFIX}layers.0.bias"]
        self.hidden = NeighbourLayer("gate", settings.offsets, weight, bias)
        self._output = np.ascontiguousarray(weights[f"{PREFIX}layers.1.weight"].T)
        self._output_bias = weights[f"{PREFIX}layers.1.bias"]

    def choose(self, text: ReadText) -> Fragments:
        """The fragments that pass."""
        # [T, 3] how well a mention can start at each word, end there, and contain it.
        scores: FloatArray = self.hidden.units(text) @ self._output
        scores += self._output_bias
        return passing(scores, self._cut, text, self._max_words)


def passing(scores: FloatArray, cut: float, bounds: SentenceBounds, max_words: int) -> Fragments:
    """The fragments all of whose scores reach the cut, in the order of first words and lengths."""
    starts, ends, inside = (scores >= cut).T
    count = bounds.token_count
    lengths = np.diff(bounds.token_offsets)
    stops = np.where(inside, np.repeat(bounds.token_offsets[1:], lengths), np.arange(count))
    stops = np.minimum.accumulate(stops[::-1])[::-1]
    firsts = np.flatnonzero(starts & inside)
    extras = np.arange(max_words)
    lasts = np.minimum(firsts[:, None] + extras, count - 1)
    rows, extra = np.nonzero(ends[lasts] & (extras < (stops[firsts] - firsts)[:, None]))
    sentences = np.repeat(np.arange(len(bounds)), lengths)
    firsts = firsts[rows]
    return Fragments(sentences[firsts], firsts, firsts + extra)


def fragment_scores(scores: FloatArray, firsts: IntArray, lasts: IntArray) -> FloatArray:
    """[F] the lowest of the word scores [T, 3] that a fragment depends on, for each of some fragments."""
    lowest: FloatArray = np.minimum(scores[firsts, 0], scores[lasts, 1])
    for extra in range(int((lasts - firsts).max(initial=0)) + 1):
        within = np.minimum(firsts + extra, lasts)
        np.minimum(lowest, scores[within, 2], out=lowest)
    return lowest
