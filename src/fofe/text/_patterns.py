"""Patterns of tokens that the languages share, and how they become one regular expression.

Everything here must run in linear time on any input. A pattern may scan far ahead only if it then takes what
it has scanned; one that can scan and fail has a bound on its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fofe.text._abbreviations import Abbreviations
from fofe.text._characters import (
    APOSTROPHES,
    CLOSING,
    HYPHENS,
    LOWER,
    UPPER,
    extending_characters,
    word_characters,
)

# Parts of a compound such as 26-year-old. The bound keeps the memory of a match small on hostile input.
_MOST_PARTS = 60

# No quotes and angle brackets, and nothing from U+2000 on: Chinese text may follow an address directly.
_URL_LETTERS = "a-zA-Z0-9\u00c0-\u167f\u1681-\u1fff"
_URL_CHARACTERS = f"!#-;=?-~\u00a1-\u00bf{_URL_LETTERS}"
_URL_LAST = f"{_URL_LETTERS}_/=#&%+~$*-"
_DOMAINS = (
    "com|org|net|edu|gov|mil|int|info|biz|io|co|tv|me|ly|eu|us|uk|ie|ca|au|nz|in|za|de|at|ch|fr|be|nl|it|es|pt"
    "|mx|ar|cl|pe|br|se|no|dk|fi|pl|cz|ru|ua|tr|il|cn|hk|tw|jp|kr|sg"
)

URL = (
    rf"(?:(?:https?|ftp)://|www\.)[{_URL_CHARACTERS}]*[{_URL_LAST}]"
    rf"|(?:[a-zA-Z0-9][a-zA-Z0-9-]{{0,62}}\.){{1,8}}(?:{_DOMAINS})(?![\w@])"
    rf"(?:/(?:[{_URL_CHARACTERS}]*[{_URL_LAST}])?)?"
)
EMAIL = r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?<=\w)"
ENTITY = r"&(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[\da-fA-F]{1,6});"
EMOTICON = r"(?<!\S)(?:[:;=][-o'^]?[()\[\]DPpOo/\\|*]|<3|\^_?\^|-_+-)(?!\S)"
FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
RUN = r"\.{2,}|…+|-{2,}|—{2,}|={2,}|\*{2,}|_{2,}|~{2,}|[!?]{2,}|'{2,}|`{2,}"
CURRENCY = r"[A-Z]{1,3}\$(?![^\W\d])"
PLAIN_STOP = r"\.(?=\s|\Z)"

# A dot at the end of a sentence is a token of its own, whatever it follows.
INSIDE_SENTENCE = rf"(?![{CLOSING}]{{0,8}}\s*\Z)"
LIST_NUMBER = rf"(?:(?<![^\n])|(?<=[.!?:;] ))\d{{1,2}}\.(?=[^\S\n]){INSIDE_SENTENCE}"


def plain_word() -> str:
    """A word of western letters that ends beyond doubt: the quick way out for most tokens."""
    letters = "[A-Za-zÀ-ÖØ-öø-ÿ]+"
    return rf"{letters}(?=[\s,])|{letters}(?![{word_characters()}{APOSTROPHES}{HYPHENS}&@_./:$+#])"


def plain_punctuation() -> str:
    """Punctuation that is never part of anything larger."""
    return rf"[,()\"“”\[\]{{}}](?![{extending_characters()}])"


def handle() -> str:
    """@name and #tag."""
    return rf"[@#][{word_characters()}_]+"


def compound(*, unjoined_after_apostrophe: str = "") -> str:
    """A word or number with what joins its parts: O'Brien, AT&T, 26-year-old, 1996-12-06, 5,778.00, 4:08.22.

    Signs and leading dots belong to a number (+44, .556). `unjoined_after_apostrophe` is a pattern of endings
    that an apostrophe does not join to the word.
    """
    word = f"[{word_characters()}]+"
    apostrophe = f"[{APOSTROPHES}]"
    if unjoined_after_apostrophe:
        apostrophe += f"(?!(?:{unjoined_after_apostrophe})(?![{word_characters()}]))"
    joints = (
        rf"[{HYPHENS}_&]",
        apostrophe,
        rf"\.(?=[{LOWER}\d])",
        rf"(?<=[{UPPER}])\.(?=[{UPPER}])",
        r"(?<=\d)[,:/](?=\d)",
    )
    sign = r"(?<![^\s(\[$€£¥])(?:[+\-−]?\.|[+\-−])(?=\d)"
    return rf"(?:{sign})?{word}(?:(?:{'|'.join(joints)}){word}){{0,{_MOST_PARTS}}}"


def short_slashed() -> str:
    """Units and the like, with one letter on one side of the slash: km/h, I/O, s/he. Names are split."""
    return rf"(?:and/or|[A-Za-z]/[A-Za-z]{{1,2}}|[A-Za-z]{{1,3}}/[a-z])(?![{word_characters()}/])"


def acronym() -> str:
    """Letters with dots, kept whole even at the end of a sentence: U.S., Ph.D., EE.UU., p.m., U.S.-based."""
    return rf"(?:[{UPPER}{LOWER}]{{1,2}}\.){{2,12}}(?:-[{word_characters()}]+)?"


def initial() -> str:
    """J. and J.-P. before a name, written with or without a space; but not the start of U.S and the like."""
    return (
        rf"[{UPPER}]\.(?:-[{UPPER}]\.)?(?![{UPPER}](?![{word_characters()}{APOSTROPHES}])){INSIDE_SENTENCE}"
    )


def abbreviation(known: Abbreviations) -> str:
    """Known abbreviations with their dots inside a sentence, also at the start of a compound (Mo.-based)."""
    alternatives = [rf"{_one_of(known.anywhere_inside)}\.{INSIDE_SENTENCE}(?:-[{word_characters()}]+)?"]
    if known.before_numbers:
        alternatives.append(rf"{_one_of(known.before_numbers)}\.(?=\s?\d)")
    return "|".join(alternatives)


def _one_of(words: Iterable[str]) -> str:
    """A pattern of many words, sorted by their first letters so that few are tried."""
    by_first_letter: dict[str, list[str]] = {}
    for word in sorted(words):
        by_first_letter.setdefault(word[0], []).append(re.escape(word[1:]))
    branches = (f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first_letter.items())
    return f"(?:{'|'.join(branches)})"


def symbol() -> str:
    """Any other character with what extends it, and an emoji sequence held together by joiners."""
    extending = f"[{extending_characters()}]*"
    return rf"\S{extending}(?:(?<=\u200d)[^\s\w]{extending}){{0,16}}"


def token_pattern(*alternatives: str) -> re.Pattern[str]:
    """One expression that finds the tokens of a text; earlier alternatives win.

    Between tokens the first thing it does is to see that there is whitespace, and to leave.
    """
    return re.compile(rf"(?!\s)(?:{'|'.join((*alternatives, symbol()))})")
