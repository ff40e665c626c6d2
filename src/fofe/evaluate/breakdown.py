"""Scores of groups of mentions: by length, by whether training has seen them, by depth of nesting.

A group is a property of a span in the gold document, so that gold and predicted mentions are measured
with the same ruler and every group has its own precision and recall.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from fofe.base.errors import InputError
from fofe.evaluate.scores import Counts, count_by
from fofe.evaluate.spans import Overlaps, Span, paired_spans, spans_of
from fofe.text.document import Document

LENGTHS = ("1", "2", "3", "4", "5-7", "8+")
FAMILIARITY = ("seen", "seen with another label", "unseen")
DEPTHS = ("0", "1", "2", "3+")
CEILING_WINDOWS = range(1, 13)


def by_length(gold: Sequence[Document], predicted: Sequence[Document]) -> dict[str, Counts]:
    """Scores by the number of tokens of the gold document that a mention touches."""
    length = _token_counter(gold)
    return _ordered(count_by(*paired_spans(gold, predicted), key=lambda span: _bucket(length(span))), LENGTHS)


def by_seen(
    gold: Sequence[Document], predicted: Sequence[Document], train: Iterable[Document]
) -> dict[str, Counts]:
    """Scores by whether the string of a mention, runs of blanks alike, has that label in training."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for document in train:
        for mention in document.mentions:
            known[_string(document, mention.start, mention.end)].add(mention.label)

    def familiarity(span: Span) -> str:
        labels = known.get(_string(gold[span.document], span.start, span.end))
        return "unseen" if labels is None else "seen" if span.label in labels else "seen with another label"

    return _ordered(count_by(*paired_spans(gold, predicted), key=familiarity), FAMILIARITY)


def by_depth(gold: Sequence[Document], predicted: Sequence[Document]) -> dict[str, Counts]:
    """Scores by the number of gold spans that hold a mention and more; 0 is the outermost."""
    true, guess = paired_spans(gold, predicted)
    borders = Overlaps({span._replace(label="") for span in true})

    def depth(span: Span) -> str:
        around = sum(
            other.start <= span.start and span.end <= other.end and (other.start, other.end) != span[1:3]
            for other in borders.of(span)
        )
        return DEPTHS[min(around, len(DEPTHS) - 1)]

    return _ordered(count_by(true, guess, key=depth), DEPTHS)


def window_ceilings(gold: Sequence[Document]) -> dict[int, float]:
    """For every window n: the share of gold mentions, in percent, with at most n tokens.

    No model that looks at fragments of up to n tokens can have a higher recall.
    """
    length = _token_counter(gold)
    lengths = sorted(map(length, spans_of(gold)))
    return {n: 100 * bisect_right(lengths, n) / max(len(lengths), 1) for n in CEILING_WINDOWS}


def _token_counter(documents: Sequence[Document]) -> Callable[[Span], int]:
    """A function that counts the tokens of its document that a span touches."""
    for number, document in enumerate(documents, start=1):
        if not document.sentences and document.text.strip():
            raise InputError(
                f"document {number} of the gold has no tokens to measure length with",
                remedy="tokenise it first, on the command line with --lang",
            )
    starts = [[token.start for token in document.tokens] for document in documents]
    ends = [[token.end for token in document.tokens] for document in documents]

    def count(span: Span) -> int:
        first = bisect_right(ends[span.document], span.start)
        return max(bisect_left(starts[span.document], span.end) - first, 1)

    return count


def _bucket(length: int) -> str:
    return str(length) if length < 5 else "5-7" if length < 8 else "8+"


def _string(document: Document, start: int, end: int) -> str:
    return " ".join(document.text[start:end].split())


def _ordered(groups: dict[str, Counts], order: Sequence[str]) -> dict[str, Counts]:
    return {name: groups[name] for name in order if name in groups}
