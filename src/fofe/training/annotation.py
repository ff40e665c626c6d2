"""Labelled sentences, and what a label of their corpus, or its absence, says about a fragment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fofe.base.report import Report
from fofe.formats.common import places
from fofe.text.align import align, token_regions
from fofe.text.document import KNOWN, NAME, NOMINAL, NONE, Document
from fofe.text.labels import names_in_scores
from fofe.text.normalise import normalise

NEGATIVE = "negative"
OTHER_TYPES = "other types"
UNKNOWN = "unknown"
UNKNOWN_OUTSIDE = "unknown outside regions"
IN_DOUBT = "in doubt"

INSIDE = (OTHER_TYPES, NEGATIVE, UNKNOWN)
AROUND = (NEGATIVE, UNKNOWN)
UNANNOTATED = (NEGATIVE, UNKNOWN, UNKNOWN_OUTSIDE, IN_DOUBT)
KINDS = (NAME, NOMINAL)

Span = tuple[int, int, str]
"""A mention: half-open tokens of its sentence and the label."""


@dataclass(frozen=True)
class Annotation:
    """How a corpus is annotated."""

    labels: Mapping[str, frozenset[str]]
    """The model's labels that each label of the corpus may stand for; none if it is ignored."""
    exhaustive: frozenset[str]
    """The labels of the corpus whose mentions are all annotated."""
    nested: bool = True
    """Whether mentions inside others are annotated too."""
    inside: str = NEGATIVE
    """In a flat corpus: what fragments strictly inside a mention count as."""
    around: str = NEGATIVE
    """In a flat corpus: what fragments that contain a mention and more count as."""
    complete: bool = False
    """Whether there is nothing to find beyond what the corpus annotates."""

    def conditioned(self) -> Annotation:
        """The annotation for a network conditioned on this corpus: there is nothing else to find."""
        return replace(self, complete=True, inside=NEGATIVE, around=NEGATIVE)

    @property
    def names(self) -> dict[str, str]:
        """What the labels whose mentions are all annotated count as in scores."""
        return names_in_scores({own: self.labels[own] for own in self.labels if own in self.exhaustive})

    def present(self, own: Iterable[str]) -> frozenset[str]:
        """What a fragment with these labels of the corpus may be."""
        return frozenset().union(*(self.labels[label] for label in own))

    def absent(self, labels: Iterable[str]) -> frozenset[str]:
        """What a fragment without a label may be: no mention, or one that the corpus does not annotate."""
        others = frozenset() if self.complete else frozenset(labels) - self.present(self.exhaustive)
        return others | {NONE}


def one_to_one(own: Iterable[str]) -> Annotation:
    """Everything annotated, with the model's own labels."""
    labels = {label: frozenset([label]) for label in own}
    return Annotation(labels, frozenset(labels))


OFF_TOKENS = "mentions not on token borders left out"


@dataclass(frozen=True)
class LabelledSentence:
    """The words of a sentence and its mentions as half-open token spans with labels."""

    words: list[str]
    spans: list[Span]
    opens: bool = True
    """Whether it is the first of its document."""
    unknown: tuple[tuple[int, int], ...] = ()
    """Regions in which a fragment that is not annotated may or may not be a mention."""
    negatives: tuple[tuple[int, int], ...] = ()
    """Fragments that are known to be no mention."""

    def __len__(self) -> int:
        return len(self.words)


Sentences = list[LabelledSentence]


def labelled_sentences(
    documents: Iterable[Document], report: Report, *, unannotated: str = NEGATIVE, language: str = ""
) -> Sentences:
    """The sentences of tokenised documents; mentions off token borders are skipped and reported.

    `unannotated` says which text counts as annotated: all but unknown regions, none, or only known regions.
    """
    sentences: Sentences = []
    for place, document in places(documents):
        aligned, rest = align(document)
        for mention in rest:
            start, end = mention.start, mention.end
            where = f"{place} {start}:{end} {document.text[start:end]!r}"
            report.note(OFF_TOKENS, where)
        spans: list[list[Span]] = [[] for _ in document.sentences]
        for span, mention in aligned:
            spans[span.sentence].append((span.start, span.end, mention.label))
        regions, without_tokens = token_regions(document)
        for region in without_tokens:
            report.note("regions left out for holding no tokens", f"{place} {region.start}:{region.end}")
        for number, (sentence, marked) in enumerate(zip(document.sentences, regions, strict=True)):
            unknown, negatives = tuple(marked[UNKNOWN]), tuple(marked[NEGATIVE])
            if unannotated == UNKNOWN:
                unknown = ((0, len(sentence)),)
            elif unannotated == UNKNOWN_OUTSIDE:
                unknown = (*_gaps(marked[KNOWN], len(sentence)), *unknown)
            words = normalise(sentence.words, language)
            sentences.append(LabelledSentence(words, spans[number], number == 0, unknown, negatives))
    return sentences


def _gaps(spans: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """The parts of a sentence of `length` tokens that no span covers."""
    position = 0
    for start, end in [*sorted(spans), (length, length)]:
        if position < start:
            yield position, start
        position = max(position, end)
