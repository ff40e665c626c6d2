"""Any language without its own rules: words between spaces, punctuation split off, no abbreviations.

Scripts without spaces become single characters if one character is a sensible token (Han, kana), else they
stay together (Thai, Khmer, Lao).
"""

from __future__ import annotations

from functools import partial

from fofe.text import _patterns as patterns
from fofe.text._rules import Abbreviations, Rules, sentence_ends


def rules() -> Rules:
    """Rules that rely on spaces and common punctuation only."""
    token = patterns.token_pattern(
        patterns.plain(),
        patterns.URL,
        patterns.EMAIL,
        patterns.acronym(),
        patterns.initial(),
        patterns.CURRENCY,
        patterns.compound(),
    )
    return Rules(token, partial(sentence_ends, abbreviations=Abbreviations()))
