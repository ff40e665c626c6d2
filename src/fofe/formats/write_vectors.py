"""Writing word vectors: word2vec text and binary, and NumPy's npz."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.formats.vectors import WordVectors

KINDS = ("text", "binary", "npz")
SPACED = "words with white space left out, which no such file can hold"


def write_vectors(vectors: WordVectors, path: str | Path, kind: str, report: Report | None = None) -> None:
    """Write vectors as one of `KINDS`."""
    fitting = _without_spaces(vectors, Report() if report is None else report)
    {"text": _write_text, "binary": _write_binary, "npz": _write_npz}[kind](fitting, path)


def _write_text(vectors: WordVectors, path: str | Path) -> None:
    """The text format of word2vec; numbers are written so that they read back the same."""
    with write_atomically(path) as stream:
        stream.write(f"{len(vectors.words)} {vectors.dimension}\n")
        for word, row in zip(vectors.words, vectors.vectors, strict=True):
            stream.write(f"{word} {' '.join(map(str, row))}\n")


def _write_binary(vectors: WordVectors, path: str | Path) -> None:
    """The binary format of word2vec."""
    stream: Any
    with write_atomically(path, "wb") as stream:
        stream.write(f"{len(vectors.words)} {vectors.dimension}\n".encode())
        for word, row in zip(vectors.words, vectors.vectors.astype("<f4"), strict=True):
            stream.write(f"{word} ".encode() + row.tobytes() + b"\n")


def _write_npz(vectors: WordVectors, path: str | Path) -> None:
    """An npz file: `words`, the bytes of the words in UTF-8, a line each; and `vectors` [V, D]."""
    words = np.frombuffer("\n".join(vectors.words).encode(), dtype=np.uint8)
    stream: Any
    with write_atomically(path, "wb") as stream:
        np.savez(stream, words=words, vectors=vectors.vectors)


def _without_spaces(vectors: WordVectors, report: Report) -> WordVectors:
    kept = []
    for row, word in enumerate(vectors.words):
        if word and not any(map(str.isspace, word)):
            kept.append(row)
        else:
            report.note(SPACED, repr(word))
    if len(kept) == len(vectors.words):
        return vectors
    return WordVectors([vectors.words[row] for row in kept], vectors.vectors[kept])
