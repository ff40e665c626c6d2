"""Looking a corpus over before training on it: what is in it, and what a model cannot learn from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fofe.base.errors import InputError
from fofe.base.report import EMPTY_SENTENCES, Report
from fofe.evaluate.tables import table
from fofe.text.align import TokenSpan, align
from fofe.text.document import Document, Mention

EXAMPLES_KEPT = 3
TWO_WAYS_SHOWN = 10
_EXCERPT = 60
_FINDINGS = {
    "long": "mentions of more than {max_words} words",
    "unaligned": "mentions that do not begin and end with a token of one sentence",
    "same_span": "mentions on the very span of another",
    "crossing": "pairs of mentions that cross",
    "repeated_sentences": "sentences that occurred before",
    "contradictions": "of these, labelled differently then",
    "empty_sentences": "empty sentences",
    "documents_without_tokens": "documents without tokens",
}


@dataclass
class Finding:
    """How often something was found, and the first places."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES_KEPT:
            self.examples.append(example)


@dataclass
class CorpusCheck:
    """The counts of a corpus and what is unusual in it."""

    max_words: int
    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    """Mentions by label."""
    depths: Counter[int] = field(default_factory=Counter)
    """Distinct spans by depth: 1 inside no other mention, 2 inside one, and so on."""
    words: Counter[int] = field(default_factory=Counter)
    """Mentions on token borders by their number of words."""
    strings: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """The labels of each string that is mentioned."""
    long: Finding = field(default_factory=Finding)
    unaligned: Finding = field(default_factory=Finding)
    same_span: Finding = field(default_factory=Finding)
    crossing: Finding = field(default_factory=Finding)
    repeated_sentences: Finding = field(default_factory=Finding)
    contradictions: Finding = field(default_factory=Finding)
    empty_sentences: Finding = field(default_factory=Finding)
    documents_without_tokens: Finding = field(default_factory=Finding)

    @property
    def mentions(self) -> int:
        return sum(self.labels.values())

    @property
    def recall_ceiling(self) -> float:
        """The percentage of mentions that are fragments of at most `max_words` words of a sentence."""
        return (
            100.0 * (1 - (self.long.count + self.unaligned.count) / self.mentions) if self.mentions else 100.0
        )

    @property
    def two_ways(self) -> list[tuple[str, Counter[str]]]:
        """The strings with more than one label, those with most mentions outside their main label first."""
        several = [(string, labels) for string, labels in self.strings.items() if len(labels) > 1]
        return sorted(several, key=lambda item: (_outside_main(item[1]), item[0]), reverse=True)

    def as_dict(self) -> dict[str, object]:
        """All of it in JSON types."""
        two_ways = self.two_ways
        return {
            "documents": self.documents,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "mentions": self.mentions,
            "labels": dict(self.labels.most_common()),
            "depths": dict(sorted(self.depths.items())),
            "words": dict(sorted(self.words.items())),
            "max_words": self.max_words,
            "recall_ceiling": self.recall_ceiling,
            "two_ways": {
                "strings": len(two_ways),
                "mentions_outside_main_label": sum(_outside_main(labels) for _, labels in two_ways),
                "examples": {
                    string: dict(labels.most_common()) for string, labels in two_ways[:TWO_WAYS_SHOWN]
                },
            },
            **{name: vars(finding) for name, finding in self.findings.items()},
        }

    @property
    def findings(self) -> dict[str, Finding]:
        return {name: value for name, value in vars(self).items() if isinstance(value, Finding)}


def check_corpus(
    documents: Iterable[Document], *, max_words: int = 7, report: Report | None = None
) -> CorpusCheck:
    """Count what is in a corpus; `max_words` is the longest fragment that a model would judge.

    The report is that of the reader, which leaves out empty sentences before they come here.
    """
    if max_words < 1:
        raise InputError(f"a fragment of at most {max_words} words is none", remedy="give 1 or more")
    result = CorpusCheck(max_words)
    labels_of_sentence: dict[tuple[str, ...], set[tuple[int, int, str]]] = {}
    for number, document in enumerate(documents, start=1):
        place = document.id or f"document {number}"
        aligned, unaligned = align(document)
        _count(result, document, place)
        for span, mention in aligned:
            result.words[span.end - span.start] += 1
            if span.end - span.start > max_words:
                result.long.add(_excerpt(place, mention))
        for mention in unaligned:
            result.unaligned.add(_excerpt(place, mention))
        _nesting(result, document.mentions, place)
        _repetitions(result, document, aligned, labels_of_sentence)
    if report is not None:
        result.empty_sentences.count += report.counts[EMPTY_SENTENCES]
        result.empty_sentences.examples += report.places.get(EMPTY_SENTENCES, [])
    return result


