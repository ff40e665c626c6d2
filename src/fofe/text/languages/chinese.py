"""Chinese: each character is a token; runs of Latin letters or digits stay whole.

A sentence ends after 。！？；, with the closing quotes that follow, and at every line break.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from fofe.text import _patterns as patterns
from fofe.text._characters import CLOSING, extending_characters, unspaced_characters
from fofe.text._rules import Rules

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


def _ends_found_by(pattern: re.Pattern[str]) -> Callable[[str], Iterator[int]]:
    def ends(text: str) -> Iterator[int]:
        return (match.end() for match in pattern.finditer(text))

    return ends


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
        patterns.handle(),
        patterns.ENTITY,
        patterns.EMOTICON,
        patterns.FLAG,
        patterns.RUN,
    )
    return Rules(token, _ends_found_by(_sentence_end()))
