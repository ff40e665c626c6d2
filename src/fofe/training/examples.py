"""Training examples: every fragment of the labelled sentences with its set of admissible labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fofe.base.arrays import BoolArray, IntArray
from fofe.features.fragments import Fragments, all_fragments, offsets_of
from fofe.text.document import NONE
from fofe.training.annotation import NEGATIVE, UNKNOWN, Annotation, Sentences, Span, one_to_one

EXACT, OVERLAPPING, DISJOINT, UNSEEN = 0, 1, 2, 3

TargetSets = dict[frozenset[str], int]
"""The numbers of distinct sets of labels."""


@dataclass(frozen=True)
class Examples:
    """Every fragment of the training sentences, in their order; F in all."""

    fragments: Fragments
    offsets: IntArray
    """[S + 1] where the fragments of each sentence begin."""
    categories: IntArray
    """[F] exact, overlapping, disjoint, or unseen: those that may be anything teach nothing."""
    targets: IntArray
    """[F] the numbers of the target sets."""
    target_sets: BoolArray
    """[N, K] the sets of labels that occur as targets."""
    conditioned_targets: IntArray | None = None
    """[F] the target sets for a network conditioned on the corpus, where there is conditioning."""


def make_examples(
    sentences: Sentences,
    labels: Sequence[str],
    max_words: int,
    annotations: Sequence[tuple[Annotation, int]] | None = None,
    *,
    conditioned: bool = False,
) -> Examples:
    """Sort all fragments of up to `max_words` words into exact, overlapping and disjoint, with targets.

    `annotations` gives for each corpus its annotation and its number of sentences, in their order; by default
    all sentences are fully annotated. `conditioned` adds the targets of a network conditioned on the corpus.
    """
    fragments = all_fragments(offsets_of(sentences), max_words)
    offsets = np.searchsorted(fragments.sentences, np.arange(len(sentences) + 1))
    categories = np.empty(len(fragments), dtype=np.int8)
    targets = np.empty(len(fragments), dtype=np.int16)
    conditioned_targets = np.empty(len(fragments), dtype=np.int16) if conditioned else None
    sets: TargetSets = {frozenset([NONE]): 0}
    first = 0
    for annotation, count in annotations or [(one_to_one(labels[1:]), len(sentences))]:
        last = first + count
        part = slice(offsets[first], offsets[last])
        of_corpus = sentences[first:last]
        spans = [sentence.spans for sentence in of_corpus]
        how = of_corpus, MentionPositions(spans, offsets_of(of_corpus), max_words), frozenset(labels), sets
        categories[part], targets[part] = _targets(annotation, *how)
        if conditioned_targets is not None:
            _, conditioned_targets[part] = _targets(annotation.conditioned(), *how)
        first = last
    target_sets = np.array([[label in admissible for label in labels] for admissible in sets])
    categories[np.isin(targets, np.flatnonzero(target_sets.all(axis=1)))] = UNSEEN
    return Examples(fragments, offsets, categories, targets, target_sets, conditioned_targets)


def _targets(
    annotation: Annotation,
    sentences: Sentences,
    positions: MentionPositions,
    labels: frozenset[str],
    sets: TargetSets,
) -> tuple[IntArray, IntArray]:
    """[F] and [F]: the categories of the fragments of a corpus, and the numbers of their target sets."""

    def number(admissible: frozenset[str]) -> int:
        return sets.setdefault(admissible, len(sets))

    absent = annotation.absent(labels)
    categories = np.where(positions.touching(), OVERLAPPING, DISJOINT).astype(np.int8)
    targets = np.full(len(categories), number(absent), dtype=np.int16)
    unknown = positions.marked([sentence.unknown for sentence in sentences])
    if unknown.any():
        targets[positions.containing(unknown)] = number(labels)
    if not annotation.nested:  # nothing inside or around a mention is annotated
        targets[positions.around()] = number(labels if annotation.around == UNKNOWN else absent)
        for label, inside in positions.inside().items():
            others = labels - annotation.labels[label]
            targets[inside] = number({UNKNOWN: labels, NEGATIVE: absent}.get(annotation.inside, others))
    if unknown.any() or not annotation.nested:
        targets[positions.crossing()] = number(absent)
    for row, sentence in enumerate(sentences):
        labels_of: dict[tuple[int, int], set[str]] = {span: set() for span in sentence.negatives}
        for start, end, label in sentence.spans:
            labels_of.setdefault((start, end), set()).add(label)
        for (start, end), own in labels_of.items():
            fragment = positions.fragment(row, start, end)
            if fragment is not None:
                categories[fragment] = EXACT
                targets[fragment] = number(annotation.present(own) if own else frozenset([NONE]))
    return categories, targets


class MentionPositions:
    """How the fragments of up to `max_words` words lie to the M mentions of their sentences.

    There are T tokens and F fragments. `token_offsets` [S + 1] is where the tokens of each sentence begin.
    """

    def __init__(self, spans: Sequence[Sequence[Span]], token_offsets: IntArray, max_words: int) -> None:
        self._offsets = token_offsets.tolist()
        self._max_words = max_words
        self._tokens: int = self._offsets[-1]
        self._spans = spans
        self._starts, self._ends = self._in_text(spans)
        self._labels = [label for of_sentence in spans for _, _, label in of_sentence]
        fragments = all_fragments(token_offsets, max_words)
        self._firsts, self._lasts = fragments.firsts, fragments.lasts
        self._first_fragments = np.searchsorted(self._firsts, np.arange(self._tokens))

    def fragment(self, sentence: int, start: int, end: int) -> int | None:
        """The number of the fragment on a span of a sentence; none if the span is too long."""
        if end - start > self._max_words:
            return None
        return int(self._first_fragments[self._offsets[sentence] + start]) + end - start - 1

    def _in_text(self, spans: Sequence[Sequence[tuple[Any, ...]]]) -> IntArray:
        """[2, M] the starts and the ends of the spans of each sentence, as positions in the text."""
        ends = [
            (first + start, first + end)
            for first, of_sentence in zip(self._offsets, spans, strict=False)
            for start, end, *_ in of_sentence
        ]
        return np.array(ends, dtype=np.int64).reshape(-1, 2).T

    def marked(self, spans: Sequence[Sequence[tuple[Any, ...]]]) -> BoolArray:
        """[T] whether a token lies in one of the spans of its sentence."""
        starts, ends = self._in_text(spans)
        change = np.bincount(starts, minlength=self._tokens + 1)
        change -= np.bincount(ends, minlength=self._tokens + 1)
        return np.cumsum(change)[:-1] > 0

    def containing(self, tokens: BoolArray) -> BoolArray:
        """[F] whether a fragment contains any of the tokens that are marked in [T]."""
        before = np.concatenate([[0], np.cumsum(tokens)])
        contains: BoolArray = before[self._lasts + 1] > before[self._firsts]
        return contains

    def touching(self) -> BoolArray:
        """[F] whether a fragment shares a token with any mention."""
        return self.containing(self.marked(self._spans))

    def around(self) -> BoolArray:
        """[F] whether a fragment contains a mention: of those from its start on, the first to end."""
        nearest = np.full(self._tokens + 1, self._tokens + 1)
        np.minimum.at(nearest, self._starts, self._ends)
        nearest = np.minimum.accumulate(nearest[::-1])[::-1]
        contains: BoolArray = nearest[self._firsts] <= self._lasts + 1
        return contains

    def inside(self) -> dict[str, BoolArray]:
        """For each label: [F] whether a fragment lies in a mention of it; of overlapping ones the last."""
        mention_of = np.full(self._tokens, -1)
        for number, (start, end) in enumerate(zip(self._starts.tolist(), self._ends.tolist(), strict=True)):
            mention_of[start:end] = number
        first, last = mention_of[self._firsts], mention_of[self._lasts]
        numbers = {label: number for number, label in enumerate(dict.fromkeys(self._labels))}
        label_of = np.array([numbers[label] for label in self._labels] + [-1])
        inside_of = np.where((first == last) & (first >= 0), label_of[first], -1)
        return {label: inside_of == number for label, number in numbers.items()}

    def crossing(self) -> BoolArray:
        """[F] whether a fragment shares tokens with a mention while each has some of its own.

        A mention crosses from the left if it ends in the fragment, before its last word, and starts before
        it; so the earliest start of the mentions that end at each border decides, and the mirror image.
        """
        earliest = np.full(self._tokens + 1, self._tokens)
        np.minimum.at(earliest, self._ends, self._starts)
        furthest = np.zeros(self._tokens + 1, dtype=np.int64)
        np.maximum.at(furthest, self._starts, self._ends)
        crossed = np.zeros(len(self._firsts), dtype=bool)
        lengths = self._lasts - self._firsts
        for distance in range(1, int(lengths.max(initial=0)) + 1):
            longer = np.flatnonzero(lengths >= distance)
            border = self._firsts[longer] + distance
            from_left = earliest[border] < self._firsts[longer]
            from_right = furthest[border] > self._lasts[longer] + 1
            crossed[longer] |= from_left | from_right
        return crossed
