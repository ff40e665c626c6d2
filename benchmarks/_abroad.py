"""Scoring rules for names in text of any kind: three types, exact spans, the corpus's own tokens.

Corpora and systems differ in what they call a name, so both sides are reduced to what all of them mean:

- Types are PER, ORG and PLACE (countries, cities, regions, facilities). Mentions of other types are dropped.
- Names only. Nominals, pronouns and roles are dropped from the predictions and open in the gold.
- Outermost mentions only: the corpora are flat.
- A leading determiner and a trailing possessive are cut off on both sides.
- Gold spans that a corpus annotates and a name tagger should not find are open: @names, pronouns and
  nominals (re3d) and the roles of a contract (sec). A prediction that overlaps an open span counts neither
  as right nor as wrong.

Sentences are tagged one at a time, without the text around them. Each corpus is also read in lower case, in
capitals and in Title Case, with the same spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from _record import shared

from fofe.formats import read_corpus
from fofe.text.document import NAME, Document
from fofe.training.recase import CASES as OTHER_CASES

PER, ORG, PLACE = "PER", "ORG", "PLACE"
TYPES: Mapping[str, str] = (
    dict.fromkeys(("PER", "PERSON", "person", "politician", "scientist", "musicalartist", "writer"), PER)
    | dict.fromkeys(("researcher", "Person"), PER)
    | dict.fromkeys(("ORG", "organisation", "politicalparty", "university", "band", "Organisation"), ORG)
    | dict.fromkeys(("corporation", "group"), ORG)
    | dict.fromkeys(("LOC", "GPE", "FAC", "PLACE", "location", "country", "Location"), PLACE)
)
"""The types of the corpora and of the systems; whatever is not listed is dropped."""
DETERMINERS = frozenset({"the", "a", "an"})
POSSESSIVES = frozenset({"'s", "’s", "'"})
PRONOUNS = frozenset(
    {"i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "she", "her", "it", "its"}
    | {"they", "them", "their", "who", "which", "this", "that", "these", "those"}
)
ROLES = frozenset({"borrower", "borrowers", "lender", "lenders"})

Span = tuple[int, int, str]
"""First token, the token behind the last one, type."""


@dataclass(frozen=True)
class GoldSentence:
    """The words of a sentence, the names in it, and the spans that do not count."""

    words: list[str]
    names: frozenset[Span]
    open: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Corpus:
    """Files of one kind of text."""

    name: str
    group: str
    """What else must be left out of training to call it unseen: social media, encyclopaedia, web, finance."""
    files: tuple[str, ...]
    has_nominals: bool = False
    """Whether it also annotates nominals, which are told from names by their small letters."""


CORPORA = (
    Corpus("wnut17", "social", ("wnut17/emerging.test.annotated",)),
    Corpus("btc", "social", tuple(f"btc/{section}.conll" for section in "abefg")),
    Corpus("ewt", "web", ("uner_en/ewt.dev.conll",)),
    Corpus("pud", "web", ("uner_en/pud.conll",)),
    *(
        Corpus(f"crossner_{domain}", "encyclopaedia", (f"crossner/{domain}.dev.conll",))
        for domain in ("politics", "science", "music", "literature", "ai")
    ),
    Corpus("sec", "finance", ("sec/train.conll",)),
    Corpus("re3d", "defence", ("re3d/train.conll",), has_nominals=True),
)

CASES: Mapping[str, Callable[[str], str]] = {"cased": str, **OTHER_CASES}


def gold_sentences(corpus: Corpus) -> list[GoldSentence]:
    """The sentences of a corpus under the rules above."""
    paths = [shared("data", *Path(file).parts) for file in corpus.files]
    return [
        _gold(document.sentences[number].words, spans, corpus)
        for path in paths
        for document in read_corpus(path, "conll")
        for number, spans in enumerate(_spans_by_sentence(document))
    ]


def recased(sentences: Iterable[GoldSentence], case: str) -> list[list[str]]:
    """The words of sentences in another case; a word whose length would change stays as it is."""
    change = CASES[case]
    return [
        [changed if len(changed := change(word)) == len(word) else word for word in sentence.words]
        for sentence in sentences
    ]


def predicted(document: Document) -> frozenset[Span]:
    """The names among the mentions of a tagged document of one sentence."""
    names = [mention for mention in document.mentions if mention.kind == NAME]
    (spans,) = _spans_by_sentence(replace(document, mentions=names))
    return names_of(document.sentences[0].words, spans)


def names_of(words: Sequence[str], spans: Iterable[Span]) -> frozenset[Span]:
    """The outermost spans of the three types, without determiners and possessives."""
    known = [(start, end, TYPES[type]) for start, end, type in spans if type in TYPES]
    outermost = [
        span
        for span in known
        if not any(other[0] <= span[0] and span[1] <= other[1] and other[:2] != span[:2] for other in known)
    ]
    trimmed = (_trimmed(words, span) for span in outermost)
    return frozenset(span for span in trimmed if span is not None)


@dataclass
class Counts:
    """Right, predicted and gold names."""

    right: int = 0
    found: int = 0
    gold: int = 0

    @property
    def f1(self) -> float:
        """In percent."""
        return 200 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0


def score(gold: Iterable[GoldSentence], predictions: Iterable[frozenset[Span]]) -> Counts:
    """Count exact matches; predictions that overlap an open span do not count."""
    counts = Counts()
    for sentence, names in zip(gold, predictions, strict=True):
        counted = {span for span in names if not any(_overlap(span, other) for other in sentence.open)}
        counts.right += len(counted & sentence.names)
        counts.found += len(counted)
        counts.gold += len(sentence.names)
    return counts


def _spans_by_sentence(document: Document) -> Iterator[list[Span]]:
    """The mentions of each sentence as token spans."""
    for sentence in document.sentences:
        starts = {token.start: number for number, token in enumerate(sentence.tokens)}
        ends = {token.end: number + 1 for number, token in enumerate(sentence.tokens)}
        yield [
            (starts[mention.start], ends[mention.end], mention.type)
            for mention in document.mentions
            if mention.start in starts and mention.end in ends
        ]


def _gold(words: list[str], spans: Sequence[Span], corpus: Corpus) -> GoldSentence:
    open = frozenset((start, end) for start, end, _ in spans if not _is_name(words[start:end], corpus))
    return GoldSentence(words, names_of(words, [span for span in spans if span[:2] not in open]), open)


def _is_name(words: Sequence[str], corpus: Corpus) -> bool:
    """Whether an annotated span is a name by the rules above: no @name, pronoun, role or nominal."""
    if words[0].startswith("@") or any(word.lower() in ROLES for word in words):
        return False
    if all(word.lower() in PRONOUNS | DETERMINERS for word in words):
        return False
    return not corpus.has_nominals or any(word[:1].isupper() for word in words)


def _trimmed(words: Sequence[str], span: Span) -> Span | None:
    start, end, type = span
    while start < end and words[start].lower() in DETERMINERS:
        start += 1
    while start < end and words[end - 1] in POSSESSIVES:
        end -= 1
    return (start, end, type) if start < end and not words[start].startswith("@") else None


def _overlap(span: Span, other: tuple[int, int]) -> bool:
    return span[0] < other[1] and other[0] < span[1]
