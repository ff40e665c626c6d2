"""Bringing the vectors of one language into the space of another, by the words that both have.

Vectors of two languages are laid out alike: what a turn of the one makes of *president* lies near the other's
*presidente*. The turn is found from words that are written the same in both, most of them names, and then
from pairs that lie nearest to each other after it. With the vectors of a language that has plenty of text,
those of one that has little know many more names.
"""

from __future__ import annotations

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.errors import FofeError
from fofe.formats.vectors import WordVectors

SHARED_RANK = 50_000
"""Words that both have are taken from so many of the most frequent ones."""
SHORTEST = 4
"""Shorter words are often written the same by chance."""
FEWEST = 100
"""With fewer pairs nothing can be learned."""
FREQUENT = 20_000
"""Among so many of the most frequent words pairs are looked for."""
ROUNDS = 4
NEIGHBOURS = 10
"""A word that is near to everything is no translation: its mean cosine to so many neighbours is taken off."""
ROWS_AT_ONCE = 2048


def added(vectors: WordVectors, others: WordVectors) -> WordVectors:
    """The vectors, and behind them those of the words that only the others have, brought into their space."""
    known = set(vectors.words)
    new = [row for row, word in enumerate(others.words) if word not in known]
    brought = _brought(others, vectors)[new]
    return WordVectors(
        [*vectors.words, *(others.words[row] for row in new)], np.concatenate([vectors.vectors, brought])
    )


def _brought(others: WordVectors, vectors: WordVectors) -> FloatArray:
    """[V, D] the other vectors in the space of these, as long as these are in the mean."""
    centre = vectors.vectors.mean(axis=0)
    directions = _directions(others.vectors)
    turn = _turn(directions, _directions(vectors.vectors), _shared_words(others, vectors))
    length = np.linalg.norm(vectors.vectors - centre, axis=1).mean()
    brought: FloatArray = (directions @ turn * length + centre).astype(np.float32)
    return brought


def _shared_words(others: WordVectors, vectors: WordVectors) -> IntArray:
    """[P, 2] the rows of words that are written the same."""
    rows = {word: row for row, word in enumerate(vectors.words[:SHARED_RANK]) if len(word) >= SHORTEST}
    pairs = [(row, rows[word]) for row, word in enumerate(others.words[:SHARED_RANK]) if word in rows]
    if len(pairs) < FEWEST:
        raise FofeError(
            f"the vectors share {len(pairs)} words of {SHORTEST} letters or more, of which it takes {FEWEST}"
        )
    return np.array(pairs)


def _turn(others: FloatArray, vectors: FloatArray, pairs: IntArray) -> FloatArray:
    """[D', D] the turn that brings the other directions [V', D'] nearest to these [V, D]."""
    for number in range(ROUNDS):
        left, _, right = np.linalg.svd(others[pairs[:, 0]].T @ vectors[pairs[:, 1]], full_matrices=False)
        turn: FloatArray = left @ right
        if number + 1 < ROUNDS:
            found = _nearest_pairs(_unit(others[:FREQUENT] @ turn), vectors[:FREQUENT])
            pairs = found if len(found) >= FEWEST else pairs
    return turn


def _nearest_pairs(some: FloatArray, others: FloatArray) -> IntArray:
    """[P, 2] the rows of those that are each other's nearest, of unit vectors [N, D] and [M, D]."""
    there = _nearest(some, others, _crowding(others, some))
    back = _nearest(others, some, _crowding(some, others))
    rows = np.flatnonzero(back[there] == np.arange(len(some)))
    return np.stack([rows, there[rows]], axis=1)


def _crowding(some: FloatArray, others: FloatArray) -> FloatArray:
    """[N] the mean cosine of each of some unit vectors [N, D] to its nearest among others [M, D]."""
    count = min(NEIGHBOURS, len(others))
    parts = [
        np.partition(some[first : first + ROWS_AT_ONCE] @ others.T, -count, axis=1)[:, -count:].mean(axis=1)
        for first in range(0, len(some), ROWS_AT_ONCE)
    ]
    return np.concatenate(parts)


def _nearest(some: FloatArray, others: FloatArray, crowding: FloatArray) -> IntArray:
    """[N] which of the others [M, D] is nearest to each of some [N, D], less how crowded it is [M]."""
    parts = [
        (2 * (some[first : first + ROWS_AT_ONCE] @ others.T) - crowding).argmax(axis=1)
        for first in range(0, len(some), ROWS_AT_ONCE)
    ]
    return np.concatenate(parts)


def _directions(vectors: FloatArray) -> FloatArray:
    """[V, D] of length 1, seen from their centre."""
    return _unit(vectors - vectors.mean(axis=0))


def _unit(vectors: FloatArray) -> FloatArray:
    unit: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return unit
