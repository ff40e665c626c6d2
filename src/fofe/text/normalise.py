"""Words as a model reads them, whatever the caller's text does to them.

This is for the network alone: tokens and offsets stay those of the caller's own text.
"""

from __future__ import annotations

import unicodedata

MOST_CHARACTERS = 100
"""Of a longer word the beginning and the end are read: characters cost memory, whatever they are."""


def as_read(words: list[str]) -> list[str]:
    """The words of a sentence with their accents composed (NFC), and very long ones shortened."""
    text = "".join(words)
    if not text.isascii():
        words = [unicodedata.normalize("NFC", word) for word in words]
    if len(text) > MOST_CHARACTERS and max(map(len, words)) > MOST_CHARACTERS:
        words = [_shortened(word) for word in words]
    return words


def _shortened(word: str) -> str:
    half = MOST_CHARACTERS // 2
    return word if len(word) <= MOST_CHARACTERS else word[:half] + word[-half:]
