"""Labelled sentences as training examples: every fragment with its set of admissible labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fofe._arrays import BoolArray, IntArray
from fofe.encode.fragments import Fragments, all_fragments
from fofe.formats.report import Report
from fofe.text.align import align
from fofe.text.document import Document

NONE = "NONE"
EXACT, OVERLAPPING, DISJOINT = 0, 1, 2


@dataclass(frozen=True)
class LabelledSentence:
    """The words of a sentence and its mentions as half-open token spans with labels."""

    words: list[str]
    spans: list[tuple[int, int, str]]
    opens: bool = True
    """Whether it is the first of its document."""


def labelled_sentences(documents: Iterable[Document], report: Report) -> list[LabelledSentence]:
    """The sentences of tokenised documents; mentions that are not on token borders are reported."""
    sentences: list[LabelledSentence] = []
    for document in documents:
        aligned, rest = align(document)
        for mention in rest:
            report.note("mentions not on token borders left out", f"{document.id}:{mention.start}")
        spans: list[list[tuple[int, int, str]]] = [[] for _ in document.sentences]
        for span, mention in aligned:
            spans[span.sentence].append((span.start, span.end, mention.label))
        sentences += [
            LabelledSentence(sentence.words, found, number == 0)
            for number, (sentence, found) in enumerate(zip(document.sentences, spans, strict=True))
        ]
    return sentences


def label_list(sentences: Iterable[LabelledSentence]) -> list[str]:
    """NONE and the labels that occur, in order."""
    return [NONE, *sorted({label for sentence in sentences for _, _, label in sentence.spans})]


@dataclass(frozen=True)
class Examples:
    """Every fragment of the training sentences, in their order; F in all."""

    fragments: Fragments
    offsets: IntArray
    """[S + 1] where the fragments of each sentence begin."""
    categories: IntArray
    """[F] exact, overlapping or disjoint."""
    targets: IntArray
    """[F] which of the target sets."""
    target_sets: BoolArray
    """[N, K] the sets of labels that occur as targets."""


def make_examples(
    sentences: Sequence[LabelledSentence], token_offsets: IntArray, labels: Sequence[str], max_words: int
) -> Examples:
    """Sort all fragments of up to `max_words` words into exact, overlapping and disjoint, with targets."""
    fragments = all_fragments(token_offsets, max_words)
    counts = np.bincount(fragments.sentences, minlength=len(sentences))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    covered = _mention_depth(sentences, token_offsets)
    inside = np.concatenate([[0], np.cumsum(covered > 0)])
    touches = inside[fragments.lasts + 1] > inside[fragments.firsts]
    categories = np.where(touches, OVERLAPPING, DISJOINT).astype(np.int8)
    targets = np.zeros(len(fragments), dtype=np.int16)
    sets = _TargetSets(labels)
    first_fragment = _first_fragments(token_offsets, max_words)
    for number, sentence in enumerate(sentences):
        start_of_sentence = int(token_offsets[number])
        together: dict[tuple[int, int], set[str]] = {}
        for start, end, label in sentence.spans:
            if end - start <= max_words:
                together.setdefault((start, end), set()).add(label)
        for (start, end), admissible in together.items():
            fragment = first_fragment[start_of_sentence + start] + (end - start - 1)
            categories[fragment] = EXACT
            targets[fragment] = sets.number(admissible)
    return Examples(fragments, offsets, categories, targets, sets.table())


class _TargetSets:
    """Numbers the distinct sets of labels; number 0 is {NONE}."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = list(labels)
        self._numbers: dict[frozenset[str], int] = {frozenset([NONE]): 0}

    def number(self, admissible: Iterable[str]) -> int:
        return self._numbers.setdefault(frozenset(admissible), len(self._numbers))

    def table(self) -> BoolArray:
        return np.array([[label in members for label in self._labels] for members in self._numbers])


def _first_fragments(token_offsets: IntArray, max_words: int) -> IntArray:
    """[T] the number of the one-word fragment of each token, in the order of `all_fragments`."""
    lengths = np.diff(token_offsets)
    room = np.minimum(np.repeat(token_offsets[1:], lengths) - np.arange(token_offsets[-1]), max_words)
    return np.concatenate([[0], np.cumsum(room)[:-1]])


def _mention_depth(sentences: Sequence[LabelledSentence], token_offsets: IntArray) -> IntArray:
    """[T] how many mentions cover each token."""
    change = np.zeros(int(token_offsets[-1]) + 1, dtype=np.int64)
    for number, sentence in enumerate(sentences):
        for start, end, _ in sentence.spans:
            change[token_offsets[number] + start] += 1
            change[token_offsets[number] + end] -= 1
    return np.cumsum(change)[:-1]
