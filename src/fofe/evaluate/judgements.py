"""What a model says of the fragments of an annotated corpus, beside what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.base.errors import FofeError
from fofe.decode import Candidate
from fofe.decode.select import NONE_COLUMN, select
from fofe.model.engine import Scores
from fofe.tagging.model import Model
from fofe.text.align import align
from fofe.text.document import Document

PLAINLY_NONE = 0.9999
"""Fragments that are NONE by more than this, and rightly so, are left out: there are very many of them."""

Spans = set[tuple[int, int, str]]


@dataclass(frozen=True)
class Judgements:
    """F fragments and S sentences of a corpus."""

    labels: tuple[str, ...]
    """K labels, NONE first."""
    probabilities: FloatArray
    """[F, K]"""
    right: BoolArray
    """[F, K] whether a label is the fragment's own; all false where the model does not know that label."""
    candidates: list[list[Candidate]]
    """[S] the fragments that the model calls mentions, whatever their score."""
    gold: list[Spans]
    """[S] the mentions on token borders."""
    mentions: int
    """How many mentions the corpus has, whether on token borders or not."""


def judge(model: Model, documents: Sequence[Document]) -> Judgements:
    """Judge every fragment of tokenised documents, past any gate."""
    probabilities: list[FloatArray] = []
    right: list[BoolArray] = []
    candidates: list[list[Candidate]] = []
    gold: list[Spans] = []
    for document in documents:
        if not any(document.sentences):
            continue
        scores = model.judge(document)
        spans = _spans(document)
        own = _own_labels(scores, spans, model.labels)
        telling = (scores.probabilities[:, NONE_COLUMN] < PLAINLY_NONE) | ~own[:, NONE_COLUMN]
        probabilities.append(scores.probabilities[telling])
        right.append(own[telling])
        candidates += select(
            scores.fragments, scores.token_offsets, scores.probabilities, model.labels, threshold=0.0
        )
        gold += spans
    if not gold:
        raise FofeError("the corpus has no text to judge")
    mentions = sum(len(document.mentions) for document in documents)
    return Judgements(
        model.labels, np.concatenate(probabilities), np.concatenate(right), candidates, gold, mentions
    )


def _spans(document: Document) -> list[Spans]:
    """The mentions of each sentence that has tokens."""
    spans: list[Spans] = [set() for _ in document.sentences]
    for span, mention in align(document)[0]:
        spans[span.sentence].add((span.start, span.end, mention.label))
    return [found for found, sentence in zip(spans, document.sentences, strict=True) if sentence]


def _own_labels(scores: Scores, spans: Sequence[Spans], labels: Sequence[str]) -> BoolArray:
    """[F, K] which label is that of each fragment; NONE for those that are no mention."""
    columns = {label: column for column, label in enumerate(labels)}
    borders = zip(scores.fragments.firsts.tolist(), scores.fragments.lasts.tolist(), strict=True)
    places = {place: number for number, place in enumerate(borders)}
    own = np.zeros(scores.probabilities.shape, dtype=bool)
    own[:, NONE_COLUMN] = True
    for offset, of_sentence in zip(scores.token_offsets[:-1].tolist(), spans, strict=True):
        for start, end, label in of_sentence:
            place = places.get((offset + start, offset + end - 1))
            if place is not None:
                own[place, NONE_COLUMN] = False
                if label in columns:
                    own[place, columns[label]] = True
    return own
