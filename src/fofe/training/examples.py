"""Labelled sentences as training examples: every fragment with its set of admissible labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import BoolArray, IntArray
from fofe.base.report import Report
from fofe.features.fragments import Fragments, all_fragments
from fofe.text.align import TokenRegions, align, token_regions
from fofe.text.document import NONE, Document
from fofe.text.normalise import normalise
from fofe.training.annotation import NEGATIVE, UNKNOWN, UNKNOWN_OUTSIDE, Annotation, one_to_one
from fofe.training.places import Places, marked, mention_places

EXACT, OVERLAPPING, DISJOINT, UNSEEN = 0, 1, 2, 3


@dataclass(frozen=True)
class LabelledSentence:
    """The words of a sentence and its mentions as half-open token spans with labels."""

    words: list[str]
    spans: list[tuple[int, int, str]]
    opens: bool = True
    """Whether it is the first of its document."""
    unknown: tuple[tuple[int, int], ...] = ()
    """Where a fragment that is not annotated may be a mention or not."""
    negatives: tuple[tuple[int, int], ...] = ()
    """Fragments that are known to be no mention."""


def labelled_sentences(
    documents: Iterable[Document], report: Report, *, unannotated: str = NEGATIVE
) -> list[LabelledSentence]:
    """The sentences of tokenised documents; mentions that are not on token borders are reported.

    `unannotated` says which text is taken for annotated: all of it but the unknown regions, none of it, or
    none outside the known regions.
    """
    sentences: list[LabelledSentence] = []
    for document in documents:
        aligned, rest = align(document)
        for mention in rest:
            report.note("mentions not on token borders left out", f"{document.id}:{mention.start}")
        spans: list[list[tuple[int, int, str]]] = [[] for _ in document.sentences]
        for span, mention in aligned:
            spans[span.sentence].append((span.start, span.end, mention.label))
        regions, without_tokens = token_regions(document)
        for region in without_tokens:
            report.note("regions that hold no tokens left out", f"{document.id}:{region.start}")
        sentences += [
            LabelledSentence(
                normalise(sentence.words),
                found,
                number == 0,
                _unknown(len(sentence), marks, unannotated),
                tuple(marks.negatives),
            )
            for number, (sentence, found, marks) in enumerate(
                zip(document.sentences, spans, regions, strict=True)
            )
        ]
    return sentences


def _unknown(length: int, marks: TokenRegions, unannotated: str) -> tuple[tuple[int, int], ...]:
    if unannotated == UNKNOWN:
        return ((0, length),)
    if unannotated == UNKNOWN_OUTSIDE:
        return (*_outside(marks.known, length), *marks.unknown)
    return tuple(marks.unknown)


def _outside(spans: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """What spans leave over of so many tokens."""
    position = 0
    for start, end in sorted(spans):
        if position < start:
            yield position, start
        position = max(position, end)
    if position < length:
        yield position, length


@dataclass(frozen=True)
class Examples:
    """Every fragment of the training sentences, in their order; F in all."""

    fragments: Fragments
    offsets: IntArray
    """[S + 1] where the fragments of each sentence begin."""
    categories: IntArray
    """[F] exact, overlapping, disjoint, or unseen: those that may be anything, so nothing is learned."""
    targets: IntArray
    """[F] which of the target sets."""
    target_sets: BoolArray
    """[N, K] the sets of labels that occur as targets."""
    told_targets: IntArray | None = None
    """[F] which of the target sets where the network is told whose conventions to follow, if it ever is."""


def make_examples(
    sentences: Sequence[LabelledSentence],
    token_offsets: IntArray,
    labels: Sequence[str],
    max_words: int,
    annotations: Sequence[tuple[Annotation, int]] | None = None,
    *,
    told: bool = False,
) -> Examples:
    """Sort all fragments of up to `max_words` words into exact, overlapping and disjoint, with targets.

    `annotations` says how many sentences, one after another, are annotated in which way; by default all
    of them are, in full. `told` asks for the targets of a network that is told which one it reads, too.
    """
    fragments = all_fragments(token_offsets, max_words)
    counts = np.bincount(fragments.sentences, minlength=len(sentences))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    categories = np.empty(len(fragments), dtype=np.int8)
    targets = np.empty(len(fragments), dtype=np.int16)
    told_targets = np.empty(len(fragments), dtype=np.int16) if told else None
    sets = _TargetSets(labels)
    first = 0
    for annotation, count in annotations or [(one_to_one(labels[1:]), len(sentences))]:
        last = first + count
        part = slice(offsets[first], offsets[last])
        judge = _Judge(annotation, sets, max_words)
        borders = token_offsets[first : last + 1] - token_offsets[first]
        categories[part], targets[part] = judge.judge(sentences[first:last], borders)
        if told_targets is not None:
            told_judge = _Judge(annotation.told(), sets, max_words)
            _, told_targets[part] = told_judge.judge(sentences[first:last], borders)
        first = last
    target_sets = sets.table()
    anything = np.flatnonzero(target_sets.all(axis=1))
    categories[np.isin(targets, anything)] = UNSEEN
    return Examples(fragments, offsets, categories, targets, target_sets, told_targets)


class _TargetSets:
    """Numbers the distinct sets of labels; number 0 is {NONE}."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = list(labels)
        self._numbers: dict[frozenset[str], int] = {frozenset([NONE]): 0}

    def number(self, admissible: Iterable[str]) -> int:
        return self._numbers.setdefault(frozenset(admissible), len(self._numbers))

    def table(self) -> BoolArray:
        return np.array([[label in members for label in self.labels] for members in self._numbers])


