"""Examining a corpus before training on it: what is in it, and what a model cannot learn from it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fofe.base.errors import InputError
from fofe.base.report import EMPTY_SENTENCES, Report, counted
from fofe.evaluate.tables import table
from fofe.text.align import TokenSpan, align
from fofe.text.document import Document, Mention

TWO_WAYS_SHOWN = 10
_EXCERPT = 60
SIZES = ("documents", "sentences", "tokens", "mentions")
FINDINGS = {
    "long": "mentions of more than {max_words} words",
    "unaligned": "mentions not beginning and ending with a token of one sentence",
    "same_span": "mentions on exactly the span of another",
    "crossing": "pairs of mentions that cross",
    "repeated_ids": "documents with the id of an earlier one",
    "repeated_sentences": "sentences that occurred before",
    "contradictions": "of these, labelled differently then",
    "empty_sentences": "empty sentences",
    "documents_without_tokens": "documents without tokens",
}


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
    """The labels of each mentioned string."""
    findings: Report = field(default_factory=Report)
    """Counts and first places of `FINDINGS`."""
    _ids: set[str] = field(default_factory=set)
    _labels_of_sentence: dict[tuple[str, ...], set[tuple[int, int, str]]] = field(default_factory=dict)

    @property
    def mentions(self) -> int:
        return sum(self.labels.values())

    @property
    def recall_ceiling(self) -> float:
        """The percentage of mentions that are fragments of at most `max_words` words of a sentence."""
        lost = self.findings.counts["long"] + self.findings.counts["unaligned"]
        return 100.0 * (1 - lost / self.mentions) if self.mentions else 100.0

    @property
    def two_ways(self) -> list[tuple[str, Counter[str]]]:
        """The strings with more than one label, those with most mentions outside their main label first."""
        several = [(string, labels) for string, labels in self.strings.items() if len(labels) > 1]
        return sorted(several, key=lambda item: (_outside_main(item[1]), item[0]), reverse=True)

    def add(self, document: Document) -> None:
        """Count what is in one more document."""
        self.documents += 1
        note, name = self.findings.note, document.id or f"document {self.documents}"
        if document.id in self._ids:
            note("repeated_ids", document.id)
        self._ids |= {document.id} - {""}
        if not document.sentences:
            note("documents_without_tokens", name)
        for number, sentence in enumerate(document.sentences, start=1):
            self.sentences += 1
            self.tokens += len(sentence)
            if not sentence:
                note("empty_sentences", f"{name} sentence {number}")
        for mention in document.mentions:
            self.labels[mention.label] += 1
            self.strings[document.text[mention.start : mention.end]][mention.label] += 1
        aligned, unaligned = align(document)
        for span, mention in aligned:
            self.words[span.end - span.start] += 1
            if span.end - span.start > self.max_words:
                note("long", f"{name} {_excerpt(mention)}")
        for mention in unaligned:
            note("unaligned", f"{name} {_excerpt(mention)}")
        self._count_nesting(document.mentions, name)
        self._count_repetitions(document, aligned)

    def _count_nesting(self, mentions: list[Mention], name: str) -> None:
        """Count each distinct span by depth, and the pairs that overlap without one inside the other."""
        open_spans: list[tuple[Mention, int]] = []
        distinct: dict[tuple[int, int], Mention] = {}
        for mention in mentions:
            if distinct.setdefault((mention.start, mention.end), mention) is not mention:
                self.findings.note("same_span", f"{name} {_excerpt(mention)}")
        for mention in sorted(distinct.values(), key=lambda mention: (mention.start, -mention.end)):
            open_spans = [(other, depth) for other, depth in open_spans if other.end > mention.start]
            depth = 1 + max((depth for other, depth in open_spans if other.end >= mention.end), default=0)
            for other, _ in open_spans:
                if other.end < mention.end:
                    self.findings.note("crossing", f"{name} {_excerpt(other)} and {_excerpt(mention)}")
            self.depths[depth] += 1
            open_spans.append((mention, depth))

    def _count_repetitions(self, document: Document, aligned: list[tuple[TokenSpan, Mention]]) -> None:
        """Count the sentences that occurred before, and those of them that were labelled differently then."""
        labels: list[set[tuple[int, int, str]]] = [set() for _ in document.sentences]
        for span, mention in aligned:
            labels[span.sentence].add((span.start, span.end, mention.label))
        for sentence, of_sentence in zip(document.sentences, labels, strict=True):
            words = tuple(sentence.words)
            before = self._labels_of_sentence.setdefault(words, of_sentence)
            if before is of_sentence or not words:
                continue
            text = repr(_shorten(" ".join(words)))
            self.findings.note("repeated_sentences", text)
            if before != of_sentence:
                self.findings.note("contradictions", text)

    def as_dict(self) -> dict[str, object]:
        """All of it in JSON types."""
        two_ways, counts, places = self.two_ways, self.findings.counts, self.findings.places
        return {
            **{name: getattr(self, name) for name in SIZES},
            "labels": dict(self.labels.most_common()),
            "depths": dict(sorted(self.depths.items())),
            "words": dict(sorted(self.words.items())),
            "max_words": self.max_words,
            "recall_ceiling": self.recall_ceiling,
            "two_ways": {
                "strings": len(two_ways),
                "mentions_outside_main_label": sum(_outside_main(labels) for _, labels in two_ways),
                "examples": {text: dict(labels.most_common()) for text, labels in two_ways[:TWO_WAYS_SHOWN]},
            },
            **{name: {"count": counts[name], "examples": places.get(name, [])} for name in FINDINGS},
        }


def check_corpus(
    documents: Iterable[Document], *, max_words: int = 7, report: Report | None = None
) -> CorpusCheck:
    """Count what is in a corpus; `max_words` is the longest fragment that a model would score.

    The report is that of the reader, which leaves out empty sentences before they arrive here.
    """
    if max_words < 1:
        raise InputError(f"a fragment cannot have at most {max_words} words", remedy="give 1 or more")
    result = CorpusCheck(max_words)
    for document in documents:
        result.add(document)
    if report is not None:
        places = report.places.get(EMPTY_SENTENCES, [])
        count = Counter(empty_sentences=report.counts[EMPTY_SENTENCES])
        result.findings.add(Report(count, {"empty_sentences": places}))
    return result


def _outside_main(labels: Counter[str]) -> int:
    return sum(labels.values()) - max(labels.values())


def _excerpt(mention: Mention) -> str:
    return f"{mention.start}:{mention.end} {_shorten(mention.text)!r}"


def _shorten(text: str) -> str:
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "..."


def describe(result: CorpusCheck, report: Report) -> str:
    """A check for people to read, with the report of the reader of the corpus."""
    return "\n\n".join("\n".join(lines) for lines in _sections(result, report) if lines)


def _sections(result: CorpusCheck, report: Report) -> Iterator[list[str]]:
    yield [table(("corpus", ""), [(name, f"{getattr(result, name):,}") for name in SIZES])]
    if result.mentions:
        strings = Counter(label for labels in result.strings.values() for label in labels)
        rows = [
            (label, f"{count:,}", f"{100 * count / result.mentions:.1f} %", f"{strings[label]:,}")
            for label, count in result.labels.most_common()
        ]
        yield [table(("label", "mentions", "share", "strings"), rows)]
        depths = ", ".join(f"{count:,} at depth {depth}" for depth, count in sorted(result.depths.items()))
        fragments = f"fragments of at most {counted(result.max_words, 'words')}"
        yield [
            f"nesting: {depths}",
            f"longest mention on token borders: {counted(max(result.words, default=0), 'words')}",
            f"recall ceiling of {fragments}: {result.recall_ceiling:.2f} %",
        ]
    findings = []
    for name, meaning in FINDINGS.items():
        if count := result.findings.counts[name]:
            findings.append(counted(count, meaning.format(max_words=result.max_words), ","))
            findings += [f"  {example}" for example in result.findings.places[name]]
    yield findings
    if two_ways := result.two_ways:
        lines = [counted(len(two_ways), "strings labelled in more than one way", ",")]
        for string, labels in two_ways[:TWO_WAYS_SHOWN]:
            counts = ", ".join(f"{label} {count:,}" for label, count in labels.most_common())
            lines.append(f"  {string!r}: {counts}")
        if (more := len(two_ways) - TWO_WAYS_SHOWN) > 0:
            lines.append(f"  and {more:,} more")
        yield lines
    if report.lines():
        yield ["reading", *(f"  {line}" for line in report.lines())]
