"""Weak labels for the text of a page: links to pages of a known type become mentions.

The rest is unknown, except for tokens that are safely no part of a name.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from fofe.base.report import Report
from fofe.text.align import TokenSpan, characters_of, tokens_of
from fofe.text.document import UNKNOWN, Document, Mention, Region, Sentence
from fofe.text.tokenise import tokeniser
from fofe.wiki.languages import WikiLanguage, wiki_language
from fofe.wiki.mapping import DEMONYM, Types, join_types
from fofe.wiki.markup import Link
from fofe.wiki.page import Page, base, normalise, without_generic
from fofe.wiki.types import Resolved, TypeIndex

NO_CAPITAL = "links whose text has no capital letter"
STUCK = "links with letters stuck on"
NOT_A_NAME = "links whose text is not a name of the target"
NO_TOKENS = "links not beginning and ending with a token of one sentence"
NO_MENTION = "pages without a typed link left out"
AMBIGUOUS_PAGES = "disambiguation pages left out"
PERSON, ORGANISATION = "PER", "ORG"
PLACES = frozenset({"GPE", "LOC"})

_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*\.?")
_ACRONYM = re.compile(r"(?:[A-Z]\.?){2,6}")

CharacterSpan = tuple[int, int]
Words = tuple[str, ...]


class Labeller:
    """Labels one page at a time, with what an index knows of titles.

    With `repeats`, later plain mentions of a linked name, and of the page's own title, are labelled too.
    """

    def __init__(self, index: TypeIndex, *, repeats: bool = False) -> None:
        self._mapping = index.mapping
        self._language = wiki_language(index.mapping.language)
        self._resolve = index.resolve
        self._lower_names = index.lower_names()
        self._repeats = repeats

    def label(self, page: Page, report: Report) -> Document | None:
        """The page as a document with mentions and unknown regions; None if it has no mention."""
        if page.ambiguous:
            report.note(AMBIGUOUS_PAGES, page.title)
            return None
        report.totals["links"] += len(page.links)
        document = tokeniser(self._mapping.language).document(page.text, id=page.title)
        found: dict[TokenSpan, Types] = {}
        for link in page.links:
            found |= self._names(link, page, document, report)
        if not found:
            report.note(NO_MENTION, page.title)
            return None
        if self._repeats:
            again = _repeated(document, found, base(page.title), self._resolve(page.title).types)
            report.totals["repeated mentions"] += len(again)
            found |= again
        self._fill(document, found)
        report.totals["labelled pages"] += 1
        report.totals.update(f"mentions of type {mention.type}" for mention in document.mentions)
        return document

    def _names(self, link: Link, page: Page, document: Document, report: Report) -> dict[TokenSpan, Types]:
        """The names in a link's text with their types; if there are none, the reason is noted."""
        text = page.text[link.start : link.end]
        resolved = self._resolve(normalise(link.target))
        found = self._name(text, link, resolved)
        names = {
            tokens: types
            for start, end, types in (() if isinstance(found, str) else self._parts(text, *found))
            if (tokens := tokens_of(document, link.start + start, link.start + end))
        }
        if names:
            report.totals["typed links"] += 1
            report.totals.update(f"typed links by {source}" for source in resolved.sources)
        else:
            report.note(found if isinstance(found, str) else NO_TOKENS, f"{page.title}: {text}")
        return names

    def _name(self, text: str, link: Link, resolved: Resolved) -> tuple[int, int, Types] | str:
        """The span of a link's text that is a name, with the name's types, or why there is none."""
        if resolved.why_not:
            return resolved.why_not
        if link.trail:
            return STUCK
        if self._language.capitals and text == text.lower():
            return NO_CAPITAL
        titles = list(dict.fromkeys((normalise(link.target), resolved.title)))
        if span := name_in(text, titles, resolved.types, self._language):
            return *span, resolved.types
        demonym = self._mapping.types(DEMONYM, text) if resolved.types & PLACES else None
        return (0, len(text), demonym) if demonym else NOT_A_NAME

    def _parts(self, text: str, start: int, end: int, types: Types) -> Iterator[tuple[int, int, Types]]:
        """A place and the region behind its comma are two names: `Mobile, Alabama`."""
        head, comma, rest = text[start:end].partition(", ")
        if comma and types & PLACES:
            yield start, start + len(head), types
            region = self._resolve(normalise(rest)).types if rest == text.partition(", ")[2] else frozenset()
            if region & PLACES:
                yield end - len(rest), end, region
        else:
            yield start, end, types

    def _fill(self, document: Document, found: dict[TokenSpan, Types]) -> None:
        """Add the mentions in order, and mark as unknown what is neither in them nor safely negative."""
        known = list(map(self._safe, document.sentences))
        for span in sorted(found):
            start, end = characters_of(document, span)
            types = join_types(found[span])
            document.mentions.append(Mention(start, end, types, text=document.text[start:end]))
            known[span.sentence][span.start : span.end] = [True] * (span.end - span.start)
        for sentence, of_sentence in zip(document.sentences, known, strict=True):
            for is_known, run in groupby(zip(of_sentence, sentence.tokens, strict=True), itemgetter(0)):
                if not is_known:
                    tokens = [token for _, token in run]
                    document.regions.append(Region(tokens[0].start, tokens[-1].end, UNKNOWN))

    def _safe(self, sentence: Sentence) -> list[bool]:
        """For each token, whether it is no part of a name: lower case or punctuation, and no lower name."""
        words, language = sentence.words, self._language
        if not language.capitals:
            return [False] * len(words)
        safe = [
            not any(map(str.isdigit, word)) and (word.islower() or not any(map(str.isalnum, word)))
            for word in words
        ]
        safe[0] = safe[0] or (words[0] == words[0].capitalize() and words[0].lower() in language.openers)
        for start, word in enumerate(words):
            for name in self._lower_names.get(word, ()):
                if words[start : start + len(name)] == name:
                    safe[start : start + len(name)] = [False] * len(name)
        return safe