class _Judge:
    """Says what every fragment of a corpus may be."""

    def __init__(self, annotation: Annotation, sets: _TargetSets, max_words: int) -> None:
        self._annotation = annotation
        self._sets = sets
        self._max_words = max_words
        self._absent = sets.number(annotation.absent(sets.labels))

    def judge(
        self, sentences: Sequence[LabelledSentence], token_offsets: IntArray
    ) -> tuple[IntArray, IntArray]:
        """[F] and [F]: the categories of fragments, and which of the target sets."""
        places = mention_places([sentence.spans for sentence in sentences], token_offsets, self._max_words)
        categories = np.where(places.touching(), OVERLAPPING, DISJOINT).astype(np.int8)
        targets = np.full(len(categories), self._absent, dtype=np.int16)
        unknown = marked([sentence.unknown for sentence in sentences], token_offsets)
        if unknown.any():
            targets[places.holding(unknown)] = self._sets.number(self._sets.labels)
        if not self._annotation.nested:
            self._flat(places, targets)
        if unknown.any() or not self._annotation.nested:
            targets[places.crossing()] = self._absent
        self._exact(sentences, token_offsets, places, categories, targets)
        return categories, targets

    def _flat(self, places: Places, targets: IntArray) -> None:
        """What lies inside or around the mentions of a corpus that annotates neither."""
        around, inside = self._annotation.around, self._annotation.inside
        everything = frozenset(self._sets.labels)
        targets[places.around()] = self._sets.number(everything) if around == UNKNOWN else self._absent
        for label, within in places.inside().items():
            if inside == UNKNOWN:
                admissible = everything
            elif inside == NEGATIVE:
                admissible = self._annotation.absent(everything)
            else:
                admissible = everything - self._annotation.labels[label]
            targets[within] = self._sets.number(admissible)

    def _exact(
        self,
        sentences: Sequence[LabelledSentence],
        token_offsets: IntArray,
        places: Places,
        categories: IntArray,
        targets: IntArray,
    ) -> None:
        """The mentions themselves, and what is marked as none."""
        for number, sentence in enumerate(sentences):
            if not sentence.spans and not sentence.negatives:
                continue
            together: dict[tuple[int, int], set[str]] = {span: set() for span in sentence.negatives}
            for start, end, label in sentence.spans:
                together.setdefault((start, end), set()).add(label)
            for (start, end), own in together.items():
                if end - start <= self._max_words:
                    fragment = places.fragment(int(token_offsets[number]) + start, end - start)
                    categories[fragment] = EXACT
                    admissible = self._annotation.present(own) if own else {NONE}
                    targets[fragment] = self._sets.number(admissible)
