"""The language of a document, from its id or from its text, as three letters."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from fofe.base.errors import InputError
from fofe.text.detect import detect

ENGLISH, CHINESE, SPANISH = "eng", "cmn", "spa"
UNKNOWN = "und"
"""The code of ISO 639 for a language that was not determined."""

_CODES: Final = MappingProxyType(
    {
        **dict.fromkeys(("en", "eng"), ENGLISH),
        **dict.fromkeys(("zh", "zho", "chi", "cmn"), CHINESE),
        **dict.fromkeys(("es", "spa"), SPANISH),
    }
)
_IN_IDS: Final = frozenset({"eng", "cmn", "zho", "chi", "spa"})
_PARTS = re.compile(r"[A-Za-z]+")


def language_code(code: str) -> str:
    """The three letters of a language that was given as `en`, `eng`, `zh`, `cmn`, `fra` ..."""
    known = _CODES.get(code.lower())
    if known is None and not re.fullmatch("[a-z]{3}", code.lower()):
        raise InputError(f"unknown language {code!r}", remedy="give three letters: eng, cmn, spa")
    return known or code.lower()


def language_of_id(id: str) -> str | None:
    """The language that an id tells, as in `ENG_NW_001278`, `NYT_ENG_20130822.0147`, `bolt-cmn-DF-1`."""
    codes = (part.lower() for part in _PARTS.findall(id))
    return next((_CODES[code] for code in codes if code in _IN_IDS), None)


def language_of(id: str, text: str) -> str | None:
    """The language of a document: by its id, else by its text; None where neither tells."""
    by_id = language_of_id(id)
    if by_id is not None:
        return by_id
    detected = detect(text)
    return None if detected is None else _CODES[detected]
