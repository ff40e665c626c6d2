"""Word segmentation of text without spaces, by a segmenter with its own dictionary.

Tokens of one letter, such as Chinese characters, are joined and cut into words; every other token is a word.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from fofe.base.errors import ConfigError, needs

Segmenter = Callable[[str], list[str]]
"""Splits a text into words; joined, they are the text again."""
SEGMENTERS = ("jieba",)


class InWord(NamedTuple):
    """A token and the word that contains it."""

    token: str
    word: str
    position: int
    """Which of the word's tokens it is, from 0."""
    tokens: int
    """How many tokens the word has."""
    found: tuple[tuple[int, ...], ...] = ()
    """The rows of the words of a lexicon that run through the token, by its position in them."""


def segmenter(name: str) -> Segmenter:
    """The segmenter of that name; an error names the known ones, or what to install."""
    if name not in SEGMENTERS:
        raise ConfigError(f"unknown segmenter {name!r}", remedy=f"use one of {', '.join(SEGMENTERS)}")
    with needs("the segmenter 'jieba' is not installed", "zh", "rjieba"):
        import rjieba  # noqa: F401
    return _cut_by_jieba


def _cut_by_jieba(text: str) -> list[str]:
    """Named because models refer to it when they are pickled, which `rjieba.cut` cannot be."""
    import rjieba

    words: list[str] = rjieba.cut(text)
    return words


def in_words(tokens: Sequence[str], segment: Segmenter) -> Iterator[InWord]:
    """Each token of a sentence with the word that contains it."""
    for joined, group in groupby(tokens, is_letter):
        if not joined:
            yield from (InWord(token, token, 0, 1) for token in group)
            continue
        for word in segment("".join(group)):
            yield from (InWord(letter, word, position, len(word)) for position, letter in enumerate(word))


def is_letter(token: str) -> bool:
    """True if a token is a single letter or digit of any script."""
    return len(token) == 1 and token.isalnum()
