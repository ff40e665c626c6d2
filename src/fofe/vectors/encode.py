"""Word vectors with what a language model makes of each word by itself.

An encoder knows of many words what they name, also of those that are rare. Its states for a word without a
sentence are a vector like any other. Joined with a vector that was trained on text, and cut to the same size,
they cost nothing when a model tags.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import FofeError, broken_file
from fofe.base.files import write_atomically
from fofe.base.journal import Journal
from fofe.features.language_models_torch import load_language_model
from fofe.formats.vectors import WordVectors

WORDS_AT_ONCE = 8192


def with_encoder(
    vectors: WordVectors,
    encoder: str | Path,
    work: Path,
    write: Callable[[WordVectors], None],
    *,
    dimension: int,
    layers: int,
    advance: Callable[[int], None],
) -> None:
    """Write vectors [V, dimension] of the same words: principal components of these and of states.

    Args:
        vectors: words, the most frequent first.
        encoder: the directory of a language model, as encoder views read it.
        work: the directory of the states until the result is written, so that this can be interrupted.
        write: writes the result.
        dimension: how many components there are; they are as long, on average, as the vectors are.
        layers: the states of a word are means over its pieces and over so many of the last layers.
        advance: is told how many words are done.
    """
    model = load_language_model(encoder).eval()
    most = min(vectors.dimension + model.width, len(vectors.words))
    if dimension > most:
        raise FofeError(
            f"{dimension} dimensions are too many for these words and this encoder (at most {most})"
        )
    layers = min(layers, model.layers)
    words = hashlib.sha256("\n".join(vectors.words).encode()).hexdigest()
    job = {"encoder": model.digest(), "layers": layers, "words": words}
    with Journal(work, job) as journal:
        files = []
        for first in range(0, len(vectors.words), WORDS_AT_ONCE):
            some = vectors.words[first : first + WORDS_AT_ONCE]
            files.append(journal.file(f"{first}.npy"))
            if journal.done(str(first)) is None:
                states = model.vectors([[word] for word in some], layers)
                means = states.reshape(len(some), layers, -1).mean(axis=1, dtype=np.float32)
                with write_atomically(files[-1], "wb") as stream:
                    np.save(cast(IO[bytes], stream), means.astype(np.float16))
                journal.add(str(first), len(some))
            advance(len(some))
        write(WordVectors(vectors.words, _principal_components(vectors.vectors, files, dimension)))
        journal.remove()


def _principal_components(vectors: FloatArray, files: list[Path], dimension: int) -> FloatArray:
    """[V, dimension] of vectors [V, D] and of the standardised states [V, D'] in files, side by side."""
    states = np.concatenate([_states(file) for file in files])
    states -= states.mean(axis=0, dtype=np.float64).astype(np.float32)
    states /= states.std(axis=0, dtype=np.float64).astype(np.float32) + np.float32(1e-6)
    sides = [vectors - vectors.mean(axis=0), states]
    joined = np.concatenate([side / _mean_length(side) for side in sides], axis=1)
    _, directions = np.linalg.eigh(joined.T @ joined)
    components = joined @ directions[:, ::-1][:, :dimension]
    return cast(FloatArray, components * (_mean_length(vectors) / _mean_length(components)))


def _states(file: Path) -> FloatArray:
    with broken_file(file, "remove its directory"):
        return cast(FloatArray, np.load(file).astype(np.float32))


def _mean_length(vectors: FloatArray) -> np.float32:
    return np.float32(np.linalg.norm(vectors, axis=1).mean() or 1)
