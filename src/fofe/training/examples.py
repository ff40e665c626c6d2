"""Training examples: every fragment of the labelled sentences with its set of admissible labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fofe.base.arrays import BoolArray, IntArray
from fofe.features.fragments import Fragments, all_fragments, covered_tokens, offsets_of
from fofe.text.document import NONE
from fofe.training.annotation import NEGATIVE, UNKNOWN, Annotation, Sentences, one_to_one

EXACT, OVERLAPPING, DISJOINT, UNSEEN = 0, 1, 2, 3

TargetSets = dict[frozenset[str], int]
"""The numbers of distinct sets of labels."""


@dataclass(frozen=True)
class Examples:
    """Every fragment of the training sentences, in their order; F in all."""

    fragments: Fragments
    categories: IntArray
    """[F] exact, overlapping, disjoint, or unseen: those that may be anything teach nothing."""
    targets: IntArray
    """[F] the numbers of the target sets."""
    target_sets: BoolArray
    """[N, K] the sets of labels that occur as targets, and each label alone."""
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
    sets: TargetSets = {frozenset([NONE]): 0}
    known = frozenset(labels)
    parts, conditioned_parts = [], []
    first = 0
    for annotation, count in annotations or [(one_to_one(labels[1:]), len(sentences))]:
        positions = MentionPositions(sentences[first : first + count], max_words)
        parts.append(_targets(annotation, positions, known, sets))
        if conditioned:
            conditioned_parts.append(_targets(annotation.conditioned(), positions, known, sets)[1])
        first += count
    for label in labels:  # plain text that teachers label has each alone
        sets.setdefault(frozenset([label]), len(sets))
    categories, targets = map(np.concatenate, zip(*parts, strict=True))
    target_sets = np.array([[label in admissible for label in labels] for admissible in sets])
    categories[np.isin(targets, np.flatnonzero(target_sets.all(axis=1)))] = UNSEEN
    fragments = all_fragments(offsets_of(sentences), max_words)
    conditioned_targets = np.concatenate(conditioned_parts) if conditioned else None
    return Examples(fragments, categories, targets, target_sets, conditioned_targets)


def _targets(
    annotation: Annotation, positions: MentionPositions, labels: frozenset[str], sets: TargetSets
) -> tuple[IntArray, IntArray]:
    """[F] and [F]: the categories of the fragments of a corpus, and the numbers of their target sets."""

    def number(admissible: frozenset[str]) -> int:
        return sets.setdefault(admissible, len(sets))

    absent = annotation.absent(labels)
    categories = np.where(positions.touching(), OVERLAPPING, DISJOINT).astype(np.int8)
    targets = np.full(len(categories), number(absent), dtype=np.int16)
    unknown = positions.unknown()
    if unknown.any():
        targets[unknown] = number(labels)
    if not annotation.nested:  # nothing inside or around a mention is annotated
        targets[positions.around()] = number(labels if annotation.around == UNKNOWN else absent)
        for label, inside in positions.inside().items():
            others = labels - annotation.labels[label]
            targets[inside] = number({UNKNOWN: labels, NEGATIVE: absent}.get(annotation.inside, others))
    if unknown.any() or not annotation.nested:
        targets[positions.crossing()] = number(absent)
    for fragment, own in positions.exact().items():
        categories[fragment] = EXACT
        targets[fragment] = number(annotation.present(own) if own else frozenset([NONE]))
    return categories, targets


def sharing_tokens(fragments: Fragments, spans: Fragments, token_count: int) -> BoolArray:
    """[F] whether a fragment shares a token with any of the spans."""
    before = np.append(0, np.cumsum(covered_tokens(spans, token_count)))
    shares: BoolArray = before[fragments.lasts + 1] > before[fragments.firsts]
    return shares


class MentionPositions:
    """How the F fragments of up to `max_words` words lie to the M mentions of their sentences."""

    def __init__(self, sentences: Sentences, max_words: int) -> None:
        self._sentences = sentences
        self._offsets = offsets_of(sentences)
        self._tokens = int(self._offsets[-1])
        self._max_words = max_words
        self._fragments = all_fragments(self._offsets, max_words)
        self._firsts, self._lasts = self._fragments.firsts, self._fragments.lasts
        self._mentions = self._in_text([sentence.spans for sentence in sentences])
        self._starts, self._ends = self._mentions.firsts, self._mentions.lasts + 1
        self._labels = [label for sentence in sentences for _, _, label in sentence.spans]

    def _in_text(self, spans: Iterable[Iterable[tuple[Any, ...]]]) -> Fragments:
        """The spans of each sentence as fragments of the text, however long."""
        offsets = self._offsets.tolist()
        found = [
            (row, offsets[row] + start, offsets[row] + end - 1)
            for row, of_sentence in enumerate(spans)
            for start, end, *_ in of_sentence
        ]
        return Fragments(*np.array(found, dtype=np.int64).reshape(-1, 3).T)

    def exact(self) -> dict[int, set[str]]:
        """The labels of each fragment that is a mention; none for one that is marked as negative."""
        first_fragments = np.searchsorted(self._firsts, np.arange(self._tokens)).tolist()
        labels_of: dict[int, set[str]] = {}
        for offset, sentence in zip(self._offsets.tolist(), self._sentences, strict=False):
            negatives = [(*span, None) for span in sentence.negatives]
            for start, end, label in [*negatives, *sentence.spans]:
                if end - start <= self._max_words:
                    fragment = first_fragments[offset + start] + end - start - 1
                    labels_of.setdefault(fragment, set()).update([label] if label else [])
        return labels_of

    def unknown(self) -> BoolArray:
        """[F] whether a fragment shares a token with an unknown region."""
        regions = self._in_text([sentence.unknown for sentence in self._sentences])
        return sharing_tokens(self._fragments, regions, self._tokens)

    def touching(self) -> BoolArray:
        """[F] whether a fragment shares a token with any mention."""
        return sharing_tokens(self._fragments, self._mentions, self._tokens)

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
