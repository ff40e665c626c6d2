"""Which part of a link's text is a name of the page that it leads to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fofe.wiki.languages import WikiLanguage
from fofe.wiki.titles import base, without_generic

PERSON, ORGANISATION = "PER", "ORG"
_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*\.?")
_ACRONYM = re.compile(r"(?:[A-Z]\.?){2,6}")
_DOT = "·・"
"""What joins the parts of foreign names in Chinese."""

Span = tuple[int, int]


def name_in(text: str, titles: list[str], types: frozenset[str], language: WikiLanguage) -> Span | None:
    """The span of a link's text that names its target, which goes by these titles; or None.

    A link may say anything: `the [[Abraham Lincoln|president]]`, `[[France|French]]`. Taken are the title,
    what is left of it without what is generic or in brackets, a person's first or last name, and initials;
    around them only small words and, before persons, their titles may stand.
    """
    names = [name for title in titles for name in _names(title, types, language)]
    spans = [span for name in names if (span := _occurrence(text, name, types, language))]
    if spans:
        return max(spans, key=lambda span: span[1] - span[0])
    if PERSON in types:
        return _part_of_person(text, titles, language)
    return (0, len(text)) if any(_is_acronym(text, title) for title in titles) else None


def _names(title: str, types: frozenset[str], language: WikiLanguage) -> Iterator[str]:
    """What a page may be called."""
    whole = base(title)
    if whole.rpartition(" ")[2].islower():  # of `Arabic language` the first word is the name
        whole = without_generic(whole, language)
    yield whole
    first, _, rest = whole.partition(" ")
    if first.lower() in language.articles and rest:
        yield rest
    head = whole.partition(", ")[0]
    if head != whole:
        yield head
    short = without_generic(whole, language)
    if short != whole:
        yield short
    if ORGANISATION in types:
        before = whole.partition(" of ")[0]
        if before != whole and " " in before:
            yield before


def _occurrence(text: str, name: str, types: frozenset[str], language: WikiLanguage) -> Span | None:
    """Where a name stands in a link's text, if nothing else there can be a part of a longer name."""
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
    return (found.start(), found.end()) if "-" not in (before[-1:], after[:1]) else None


def _part_of_person(text: str, titles: list[str], language: WikiLanguage) -> Span | None:
    """The whole text, if it is made of words of a person's name."""
    if not language.capitals:
        whole = any(text == part for title in titles for part in re.split(f"[{_DOT}]", base(title))[-1:])
        return (0, len(text)) if whole else None
    words = _WORD.findall(text)
    if not words or not all(word[:1].isupper() for word in words) or " ".join(words) != text:
        return None
    for title in titles:
        known = _WORD.findall(base(title))
        if all(word in known for word in words) and words[-1] in (known[0], known[-1]):
            return 0, len(text)
    return None


def _is_acronym(text: str, title: str) -> bool:
    if not _ACRONYM.fullmatch(text):
        return False
    initials = "".join(word[0] for word in _WORD.findall(base(title)) if word[0].isupper())
    return text.replace(".", "") == initials
