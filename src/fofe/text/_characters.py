r"""Classes of characters for the token patterns, written as the inside of a regular expression's brackets.

`re` knows no Unicode categories beyond `\w`, and `\w` leaves out combining marks: it would cut decomposed
letters and most words of Indic scripts into pieces. The class of word characters is therefore worked out from
the Unicode database when the first tokeniser is made, which takes some milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from unicodedata import category

# Scripts written without spaces in which one character is the best token to be had without a dictionary:
# Han, kana, bopomofo, Tangut. Everything in the planes from U+20000 on is Han.
_UNSPACED_RANGES = (
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x3038, 0x303C),
    (0x3041, 0x3096),
    (0x309B, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x3105, 0x312F),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x17000, 0x18DFF),
    (0x1AFF0, 0x1B2FF),
    (0x20000, 0x3FFFF),
)
_FIRST_PLANE = 0x10000

# Beyond the first plane `re` tries one range after the other, for every character that is in none: a few wide
# ranges (old scripts, mathematical letters, later additions) have to do.
_WORDS_BEYOND = "\U00010000-\U00016fff\U0001d400-\U0001d7ff\U0001e000-\U0001e95f"
_MARKS_BEYOND = "\U0001d165-\U0001d172\U000e0100-\U000e01ef"

# Inside words, and never seen: soft hyphen, zero-width non-joiner (Persian), zero-width joiner (Indic).
_JOINERS = "\u00ad\u200c\u200d"
_SKIN_TONES = "\U0001f3fb-\U0001f3ff"
_FLAG_TAGS = "\U000e0020-\U000e007f"

UPPER = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
LOWER = "a-zß-öø-ÿα-ωа-яё"
APOSTROPHES = "'’"
HYPHENS = "\\-\u2010\u2011"
CLOSING = "\"'”’»«›)\\]}」』）》〉】"


def _class_of(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@cache
def _main_categories() -> str:
    """The main category (L, M, N, P ...) of each character of the first plane, `-` for unspaced scripts."""
    kinds = [category(chr(code))[0] for code in range(_FIRST_PLANE)]
    for first, last in _UNSPACED_RANGES:
        if last < _FIRST_PLANE:
            kinds[first : last + 1] = "-" * (last + 1 - first)
    return "".join(kinds)


def _class_of_categories(wanted: str) -> str:
    runs = re.finditer(f"[{wanted}]+", _main_categories())
    return _class_of((run.start(), run.end() - 1) for run in runs)


@cache
def word_characters() -> str:
    """Letters, digits and marks of scripts that are written with spaces."""
    return _class_of_categories("LMN") + _JOINERS + _WORDS_BEYOND + _MARKS_BEYOND


@cache
def extending_characters() -> str:
    """What belongs to the character before it, whatever that is: marks, joiners, skin tones, flag tags."""
    return _class_of_categories("M") + _JOINERS + _MARKS_BEYOND + _SKIN_TONES + _FLAG_TAGS


def unspaced_characters() -> str:
    """Han characters, kana and the like."""
    return _class_of(_UNSPACED_RANGES)
