"""What kinds of errors a prediction makes, with examples in their context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fofe.evaluate.spans import Overlaps, Span, paired_spans
from fofe.text.document import Document

CONTEXT = 40
KINDS = {
    "type": "right borders, wrong label",
    "boundary": "right label, borders that overlap",
    "boundary+type": "borders that overlap, wrong label",
    "missed": "gold that no leftover prediction overlaps",
    "spurious": "prediction that overlaps no leftover gold",
}


class MentionError(NamedTuple):
    """A gold mention and the prediction that went wrong, or one of them alone (missed, spurious)."""

    kind: str
    gold: Span | None
    predicted: Span | None

    @property
    def place(self) -> Span:
        """Where to look: the gold span, or the predicted one if there is no gold."""
        span = self.gold or self.predicted
        assert span is not None
        return span


def find_errors(gold: Sequence[Document], predicted: Sequence[Document]) -> list[MentionError]:
    """Sort what is not right into kinds; each gold mention and each prediction belongs to one error.

    Gold and prediction are matched in order of likeness: first the same borders, then overlapping ones
    with the same label, then the other overlapping ones; within each, the largest common share first.
    """
    true, guess = paired_spans(gold, predicted)
    missing, extra = true - guess, guess - true
    overlaps = Overlaps(missing)
    pairs = [(one, other) for other in extra for one in overlaps.of(other)]
    pairs.sort(key=lambda two: (_likeness(*two), two))
    found = []
    for one, other in pairs:
        if one in missing and other in extra:
            missing.remove(one)
            extra.remove(other)
            found.append(MentionError(_kind(one, other), one, other))
    found += [MentionError("missed", span, None) for span in missing]
    found += [MentionError("spurious", None, span) for span in extra]
    return sorted(found, key=lambda error: (error.place, error.kind))


def examples(errors: Sequence[MentionError], number: int) -> list[MentionError]:
    """At most `number` of the errors, spread evenly over the documents."""
    number = min(number, len(errors))
    return [errors[index * len(errors) // number] for index in range(number)]


def in_context(error: MentionError, gold: Sequence[Document]) -> str:
    """One line: the span in brackets amid its text, then what the gold says and what was predicted."""
    text = gold[error.place.document].text

    def show(span: Span | None) -> str:
        return f"{span.label} {_one_line(text[span.start : span.end])!r}" if span else "nothing"

    start, end = error.place.start, error.place.end
    left = ("…" if start > CONTEXT else "") + text[max(start - CONTEXT, 0) : start]
    right = text[end : end + CONTEXT] + ("…" if end + CONTEXT < len(text) else "")
    sentence = _one_line(f"{left}[{text[start:end]}]{right}")
    return f"{sentence}  gold: {show(error.gold)}, predicted: {show(error.predicted)}"


def _kind(gold: Span, predicted: Span) -> str:
    if gold[:3] == predicted[:3]:
        return "type"
    return "boundary" if gold.label == predicted.label else "boundary+type"


def _likeness(gold: Span, predicted: Span) -> tuple[int, float]:
    """Sorts the most alike first: by kind, then by the share of characters in common."""
    common = min(gold.end, predicted.end) - max(gold.start, predicted.start)
    union = max(gold.end, predicted.end) - min(gold.start, predicted.start)
    return list(KINDS).index(_kind(gold, predicted)), -common / union


def _one_line(text: str) -> str:
    return " ".join(text.split())
