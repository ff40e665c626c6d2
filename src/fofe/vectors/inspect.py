"""Inspecting word vectors: nearest neighbours of a word, and coverage of a text."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fofe.base.errors import InputError
from fofe.features.vocabulary import Vocabulary
from fofe.formats.vectors import WordVectors


def neighbours(vectors: WordVectors, word: str, count: int) -> list[tuple[str, float]]:
    """The nearest words by cosine, with the cosines."""
    if word not in vectors.words:
        remedy = "if the vectors are uncased, give it in lower case"
        raise InputError(f"there is no vector for {word!r}", remedy=remedy)
    row = vectors.words.index(word)
    lengths = np.maximum(np.linalg.norm(vectors.vectors, axis=1), 1e-12)
    cosines = vectors.vectors @ vectors.vectors[row] / (lengths * lengths[row])
    cosines[row] = -np.inf
    nearest = np.argsort(-cosines, kind="stable")[: min(count, len(cosines) - 1)]
    return [(vectors.words[near], float(cosines[near])) for near in nearest]


@dataclass(frozen=True)
class Coverage:
    """How much of some text a table of vectors knows."""

    tokens: int
    known_tokens: int
    words: int
    known_words: int
    unknown: list[tuple[str, int]]
    """The words that it does not know, most frequent first, with their counts."""


def coverage(vectors: WordVectors, words: Iterable[str], *, cased: bool, digits: str) -> Coverage:
    """Look the words of a text up as a model with these vectors would."""
    vocabulary = Vocabulary(vectors.words, cased=cased, digits=digits)
    counts = Counter(words)
    unknown = {word: count for word, count in counts.items() if word not in vocabulary}
    return Coverage(
        tokens=counts.total(),
        known_tokens=counts.total() - sum(unknown.values()),
        words=len(counts),
        known_words=len(counts) - len(unknown),
        unknown=sorted(unknown.items(), key=lambda item: (-item[1], item[0])),
    )
