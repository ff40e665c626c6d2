"""Where a prediction goes wrong: scores of groups of mentions, and kinds of errors with examples.

A group is a property of a span in the gold document (its length, its depth of nesting, whether training has
seen it). Gold and predicted mentions are thus grouped alike, and every group has a precision and a recall.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from fofe.evaluate.scores import Counts, Span, count_by, paired_spans, spans_of
from fofe.evaluate.tables import Section, table
from fofe.formats.common import require_tokens
from fofe.text.document import Document

LENGTHS = ("1", "2", "3", "4", "5-7", "8+")
FAMILIARITY = ("seen", "seen with another label", "unseen")
DEPTHS = ("0", "1", "2", "3+")
CEILING_WINDOWS = range(1, 13)

CONTEXT = 40
CONFUSIONS_SHOWN = 10
ERROR_KINDS = {
    "type": "right borders, wrong label",
    "boundary": "right label, borders that overlap",
    "boundary+type": "borders that overlap, wrong label",
    "missed": "gold that no leftover prediction overlaps",
    "spurious": "prediction that overlaps no leftover gold",
}


class Overlaps:
    """Finds the spans of a set that share a character with a given one."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [(span.document, span.start) for span in self._spans]
        self._longest = max((span.end - span.start for span in self._spans), default=0)

    def of(self, span: Span) -> list[Span]:
        """The overlapping spans in reading order, `span` itself included if it is in the set."""
        first = bisect_left(self._starts, (span.document, span.start - self._longest))
        last = bisect_left(self._starts, (span.document, span.end))
        return [other for other in self._spans[first:last] if other.end > span.start]


def by_length(gold: Sequence[Document], predicted: Sequence[Document]) -> dict[str, Counts]:
    """Scores by the number of tokens of the gold document that a mention touches."""
    length = _token_counter(gold)

    def bucket(span: Span) -> str:
        tokens = length(span)
        return str(tokens) if tokens < 5 else "5-7" if tokens < 8 else "8+"

    return _grouped(gold, predicted, bucket, LENGTHS)


