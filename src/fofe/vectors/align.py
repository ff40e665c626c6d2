"""Aligning vectors with those of another language or other text, and adding the words that these lack.

Vectors of two languages have much the same geometry: a rotation (orthogonal Procrustes) takes *president*
close to the other's *presidente*. It is learned from the words that are spelt alike in both, most of them
names, and refined with mutual nearest neighbours by CSLS (Conneau et al. 2018). So the vectors of a language
with much text add many names to those of one with little. In the same language all shared words are pairs,
enough for a linear map by least squares, which predicts a held-out vector better than a rotation does.
"""

from collections.abc import Iterator

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.errors import FofeError
from fofe.base.report import counted
from fofe.formats.vectors import WordVectors

SHARED_RANK = 50_000
"""Shared words are taken from so many of the most frequent ones."""
MIN_LENGTH = 4
"""Shorter words are often spelt alike by chance."""
MIN_PAIRS = 100
"""Fewer pairs are too few to learn from."""
FREQUENT = 20_000
"""Mutual nearest neighbours are looked for among so many of the most frequent words."""
ROUNDS = 4
NEIGHBOURS = 10
"""The neighbourhood of CSLS."""
ROWS_AT_ONCE = 2048
RIDGE = 0.01
"""The penalty of ridge regression, as a share of the mean variance."""


def add_words(vectors: WordVectors, others: WordVectors, *, same_language: bool = False) -> WordVectors:
    """The vectors, followed by the aligned vectors of the words that only the others have."""
    centre = vectors.vectors.mean(axis=0)
    here, there = vectors.vectors - centre, others.vectors - others.vectors.mean(axis=0)
    if same_language:
        pairs = _shared_words(others, vectors, min_length=1)
        aligned = there @ _ridge(there[pairs[:, 0]], here[pairs[:, 1]])
    else:  # all get the mean length of these
        directions, pairs = _unit(there), _shared_words(others, vectors)
        lengths = np.linalg.norm(here, axis=1)
        aligned = directions @ _rotation(directions, _unit(here), pairs) * lengths.mean()
    known = set(vectors.words)
    new = [row for row, word in enumerate(others.words) if word not in known]
    return WordVectors(
        [*vectors.words, *(others.words[row] for row in new)],
        np.concatenate([vectors.vectors, (aligned + centre).astype(np.float32)[new]]),
    )


def _shared_words(others: WordVectors, vectors: WordVectors, min_length: int = MIN_LENGTH) -> IntArray:
    """[P, 2] the rows of words that are spelt alike."""
    rows = {word: row for row, word in enumerate(vectors.words[:SHARED_RANK]) if len(word) >= min_length}
    pairs = [(row, rows[word]) for row, word in enumerate(others.words[:SHARED_RANK]) if word in rows]
    if len(pairs) < MIN_PAIRS:
        shared = f"{counted(len(pairs), 'words')} of {min_length} letters or more"
        raise FofeError(f"the vectors share {shared}; at least {MIN_PAIRS} are needed")
    return np.array(pairs)


def _rotation(others: FloatArray, vectors: FloatArray, pairs: IntArray) -> FloatArray:
    """[D', D] the rotation that takes the other directions [V', D'] closest to these [V, D]."""
    for number in range(ROUNDS):
        rotation = _procrustes(others[pairs[:, 0]], vectors[pairs[:, 1]])
        if number + 1 < ROUNDS:
            found = _mutual_neighbours(_unit(others[:FREQUENT] @ rotation), vectors[:FREQUENT])
            pairs = found if len(found) >= MIN_PAIRS else pairs
    return rotation


def _procrustes(some: FloatArray, others: FloatArray) -> FloatArray:
    """[D', D] the orthogonal map that takes rows [P, D'] closest to rows [P, D] in least squares."""
    left, _, right = np.linalg.svd(some.T @ others, full_matrices=False)
    rotation: FloatArray = left @ right
    return rotation


def _ridge(some: FloatArray, others: FloatArray) -> FloatArray:
    """[D', D] the linear map that takes rows [P, D'] closest to rows [P, D], by ridge regression."""
    squares = some.T @ some
    penalty = RIDGE * np.trace(squares) / len(squares)
    mapping: FloatArray = np.linalg.solve(squares + penalty * np.eye(len(squares)), some.T @ others)
    return mapping


def _mutual_neighbours(some: FloatArray, others: FloatArray) -> IntArray:
    """[P, 2] the rows of unit vectors [N, D] and [M, D] that are each other's nearest by CSLS."""
    there = _csls_nearest(some, others, _mean_similarity(others, some))
    back = _csls_nearest(others, some, _mean_similarity(some, others))
    rows = np.flatnonzero(back[there] == np.arange(len(some)))
    return np.stack([rows, there[rows]], axis=1)


def _mean_similarity(some: FloatArray, others: FloatArray) -> FloatArray:
    """[N] the mean cosine of each of some unit vectors [N, D] to its nearest ones of others [M, D]."""
    count = min(NEIGHBOURS, len(others))
    nearest = [np.partition(rows, -count, axis=1)[:, -count:] for rows in _cosines(some, others)]
    return np.concatenate([rows.mean(axis=1) for rows in nearest])


def _csls_nearest(some: FloatArray, others: FloatArray, similarity: FloatArray) -> IntArray:
    """[N] the nearest of the others [M, D] to each of some [N, D] by CSLS.

    Hubs, which are close to everything, are no translations: the mean similarity [M] of each is subtracted.
    """
    return np.concatenate([(2 * rows - similarity).argmax(axis=1) for rows in _cosines(some, others)])


def _cosines(some: FloatArray, others: FloatArray) -> Iterator[FloatArray]:
    """The cosines [R, M] of some unit vectors [N, D] to others [M, D], a few rows at a time."""
    return (some[first : first + ROWS_AT_ONCE] @ others.T for first in range(0, len(some), ROWS_AT_ONCE))


def _unit(vectors: FloatArray) -> FloatArray:
    unit: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return unit