def name_in(text: str, titles: list[str], types: Types, language: WikiLanguage) -> CharacterSpan | None:
    """The span of a link's text that names its target, which has these titles; or None.

    A link may show anything: `the [[Abraham Lincoln|president]]`, `[[France|French]]`. Names are the title,
    the title without its qualifier or a generic word, a person's first or last name, and initials. Only
    lower-case words may surround them and, before persons, their titles.
    """
    names = [name for title in titles for name in _names_of(title, types, language)]
    spans = [span for name in names if (span := _occurrence(text, name, types, language))]
    if spans:
        return max(spans, key=lambda span: span[1] - span[0])
    is_name = _is_part_of_person(text, titles, language) if PERSON in types else _is_acronym(text, titles)
    return (0, len(text)) if is_name else None


def _names_of(title: str, types: Types, language: WikiLanguage) -> Iterator[str]:
    """What a page may be called."""
    full = base(title)
    if full.rpartition(" ")[2].islower():  # the name in `Arabic language` is the first word
        full = without_generic(full, language)
    yield full
    first, _, rest = full.partition(" ")
    if first.lower() in language.articles and rest:
        yield rest
    yield full.partition(", ")[0]
    yield without_generic(full, language)
    before, of, _ = full.partition(" of ")
    if ORGANISATION in types and of and " " in before:
        yield before


def _occurrence(text: str, name: str, types: Types, language: WikiLanguage) -> CharacterSpan | None:
    """Where a name occurs in a link's text, if nothing else there can be a part of a longer name."""
    if text == name:
        return 0, len(text)
    if not language.capitals:
        return None
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    if found is None or not name[:1].isupper():
        return None
    before, after = text[: found.start()], text[found.end() :]
    free = after if types == {PERSON} else before + after
    if any(word[:1].isupper() or word[:1].isdigit() for word in _WORD.findall(free)):
        return None
    return found.span() if "-" not in (before[-1:], after[:1]) else None


def _is_part_of_person(text: str, titles: list[str], language: WikiLanguage) -> bool:
    """True if a text consists of words of a person's name, the last of them its first or last word."""
    if not language.capitals:
        # These dots join the parts of foreign names in Chinese.
        return any(text == re.split("[·・]", base(title))[-1] for title in titles)
    words = _WORD.findall(text)
    if not words or not all(word[:1].isupper() for word in words) or " ".join(words) != text:
        return False
    names = [_WORD.findall(base(title)) for title in titles]
    return any(set(words) <= set(name) and words[-1] in (name[0], name[-1]) for name in names)


def _is_acronym(text: str, titles: list[str]) -> bool:
    words = [_WORD.findall(base(title)) for title in titles]
    initials = ["".join(word[0] for word in title if word[0].isupper()) for title in words]
    return bool(_ACRONYM.fullmatch(text)) and text.replace(".", "") in initials


def _repeated(
    document: Document, found: dict[TokenSpan, Types], own_name: str, own_types: Types
) -> dict[TokenSpan, Types]:
    """Later occurrences of the names in `found`, and all of the page's own; none overlaps a known mention.

    Of names that begin at one token the longest is taken; one with different types on the page is left alone.
    """
    names: dict[Words, tuple[TokenSpan, Types | None]] = {}
    for span in sorted(found):
        words = tuple(document.sentences[span.sentence].words[span.start : span.end])
        first, types = names.setdefault(words, (span, found[span]))
        names[words] = first, types if types == found[span] else None
    if own_types and own_name:
        own = tuple(token.text for token in tokeniser("xx").document(own_name).tokens)
        names.setdefault(own, (TokenSpan(0, 0, 0), own_types))
    by_first: dict[str, list[Words]] = {}
    for words in sorted(names, key=len, reverse=True):
        by_first.setdefault(words[0], []).append(words)
    taken = {(span.sentence, number) for span in found for number in range(span.start, span.end)}
    added: dict[TokenSpan, Types] = {}
    for number, sentence in enumerate(document.sentences):
        of_sentence = tuple(sentence.words)
        for start, word in enumerate(of_sentence):
            for words in by_first.get(word, ()):
                first, types = names[words]
                span = TokenSpan(number, start, start + len(words))
                if types is None or of_sentence[start : span.end] != words or span <= first:
                    continue
                tokens = {(number, token) for token in range(start, span.end)}
                if not tokens & taken:
                    taken |= tokens
                    added[span] = types
                break
    return added