def by_seen(
    gold: Sequence[Document], predicted: Sequence[Document], train: Iterable[Document]
) -> dict[str, Counts]:
    """Scores by whether the string of a mention has its label in the training data, white space aside."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for document in train:
        for mention in document.mentions:
            known[_one_line(document.text[mention.start : mention.end])].add(mention.label)

    def familiarity(span: Span) -> str:
        labels = known.get(_one_line(gold[span.document].text[span.start : span.end]))
        return "unseen" if labels is None else "seen" if span.label in labels else "seen with another label"

    return _grouped(gold, predicted, familiarity, FAMILIARITY)


def by_depth(gold: Sequence[Document], predicted: Sequence[Document]) -> dict[str, Counts]:
    """Scores by the number of longer gold spans around a mention; 0 is the outermost."""
    borders = Overlaps({span._replace(label="") for span in spans_of(gold)})

    def depth(span: Span) -> str:
        around = sum(
            other.start <= span.start and span.end <= other.end and (other.start, other.end) != span[1:3]
            for other in borders.of(span)
        )
        return DEPTHS[min(around, len(DEPTHS) - 1)]

    return _grouped(gold, predicted, depth, DEPTHS)


def window_ceilings(gold: Sequence[Document]) -> dict[int, float]:
    """For every window n: the share of gold mentions, in percent, with at most n tokens.

    No model that looks at fragments of up to n tokens can have a higher recall.
    """
    lengths = sorted(map(_token_counter(gold), spans_of(gold)))
    return {n: 100 * bisect_right(lengths, n) / max(len(lengths), 1) for n in CEILING_WINDOWS}


def ceiling_section(ceilings: Mapping[int, float]) -> Section:
    """The best possible recall by window; the table leaves out windows that gain nothing."""
    useful = {n: share for n, share in ceilings.items() if share > ceilings.get(n - 1, -1.0)}
    text = table(("tokens at most", "best recall"), list(useful.items()))
    return Section("recall_ceiling", text, dict(ceilings))


def _token_counter(documents: Sequence[Document]) -> Callable[[Span], int]:
    """A function that counts the tokens of its document that a span touches."""
    for number, document in enumerate(documents, start=1):
        require_tokens(document, f"document {number} of the gold")
    starts = [[token.start for token in document.tokens] for document in documents]
    ends = [[token.end for token in document.tokens] for document in documents]

    def count(span: Span) -> int:
        first = bisect_right(ends[span.document], span.start)
        return max(bisect_left(starts[span.document], span.end) - first, 1)

    return count


def _grouped(
    gold: Sequence[Document], predicted: Sequence[Document], key: Callable[[Span], str], order: Sequence[str]
) -> dict[str, Counts]:
    """The counts of the groups of spans that occur, in order."""
    groups = count_by(*paired_spans(gold, predicted), key=key)
    return {name: groups[name] for name in order if name in groups}


class MentionError(NamedTuple):
    """A gold mention and the prediction that went wrong, or one of them alone (missed, spurious)."""

    kind: str
    gold: Span | None
    predicted: Span | None

    @property
    def span(self) -> Span:
        """The gold span, or the predicted one if there is no gold."""
        span = self.gold or self.predicted
        assert span is not None
        return span


def find_errors(gold: Sequence[Document], predicted: Sequence[Document]) -> list[MentionError]:
    """The errors of a prediction; each wrong or missed mention is part of exactly one.

    Gold and predicted mentions are matched in order of similarity: first the same borders, then overlapping
    ones with the same label, then the other overlapping ones; within each, the largest common share first.
    """
    true, guess = paired_spans(gold, predicted)
    missing, extra = true - guess, guess - true
    overlaps = Overlaps(missing)
    pairs = [(one, other) for other in extra for one in overlaps.of(other)]
    pairs.sort(key=lambda two: (_dissimilarity(*two), two))
    found = []
    for one, other in pairs:
        if one in missing and other in extra:
            missing.remove(one)
            extra.remove(other)
            found.append(MentionError(_kind(one, other), one, other))
    found += [MentionError("missed", span, None) for span in missing]
    found += [MentionError("spurious", None, span) for span in extra]
    return sorted(found, key=lambda error: (error.span, error.kind))


def examples(errors: Sequence[MentionError], number: int) -> list[MentionError]:
    """At most `number` of the errors, spread evenly over the documents."""
    number = min(number, len(errors))
    return [errors[index * len(errors) // number] for index in range(number)]


def in_context(error: MentionError, gold: Sequence[Document]) -> str:
    """One line: the span in brackets within its context, then the gold and the predicted mention."""
    text = gold[error.span.document].text

    def show(span: Span | None) -> str:
        return f"{span.label} {_one_line(text[span.start : span.end])!r}" if span else "nothing"

    start, end = error.span.start, error.span.end
    left = ("…" if start > CONTEXT else "") + text[max(start - CONTEXT, 0) : start]
    right = text[end : end + CONTEXT] + ("…" if end + CONTEXT < len(text) else "")
    sentence = _one_line(f"{left}[{text[start:end]}]{right}")
    return f"{sentence}  gold: {show(error.gold)}, predicted: {show(error.predicted)}"


def errors_section(errors: Sequence[MentionError], gold: Sequence[Document], number: int) -> Section:
    """The number of errors of each kind, the confused labels, and `number` examples of each kind."""
    of_kind = {kind: [error for error in errors if error.kind == kind] for kind in ERROR_KINDS}
    confusions = Counter(
        (error.gold.label, error.predicted.label)
        for error in errors
        if error.gold and error.predicted and error.gold.label != error.predicted.label
    ).most_common()
    chosen = {kind: examples(found, number) for kind, found in of_kind.items()}
    rows = [(f"{kind}: {ERROR_KINDS[kind]}", len(found)) for kind, found in of_kind.items()]
    parts = [table(("error", "number"), rows)]
    if confusions:
        shown = [(f"{a} taken for {b}", times) for (a, b), times in confusions[:CONFUSIONS_SHOWN]]
        parts.append(table(("most frequent confusions", "number"), shown))
    for kind, found in chosen.items():
        if found:
            parts.append("\n".join([f"{kind}:", *(f"  {in_context(error, gold)}" for error in found)]))
    data = {
        "counts": {kind: len(found) for kind, found in of_kind.items()},
        "confusions": [{"gold": a, "predicted": b, "number": times} for (a, b), times in confusions],
        "examples": [_example(error, gold) for found in chosen.values() for error in found],
    }
    return Section("errors", "\n\n".join(parts), data)


def _example(error: MentionError, gold: Sequence[Document]) -> dict[str, object]:
    document = gold[error.span.document]

    def mention(span: Span | None) -> dict[str, object] | None:
        if span is None:
            return None
        text = document.text[span.start : span.end]
        return {"start": span.start, "end": span.end, "label": span.label, "text": text}

    return {
        "kind": error.kind,
        "document": document.id or error.span.document + 1,
        "gold": mention(error.gold),
        "predicted": mention(error.predicted),
        "context": in_context(error, gold),
    }


def _kind(gold: Span, predicted: Span) -> str:
    if gold[:3] == predicted[:3]:
        return "type"
    return "boundary" if gold.label == predicted.label else "boundary+type"


def _dissimilarity(gold: Span, predicted: Span) -> tuple[int, float]:
    """Sorts the most similar first: by kind, then by the share of characters in common."""
    common = min(gold.end, predicted.end) - max(gold.start, predicted.start)
    union = max(gold.end, predicted.end) - min(gold.start, predicted.start)
    return list(ERROR_KINDS).index(_kind(gold, predicted)), -common / union


def _one_line(text: str) -> str:
    return " ".join(text.split())
