"""Any language without rules of its own: words between spaces, punctuation split off, no abbreviations known.

Scripts without spaces come out as single characters where one character is a sensible token (Han, kana) and
as whole runs where it is not (Thai, Khmer, Lao).
"""

from __future__ import annotations

from functools import partial

from fofe.text import _patterns as patterns
from fofe.text._abbreviations import Abbreviations
from fofe.text._rules import Rules
from fofe.text._sentences import sentence_ends


def rules() -> Rules:
    """Rules that rely on spaces and common punctuation only."""
    token = patterns.token_pattern(
        patterns.plain_word(),
        patterns.plain_punctuation(),
        patterns.PLAIN_STOP,
        patterns.URL,
        patterns.EMAIL,
        patterns.acronym(),
        patterns.initial(),
        patterns.CURRENCY,
        patterns.compound(),
        patterns.handle(),
        patterns.ENTITY,
        patterns.EMOTICON,
        patterns.FLAG,
        patterns.RUN,
    )
    return Rules(token, partial(sentence_ends, abbreviations=Abbreviations()))
