"""Vary the training sentences of Chinese corpora, as text for language models to label.

    python benchmarks/fetch_zh_names.py
    python benchmarks/vary_zh_text.py

Makes runs/text.weibo.txt and runs/text.uner_zh.txt once. A small model needs text like that of its corpus,
and there is no more of it. So names give way to others of their class in the segmenter's dictionary, and some
of the other words to words with similar vectors; a language model says what the sentences are then (data
augmentation for distillation: Jiao et al. 2020).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import rjieba
from _mention_runs import CONFIGS, with_shared_corpora
from _record import RUNS, as_command, on_one_thread
from _resources import vectors_named
from fetch_zh_names import LENGTHS, NAMES, classes

from fofe.base.files import write_atomically
from fofe.formats.vectors import read_vectors
from fofe.training.corpora import read_corpora

COPIES = {"weibo": 6, "uner_zh": 2}
"""How often the sentences of a corpus are varied."""
OTHER_NAME, OTHER_WORD = 0.6, 0.3
"""How likely a name, or another word, gives way."""
NEIGHBOURS = 12
"""Among so many words with similar vectors one is chosen."""


def text_of(corpus: str) -> Path:
    """The varied sentences of a corpus."""
    return RUNS / f"text.{corpus}.txt"


def main() -> None:
    """Vary what has not been varied yet."""
    on_one_thread()
    for corpus, copies in COPIES.items():
        path = text_of(corpus)
        if not path.exists():
            (part,) = read_corpora(with_shared_corpora(CONFIGS / f"{corpus}.toml", {})).parts
            sentences = ["".join(sentence.words) for sentence in part.train]
            varied = Variation(np.random.default_rng(1))
            path.parent.mkdir(exist_ok=True)
            with write_atomically(path) as stream:
                for _ in range(copies):
                    stream.writelines(f"{varied(sentence)}\n" for sentence in sentences)
        print(f"{path} is there")


class Variation:
    """Sentences with other words."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        vectors = read_vectors(vectors_named("zh.word.128.bin.gz"))
        self._words = vectors.words
        self._rows = {word: row for row, word in enumerate(vectors.words)}
        self._directions = vectors.vectors / np.linalg.norm(vectors.vectors, axis=1, keepdims=True)
        self._near: dict[str, list[str]] = {}
        self._names: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word, of in classes().items():  # the most frequent first
            if of.startswith(NAMES) and len(word) in LENGTHS:
                self._names[_like(word, of)].append(word)

    def __call__(self, sentence: str) -> str:
        return "".join(self._varied(sentence))

    def _varied(self, sentence: str) -> Iterator[str]:
        for word, of in rjieba.tag(sentence):
            names = self._names.get(_like(word, of))
            if names and self._random.random() < OTHER_NAME:
                # The square favours frequent names, which come first.
                yield names[int(len(names) * self._random.random() ** 2)]
            elif len(word) > 1 and word in self._rows and self._random.random() < OTHER_WORD:
                yield str(self._random.choice(self._similar(word)))
            else:
                yield word

    def _similar(self, word: str) -> list[str]:
        """The word, and those of its length among its neighbours."""
        if word not in self._near:
            cosines = self._directions @ self._directions[self._rows[word]]
            nearest = [self._words[row] for row in np.argpartition(-cosines, NEIGHBOURS)[:NEIGHBOURS]]
            self._near[word] = [other for other in nearest if len(other) == len(word)]
        return self._near[word]


def _like(word: str, of: str) -> tuple[str, int]:
    """What a name has in common with those that can stand for it: its class, and nearly its length."""
    return of[:2], min(len(word), 4)


if __name__ == "__main__":
    as_command(main)
