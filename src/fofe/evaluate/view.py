"""Documents as they are to be compared: flat, without what the gold says nothing about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from fofe.decode.view import outer_spans, outermost
from fofe.text.document import UNKNOWN, Document


def flat(document: Document) -> Document:
    """The document with the outermost of its mentions only."""
    return replace(document, mentions=outermost(document.mentions))


def without_inner(document: Document) -> Document:
    """The document without the mentions that lie in a longer one; several on one span stay."""
    outer = set(outer_spans((mention.start, mention.end) for mention in document.mentions))
    return replace(document, mentions=[one for one in document.mentions if (one.start, one.end) in outer])


def with_labels(document: Document, labels: Collection[str]) -> Document:
    """The document with the mentions of some labels only."""
    return replace(document, mentions=[one for one in document.mentions if one.label in labels])


def without_unknown(gold: Sequence[Document], predicted: Sequence[Document]) -> list[Document]:
    """The predictions without those in unknown regions of the gold that are no mentions there.

    Nobody knows whether these are right.
    """
    return [
        _without_unknown(true, guess) if true.regions else guess
        for true, guess in zip(gold, predicted, strict=True)
    ]


def _without_unknown(true: Document, guess: Document) -> Document:
    unknown = [region for region in true.regions if region.status == UNKNOWN]
    right = {(mention.start, mention.end, mention.label) for mention in true.mentions}
    kept = [
        mention
        for mention in guess.mentions
        if (mention.start, mention.end, mention.label) in right
        or not any(region.start < mention.end and mention.start < region.end for region in unknown)
    ]
    return replace(guess, mentions=kept)
