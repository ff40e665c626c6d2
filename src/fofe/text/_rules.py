"""What a language defines to be tokenised, and how text that marks sentence ends with `.!?` is split."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

CLOSING = "\"'”’»«›)\\]}」』）》〉】"
"""Closing quotes and brackets, for use inside the brackets of a regular expression."""


class Rules(NamedTuple):
    """How one language is cut into sentences and tokens."""

    token: re.Pattern[str]
    """Finds the tokens of a sentence; whatever it skips is whitespace."""
    sentence_ends: Callable[[str], Iterable[int]]
    """Increasing offsets at which sentences end; the end of the text need not be among them."""


@dataclass(frozen=True)
class Abbreviations:
    """Abbreviations, without their last dot, by what may follow them."""

    before_names: frozenset[str] = frozenset()
    """Titles and the like: more of the sentence follows, whatever it looks like."""
    before_numbers: frozenset[str] = frozenset()
    """Ordinary words that are abbreviations only before a number (No. 5)."""
    sometimes_last: frozenset[str] = frozenset()
    """The end of a sentence if one of the `openers` follows, like initials and U.S."""
    before_lower: frozenset[str] = frozenset()
    """Like any word, the end of a sentence unless a small letter follows."""
    openers: frozenset[str] = frozenset()
    """Capitalised words that open a sentence and are hardly ever part of a name."""

    @property
    def anywhere_inside(self) -> frozenset[str]:
        """Abbreviations that keep their dot whatever follows in the sentence."""
        return self.before_names | self.sometimes_last | self.before_lower


_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\r[^\S\r\n]*\r\s*|\x0c\s*|\u2029\s*")

_ALWAYS_FINAL = "。！？｡"
_OPENING = "\"'“”‘„«»‹¿¡([{<「『（《〈【`*_"
_NEVER_FIRST = frozenset(",;:.!?…%)]}。！？｡，、；：）」』")

# One mark only, the last of a series: a run of marks without a space after it must not be scanned again and
# again. Scripts with wide marks put no space after a sentence.
_CANDIDATE = re.compile(rf"[.!?…؟।॥۔።{_ALWAYS_FINAL}](?:[{CLOSING}]*\s+|(?<=[{_ALWAYS_FINAL}])[{CLOSING}]*)")
_OPENING_RUN = re.compile(rf"[{re.escape(_OPENING)}]{{1,8}}")
_NEXT_WORD = re.compile(r"([^\W\d_]+)(?![.\w])")

# Longer than any abbreviation: this many characters before a dot are examined.
_LONGEST_WORD = 24

# U.S, J, J.-P, e.g, EE.UU: what is before the last dot of initials and of letters with dots.
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,2}|[^\W\d_]")
_LIST_NUMBER = re.compile(r"\d{1,2}")


def sentence_ends(text: str, abbreviations: Abbreviations) -> Iterator[int]:
    """Offsets at which a sentence ends and the next one starts, except the end of the text.

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
    """True if the mark of a candidate ends the sentence that begins at `start`."""
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
    words = text[max(start, mark - _LONGEST_WORD) : mark].replace("—", " ").split()
    return words[-1].lstrip(_OPENING) if words else ""


def _is_list_number(word: str, text: str, start: int, mark: int) -> bool:
    """True if a word before a dot is the number of a list item, first in its sentence or line."""
    first = mark - len(word)
    return _LIST_NUMBER.fullmatch(word) is not None and (first == start or text[first - 1] == "\n")
