"""Word vectors with what a language model makes of each word by itself.

An encoder knows of many words what they name, also of those that are rare. Its states for a word without a
sentence are a vector like any other: a small model that has it in a table costs no more when it tags.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import FofeError, broken_file
from fofe.base.files import write_atomically
from fofe.base.journal import Journal
from fofe.base.report import counted
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
    """Write the vectors [V, D + dimension]: behind each stand principal components of the encoder's states.

    Args:
        vectors: words, the most frequent first.
        encoder: the directory of a language model, as encoder views read it.
        work: the directory of the states until the result is written, so that this can be interrupted.
        write: writes the result.
        dimension: how many components there are; they are as long, on average, as the vectors were.
        layers: the states of a word are means over its pieces and over so many of the last layers.
        advance: is told how many words are done.
    """
    model = load_language_model(encoder).eval()
    if dimension > min(model.width, len(vectors.words)):
        raise FofeError(
            f"{dimension} dimensions are too many for an encoder of {model.width} and "
            f"{counted(len(vectors.words), 'words')} (choose fewer)"
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
        components = _principal_components(files, dimension)
        length, own = (np.linalg.norm(part, axis=1).mean() for part in (vectors.vectors, components))
        joined = np.concatenate([vectors.vectors, components * (length / own)], axis=1)
        write(WordVectors(vectors.words, joined))
        journal.remove()


def _principal_components(files: list[Path], dimension: int) -> FloatArray:
    """[V, dimension] of the standardised rows [V, D] of files; each is shrunk by the root of its deviation.

    So what sets most words apart does not drown the rest.
    """

    def parts() -> Iterator[FloatArray]:
        for file in files:
            with broken_file(file, "remove its directory"):
                yield np.load(file).astype(np.float32)

    count = sum(map(len, parts()))
    mean = sum(part.sum(axis=0, dtype=np.float64) for part in parts()) / count
    covariance = sum((part - mean).T @ (part - mean) for part in parts()) / count
    deviation = np.sqrt(np.diagonal(covariance)) + 1e-6
    variances, directions = np.linalg.eigh(covariance / np.outer(deviation, deviation))
    shrunk = directions[:, ::-1][:, :dimension] / np.maximum(variances[::-1][:dimension], 1e-6) ** 0.25
    made = [((part - mean) / deviation) @ shrunk for part in parts()]
    return np.concatenate(made).astype(np.float32)
