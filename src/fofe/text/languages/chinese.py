"""Chinese: each character is a token; runs of Latin letters or digits are one token.

A sentence ends after 。！？；, with the closing quotes that follow, and at every line break.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from fofe.text import _patterns as patterns
from fofe.text._patterns import extending_characters, unspaced_characters
from fofe.text._rules import CLOSING, Rules

_NEVER_FIRST = f"，、：；。！？｡,:.{CLOSING}"


def _sentence_end() -> re.Pattern[str]:
    han = unspaced_characters()
    wide_marks = "[。！？；｡][。！？；｡!?]*"
    # A narrow mark may also stand in a web address: it counts before a space or Chinese text only. One mark
    # is enough to look at, the last of a series.
    narrow_mark = rf"[!?](?=[\s{CLOSING}{han}]|\Z)"
    return re.compile(
        rf"(?:{wide_marks}|{narrow_mark})[{CLOSING}]*(?![{_NEVER_FIRST}])|[\n\r\x0b\x0c\x85\u2028\u2029]"
    )


def _ends(text: str, pattern: re.Pattern[str]) -> Iterator[int]:
    return (match.end() for match in pattern.finditer(text))


def rules() -> Rules:
    """The rules of Chinese."""
    character = f"[{unspaced_characters()}，。、：；？！（）《》“”](?![{extending_characters()}])"
    percentage = r"\d[\d.,]{0,20}[%％‰]"
    token = patterns.token_pattern(
        character,
        patterns.URL,
        patterns.EMAIL,
        percentage,
        patterns.acronym(),
        patterns.CURRENCY,
        patterns.compound(),
    )
    return Rules(token, partial(_ends, pattern=_sentence_end()))
