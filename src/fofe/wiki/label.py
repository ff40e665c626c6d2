"""Labelled text from a page: links to pages of a known type become mentions, and little else is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fofe.base.report import Report
from fofe.text.align import Aligner, TokenSpan
from fofe.text.document import UNKNOWN, Document, Mention, Region, Sentence
from fofe.text.tokenise import tokeniser
from fofe.wiki._cut import Link
from fofe.wiki.languages import wiki_language
from fofe.wiki.mapping import Mapping, Types
from fofe.wiki.names import Span, name_in
from fofe.wiki.page import Page, join_types, region_in
from fofe.wiki.repeats import repeated
from fofe.wiki.titles import base, normalise
from fofe.wiki.types import Resolved

NO_CAPITAL = "links whose text has no capital letter"
STUCK = "links with letters stuck to them"
NOT_A_NAME = "links whose text is not a name of their target"
NO_TOKENS = "links that do not begin and end with a token of one sentence"
NO_MENTION = "pages without a typed link left out"
AMBIGUOUS_PAGES = "disambiguation pages left out"
PLACES = frozenset({"GPE", "LOC"})

Resolve = Callable[[str], Resolved]
LowerNames = dict[str, list[list[str]]]
"""The words of names, by the first of them."""


@dataclass
class Labelled:
    """What became of a page."""

    document: Document | None
    counts: Counter[str] = field(default_factory=Counter)
    report: Report = field(default_factory=Report)


@dataclass(frozen=True)
class Labeller:
    """Labels pages, one at a time and each on its own."""

    mapping: Mapping
    resolve: Resolve
    lower_names: LowerNames
    """Names that have no capital where they stand in a sentence: such words are not safely negative."""
    repeats: bool = False
    """Whether later plain mentions of a linked name, and of the page's own title, are labelled too."""

    def label(self, page: Page) -> Labelled:
        """The page as a document with mentions and unknown regions; None where it has no mention."""
        done = Labelled(None)
        if page.ambiguous:
            done.report.note(AMBIGUOUS_PAGES, page.title)
            return done
        done.counts["links"] = len(page.links)
        document = tokeniser(self.mapping.language).document(page.text, id=page.title)
        aligner = Aligner(document)
        found: dict[TokenSpan, Types] = {}
        for link in page.links:
            found |= self._names(link, page, aligner, done)
        if not found:
            done.report.note(NO_MENTION, page.title)
            return done
        if self.repeats:
            own = self.resolve(page.title)
            again = repeated(document, found, base(page.title), own.types)
            done.counts["repeated mentions"] += len(again)
            found = {**found, **again}
        self._fill(document, aligner, found)
        done.counts["labelled pages"] += 1
        done.counts.update(f"mentions of type {mention.type}" for mention in document.mentions)
        done.document = document
        return done

    def _names(self, link: Link, page: Page, aligner: Aligner, done: Labelled) -> dict[TokenSpan, Types]:
        """The parts of a link that are names, with their types; why there are none is noted."""
        text = page.text[link.start : link.end]
        resolved = self.resolve(normalise(link.target))
        span, types, why_not = self._name(text, link, resolved)
        parts = {
            tokens: of_part
            for start, end, of_part in (self._parts(text, span, types) if span else ())
            if (tokens := aligner.tokens_of(link.start + start, link.start + end))
        }
        if parts:
            done.counts["typed links"] += 1
            done.counts.update(f"typed links by {source}" for source in resolved.sources)
        else:
            done.report.note(why_not or NO_TOKENS, f"{page.title}: {text}")
        return parts

    def _name(self, text: str, link: Link, resolved: Resolved) -> tuple[Span | None, Types, str]:
        """The span of a link's text that is a name and the name's types, or why there is none."""
        language = wiki_language(self.mapping.language)
        nothing = None, resolved.types
        if resolved.why_not:
            return *nothing, resolved.why_not
        if link.trail:
            return *nothing, STUCK
        if language.capitals and text == text.lower():
            return *nothing, NO_CAPITAL
        titles = list(dict.fromkeys((normalise(link.target), resolved.title)))
        span = name_in(text, titles, resolved.types, language)
        if span:
            return span, resolved.types, ""
        demonym = self.mapping.demonym(text) if resolved.types & PLACES else None
        return ((0, len(text)), demonym, "") if demonym else (*nothing, NOT_A_NAME)

    def _parts(self, text: str, span: Span, types: Types) -> Iterator[tuple[int, int, Types]]:
        """A place and the region behind its comma are two names: `Mobile, Alabama`."""
        start, end = span
        head, comma, rest = text[start:end].partition(", ")
        if comma and types & PLACES:
            yield start, start + len(head), types
            region = self.resolve(normalise(rest)).types if rest == region_in(text) else frozenset()
            if region & PLACES:
                yield end - len(rest), end, region
        else:
            yield start, end, types

    def _fill(self, document: Document, aligner: Aligner, found: dict[TokenSpan, Types]) -> None:
        """Add mentions, in their order, and mark as unknown what is neither in them nor safely negative."""
        known = [
            self._safe(sentence) if wiki_language(self.mapping.language).capitals else [False] * len(sentence)
            for sentence in document.sentences
        ]
        for span in sorted(found):
            start, end = aligner.characters_of(span)
            types = join_types(found[span])
            document.mentions.append(Mention(start, end, types, text=document.text[start:end]))
            known[span.sentence][span.start : span.end] = [True] * (span.end - span.start)
        for sentence, of_sentence in zip(document.sentences, known, strict=True):
            document.regions += _unknown(sentence, of_sentence)

    def _safe(self, sentence: Sentence) -> list[bool]:
        """Which tokens are no part of a name: small letters or marks alone, and no name without capitals."""
        words = sentence.words
        safe = [word.islower() if any(map(str.isalnum, word)) else True for word in words]
        safe = [known and not any(map(str.isdigit, word)) for known, word in zip(safe, words, strict=True)]
        openers = wiki_language(self.mapping.language).openers
        safe[0] = safe[0] or (words[0] == words[0].capitalize() and words[0].lower() in openers)
        for start, word in enumerate(words):
            for name in self.lower_names.get(word, ()):
                if words[start : start + len(name)] == name:
                    safe[start : start + len(name)] = [False] * len(name)
        return safe


def by_first_word(names: Iterable[str]) -> LowerNames:
    """Names as lists of words, sorted by the first; words are what spaces separate."""
    found: LowerNames = {}
    for name in names:
        words = name.split()
        found.setdefault(words[0], []).append(words)
    return found


def _unknown(sentence: Sentence, known: Sequence[bool]) -> Iterator[Region]:
    """The runs of tokens of which nothing is known."""
    first: int | None = None
    for number, is_known in enumerate([*known, True]):
        if not is_known and first is None:
            first = number
        elif is_known and first is not None:
            yield Region(sentence.tokens[first].start, sentence.tokens[number - 1].end, UNKNOWN)
            first = None
