"""How fragments lie to the mentions of their sentence: touching, crossing, inside, around."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fofe.base.arrays import BoolArray, IntArray
from fofe.features.fragments import all_fragments


def marked(spans: Sequence[Sequence[tuple[int, ...]]], token_offsets: IntArray) -> BoolArray:
    """[T] whether a token lies in one of the spans (start, end, ...) of its sentence."""
    change = np.zeros(int(token_offsets[-1]) + 1, dtype=np.int64)
    for first, of_sentence in zip(token_offsets.tolist(), spans, strict=False):
        for start, end, *_ in of_sentence:
            change[first + start] += 1
            change[first + end] -= 1
    return np.cumsum(change)[:-1] > 0


class Places:
    """The fragments of up to `max_words` words of some sentences, and M mentions in them."""

    def __init__(
        self,
        starts: IntArray,
        ends: IntArray,
        labels: Sequence[str],
        token_offsets: IntArray,
        max_words: int,
    ) -> None:
        """`starts` and `ends` are [M], half-open, counted in all T tokens."""
        self._starts, self._ends, self._labels = starts, ends, labels
        self._tokens = int(token_offsets[-1])
        fragments = all_fragments(token_offsets, max_words)
        self._firsts, self._lasts = fragments.firsts, fragments.lasts
        self._first_fragments = np.searchsorted(self._firsts, np.arange(self._tokens))

    def fragment(self, first: int, length: int) -> int:
        """The number of the fragment of so many words from a token on."""
        return int(self._first_fragments[first]) + length - 1

    def holding(self, tokens: BoolArray) -> BoolArray:
        """[F] whether a fragment holds any of the tokens that are marked in [T]."""
        before = np.concatenate([[0], np.cumsum(tokens)])
        held: BoolArray = before[self._lasts + 1] > before[self._firsts]
        return held

    def touching(self) -> BoolArray:
        """[F] whether a fragment shares a token with any mention."""
        change = np.bincount(self._starts, minlength=self._tokens + 1)
        change -= np.bincount(self._ends, minlength=self._tokens + 1)
        return self.holding(np.cumsum(change)[:-1] > 0)

    def around(self) -> BoolArray:
        """[F] whether a fragment holds a whole mention: that with the nearest end of those from there on."""
        nearest = np.full(self._tokens + 1, self._tokens + 1)
        np.minimum.at(nearest, self._starts, self._ends)
        nearest = np.minimum.accumulate(nearest[::-1])[::-1]
        held: BoolArray = nearest[self._firsts] <= self._lasts + 1
        return held

    def inside(self) -> dict[str, BoolArray]:
        """For each label: [F] whether a fragment lies in a mention of it; of those that overlap the last."""
        holder = np.full(self._tokens, -1)
        for number, (start, end) in enumerate(zip(self._starts.tolist(), self._ends.tolist(), strict=True)):
            holder[start:end] = number
        first, last = holder[self._firsts], holder[self._lasts]
        within = (first == last) & (first >= 0)
        numbers = {label: number for number, label in enumerate(dict.fromkeys(self._labels))}
        label_of = np.array([numbers[label] for label in self._labels] + [-1])
        held_by = np.where(within, label_of[first], -1)
        return {label: held_by == number for label, number in numbers.items()}

    def crossing(self) -> BoolArray:
        """[F] whether a fragment shares tokens with a mention while each has some of its own.

        A mention crosses from the left if it ends in the fragment, before its last word, and starts before
        it; so the earliest start of those that end at each place is enough to know, and the mirror image.
        """
        earliest = np.full(self._tokens + 1, self._tokens)
        np.minimum.at(earliest, self._ends, self._starts)
        furthest = np.zeros(self._tokens + 1, dtype=np.int64)
        np.maximum.at(furthest, self._starts, self._ends)
        crossed = np.zeros(len(self._firsts), dtype=bool)
        lengths = self._lasts - self._firsts
        for place in range(1, int(lengths.max(initial=0)) + 1):
            longer = np.flatnonzero(lengths >= place)
            border = self._firsts[longer] + place
            from_left = earliest[border] < self._firsts[longer]
            from_right = furthest[border] > self._lasts[longer] + 1
            crossed[longer] |= from_left | from_right
        return crossed


def mention_places(
    spans: Sequence[Sequence[tuple[int, int, str]]], token_offsets: IntArray, max_words: int
) -> Places:
    """The places of the labelled spans of sentences."""
    starts: list[int] = []
    ends: list[int] = []
    labels: list[str] = []
    for first, of_sentence in zip(token_offsets.tolist(), spans, strict=False):
        for start, end, label in of_sentence:
            starts.append(first + start)
            ends.append(first + end)
            labels.append(label)
    return Places(
        np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64), labels, token_offsets, max_words
    )
