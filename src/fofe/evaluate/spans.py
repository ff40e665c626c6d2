"""Gold and predicted documents side by side, as sets of spans."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from fofe.base.errors import InputError
from fofe.text.document import Document


class Span(NamedTuple):
    """What is compared: the characters `start` to `end` of a document and their label.

    The label holds type and kind, so a name that is taken for a nominal is an error.
    """

    document: int
    start: int
    end: int
    label: str


def pair(gold: Iterable[Document], predicted: Iterable[Document]) -> Iterator[tuple[Document, Document]]:
    """Each gold document with its prediction; both sides must hold the same texts in the same order."""
    for number, (true, guess) in enumerate(zip_longest(gold, predicted), start=1):
        if true is None or guess is None:
            side = "gold" if true is None else "prediction"
            raise InputError(
                f"{_name(true or guess, number)} is missing in the {side}",
                remedy="both must hold the same documents in the same order",
            )
        _same_text(true, guess, number)
        yield true, guess


def spans_of(documents: Iterable[Document]) -> set[Span]:
    """The distinct mentions of the documents: the same span and label twice counts once."""
    return {
        Span(number, mention.start, mention.end, mention.label)
        for number, document in enumerate(documents)
        for mention in document.mentions
    }


def paired_spans(gold: Sequence[Document], predicted: Sequence[Document]) -> tuple[set[Span], set[Span]]:
    """The spans of both sides, after a check that they belong together."""
    for _ in pair(gold, predicted):
        pass
    return spans_of(gold), spans_of(predicted)


class Overlaps:
    """Finds the spans of a set that share a character with a given one."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans)
        self._keys = [(span.document, span.start) for span in self._spans]
        self._longest = max((span.end - span.start for span in self._spans), default=0)

    def of(self, span: Span) -> list[Span]:
        """The overlapping spans in reading order, `span` itself included if it is in the set."""
        first = bisect_left(self._keys, (span.document, span.start - self._longest))
        last = bisect_left(self._keys, (span.document, span.end))
        return [other for other in self._spans[first:last] if other.end > span.start]


def _same_text(true: Document, guess: Document, number: int) -> None:
    if true.id and guess.id and true.id != guess.id:
        raise InputError(
            f"{_name(true, number)} of the gold stands beside {_name(guess, number)} of the prediction",
            remedy="bring both into the same order",
        )
    if true.text != guess.text:
        letters = zip_longest(true.text, guess.text)
        place = next(position for position, (a, b) in enumerate(letters) if a != b)
        excerpt = slice(place, place + 20)
        raise InputError(
            f"the texts of {_name(true, number)} differ from character {place} on: "
            f"{true.text[excerpt]!r} in the gold, {guess.text[excerpt]!r} in the prediction",
            remedy="predict on the very text of the gold",
        )


def _name(document: Document, number: int) -> str:
    return f"document {number} ({document.id})" if document.id else f"document {number}"