def _count(result: CorpusCheck, document: Document, place: str) -> None:
    result.documents += 1
    result.sentences += len(document.sentences)
    result.tokens += sum(len(sentence) for sentence in document.sentences)
    if not document.sentences:
        result.documents_without_tokens.add(place)
    for number, sentence in enumerate(document.sentences, start=1):
        if not len(sentence):
            result.empty_sentences.add(f"{place} sentence {number}")
    for mention in document.mentions:
        result.labels[mention.label] += 1
        result.strings[document.text[mention.start : mention.end]][mention.label] += 1


def _nesting(result: CorpusCheck, mentions: list[Mention], place: str) -> None:
    """Count each distinct span by depth, and the pairs that overlap without one holding the other."""
    open_spans: list[tuple[Mention, int]] = []
    distinct: dict[tuple[int, int], Mention] = {}
    for mention in mentions:
        if distinct.setdefault((mention.start, mention.end), mention) is not mention:
            result.same_span.add(_excerpt(place, mention))
    for mention in sorted(distinct.values(), key=lambda mention: (mention.start, -mention.end)):
        open_spans = [(other, depth) for other, depth in open_spans if other.end > mention.start]
        depth = 1 + max((depth for other, depth in open_spans if other.end >= mention.end), default=0)
        for other, _ in open_spans:
            if other.end < mention.end:
                result.crossing.add(f"{_excerpt(place, other)} and {_excerpt('', mention)}")
        result.depths[depth] += 1
        open_spans.append((mention, depth))


def _repetitions(
    result: CorpusCheck,
    document: Document,
    aligned: list[tuple[TokenSpan, Mention]],
    labels_of_sentence: dict[tuple[str, ...], set[tuple[int, int, str]]],
) -> None:
    """Count the sentences that were seen before, and those of them that were labelled differently then."""
    labels: list[set[tuple[int, int, str]]] = [set() for _ in document.sentences]
    for span, mention in aligned:
        labels[span.sentence].add((span.start, span.end, mention.label))
    for sentence, of_sentence in zip(document.sentences, labels, strict=True):
        words = tuple(sentence.words)
        if not words:
            continue
        if words in labels_of_sentence:
            text = repr(_shorten(" ".join(words)))
            result.repeated_sentences.add(text)
            if labels_of_sentence[words] != of_sentence:
                result.contradictions.add(text)
        else:
            labels_of_sentence[words] = of_sentence


def _outside_main(labels: Counter[str]) -> int:
    return sum(labels.values()) - max(labels.values())


def _excerpt(place: str, mention: Mention) -> str:
    span = f"{mention.start}:{mention.end} {_shorten(mention.text)!r}"
    return f"{place} {span}" if place else span


def _shorten(text: str) -> str:
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "..."


def describe(result: CorpusCheck, report: Report) -> str:
    """A check for people to read, with what the reader of the corpus reported."""
    return "\n\n".join(_sections(result, report))


def _sections(result: CorpusCheck, report: Report) -> Iterator[str]:
    yield _sizes(result)
    if result.mentions:
        yield _labels(result)
        yield _shape(result)
    if any(finding.count for finding in result.findings.values()):
        yield _findings(result)
    if result.two_ways:
        yield _two_ways(result)
    if report.lines():
        yield "\n".join(["reading", *(f"  {line}" for line in report.lines())])


def _sizes(result: CorpusCheck) -> str:
    names = ("documents", "sentences", "tokens", "mentions")
    return table(("corpus", ""), [(name, f"{getattr(result, name):,}") for name in names])


def _labels(result: CorpusCheck) -> str:
    strings = Counter(label for labels in result.strings.values() for label in labels)
    rows = [
        (label, f"{count:,}", f"{100 * count / result.mentions:.1f} %", f"{strings[label]:,}")
        for label, count in result.labels.most_common()
    ]
    return table(("label", "mentions", "share", "strings"), rows)


def _shape(result: CorpusCheck) -> str:
    depths = ", ".join(f"{count:,} at depth {depth}" for depth, count in sorted(result.depths.items()))
    return "\n".join(
        [
            f"nesting: {depths}",
            f"longest mention on token borders: {max(result.words, default=0)} words",
            f"recall ceiling of fragments of at most {result.max_words} words: {result.recall_ceiling:.2f} %",
        ]
    )


def _findings(result: CorpusCheck) -> str:
    lines = []
    for name, finding in result.findings.items():
        if finding.count:
            lines.append(f"{finding.count:,} {_FINDINGS[name].format(max_words=result.max_words)}")
            lines.extend(f"  {example}" for example in finding.examples)
    return "\n".join(lines)


def _two_ways(result: CorpusCheck) -> str:
    strings = result.two_ways
    shown = strings[:TWO_WAYS_SHOWN]
    lines = [f"{len(strings):,} strings labelled in more than one way"]
    for string, labels in shown:
        counts = ", ".join(f"{label} {count:,}" for label, count in labels.most_common())
        lines.append(f"  {string!r}: {counts}")
    if len(strings) > len(shown):
        lines.append(f"  and {len(strings) - len(shown):,} more")
    return "\n".join(lines)
