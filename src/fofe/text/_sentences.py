"""Where sentences end in text that marks it with `.`, `!` and `?` and a space."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fofe.text._abbreviations import Abbreviations
from fofe.text._characters import CLOSING

_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\r[^\S\r\n]*\r\s*|\x0c\s*|\u2029\s*")

_ALWAYS_FINAL = "。！？｡"
_OPENING = "\"'“”‘„«»‹¿¡([{<「『（《〈【`*_"
_NEVER_FIRST = frozenset(",;:.!?…%)]}。！？｡，、；：）」』")

# One mark only, the last of a series: a run of marks without a space after it must not be scanned again and
# again. Scripts with wide marks put no space after a sentence.
_CANDIDATE = re.compile(rf"[.!?…؟।॥۔።{_ALWAYS_FINAL}](?:[{CLOSING}]*\s+|(?<=[{_ALWAYS_FINAL}])[{CLOSING}]*)")
_OPENING_RUN = re.compile(rf"[{re.escape(_OPENING)}]{{1,8}}")
_NEXT_WORD = re.compile(r"([^\W\d_]+)(?![.\w])")

# Longer than any abbreviation: only this much before a dot needs a look.
_REACH = 24

# U.S, J, J.-P, e.g, EE.UU: what is before the last dot of initials and of letters with dots.
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,2}|[^\W\d_]")
_LIST_NUMBER = re.compile(r"\d{1,2}")


def sentence_ends(text: str, abbreviations: Abbreviations) -> Iterator[int]:
    """Offsets at which a sentence ends and the next one starts, without the end of the text itself.

    A blank line always ends a sentence; a single line break is a space like any other.
    """
    start = 0
    for paragraph in _PARAGRAPH_BREAK.finditer(text):
        yield from _ends_within(text, start, paragraph.start(), abbreviations)
        start = paragraph.end()
        yield start
    yield from _ends_within(text, start, len(text), abbreviations)


def _ends_within(text: str, start: int, end: int, abbreviations: Abbreviations) -> Iterator[int]:
    for candidate in _CANDIDATE.finditer(text, start, end):
        if candidate.end() < end and _ends_sentence(text, start, candidate, abbreviations):
            start = candidate.end()
            yield start


def _ends_sentence(text: str, start: int, candidate: re.Match[str], abbreviations: Abbreviations) -> bool:
    """Whether the mark of a candidate ends the sentence that begins at `start`."""
    mark, following = candidate.span()
    if opening := _OPENING_RUN.match(text, following):
        following = opening.end()
    first = text[following : following + 1]
    if not first or first in _NEVER_FIRST or (first.islower() and text[mark] not in _ALWAYS_FINAL):
        return False
    if text[mark] != ".":
        return True
    word = _word_before(text, start, mark)
    if word in abbreviations.before_names or (first.isdigit() and word in abbreviations.before_numbers):
        return False
    if word in abbreviations.sometimes_last or _DOTTED.fullmatch(word):
        next_word = _NEXT_WORD.match(text, following)
        return next_word is not None and next_word[1] in abbreviations.openers
    return not _is_list_number(word, text, start, mark)


def _word_before(text: str, start: int, mark: int) -> str:
    words = text[max(start, mark - _REACH) : mark].replace("—", " ").split()
    return words[-1].lstrip(_OPENING) if words else ""


def _is_list_number(word: str, text: str, start: int, mark: int) -> bool:
    """Whether a word before a dot is the number of an item, first in its sentence or line."""
    first = mark - len(word)
    return _LIST_NUMBER.fullmatch(word) is not None and (first == start or text[first - 1] == "\n")
