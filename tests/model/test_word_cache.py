"""Words keep their rows, whoever asks and in whatever order."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fofe.base.arrays import FloatArray
from fofe.features.encoded import SentenceBounds
from fofe.features.feature import ReadText
from fofe.features.fragments import offsets_of
from fofe.features.word_codes import NeighbourLayer
from fofe.model.engine import NO_WORD, WordCache


class Lengths:
    """Caches the length of each word and records which ones it computed."""

    def __init__(self, limit: int = 16384) -> None:
        self.cache: WordCache[str] = WordCache(limit=limit)
        self.computed: list[str] = []

    def compute(self, words: list[str]) -> dict[str, FloatArray]:
        if "x" in words:
            raise ValueError
        self.computed += words
        lengths = np.array([[len(word), 1] for word in words], dtype=np.float32)
        return {"length": lengths, "negative": -lengths[:, :1]}

    def of(self, words: list[str]) -> list[int]:
        positions, arrays = self.cache.look_up(words, self.compute)
        rows = arrays["length"]
        assert np.array_equal(arrays["negative"][positions, 0], -rows[positions, 0])
        assert not rows[NO_WORD].any()
        return [int(length) for length in rows[positions, 0]]


def test_a_word_is_computed_once() -> None:
    lengths = Lengths()
    assert lengths.of(["a", "bb", "a"]) == [1, 2, 1]
    assert lengths.of(["ccc", "bb"]) == [3, 2]
    assert lengths.computed == ["a", "bb", "ccc"]


@pytest.mark.parametrize("limit", [1, 5, 50, 3000])
def test_what_is_kept_is_bounded_and_right(limit: int) -> None:
    lengths = Lengths(limit)
    random = np.random.default_rng(1)
    for _ in range(60):
        words = ["y" * size for size in random.integers(1, 2500, size=40)]
        assert lengths.of(words) == [len(word) for word in words]
        assert len(lengths.cache) <= max(limit, len(words))


def test_rows_that_were_given_out_do_not_change() -> None:
    lengths = Lengths(3)
    words = ["a", "bb", "ccc"]
    lengths.of(words)
    positions, arrays = lengths.cache.look_up(words, lengths.compute)
    before = arrays["length"][positions].copy()
    for size in range(4, 20):
        lengths.of(["y" * size])
    assert np.array_equal(arrays["length"][positions], before)


def test_threads_can_share_a_cache() -> None:
    lengths = Lengths(30)
    start = threading.Barrier(4)

    def ask(seed: int) -> bool:
        random = np.random.default_rng(seed)
        start.wait()
        for _ in range(200):
            words = ["y" * size for size in random.integers(1, 60, size=8)]
            if lengths.of(words) != [len(word) for word in words]:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(4)))


def test_a_failure_leaves_a_sound_cache() -> None:
    lengths = Lengths(3)
    assert lengths.of(["a", "bb"]) == [1, 2]
    with pytest.raises(ValueError):  # noqa: PT011
        lengths.of(["x", "ccc"])
    assert lengths.of(["dddd", "bb", "a"]) == [4, 2, 1]


def test_a_pickled_cache_is_empty() -> None:
    lengths = Lengths(3)
    lengths.of(["a", "bb"])
    copy = pickle.loads(pickle.dumps(lengths.cache))
    assert len(copy) == 0
    copy.look_up(["a", "a"], lengths.compute)
    assert lengths.computed == ["a", "bb", "a"]


def test_neighbours_end_at_the_bounds_of_sentences() -> None:
    bounds = SentenceBounds(offsets_of([["a", "b", "c"], ["d"]]))
    words = np.array([1, 2, 3, 4])
    assert bounds.beside(words, 0).tolist() == [1, 2, 3, 4]
    assert bounds.beside(words, 1).tolist() == [2, 3, NO_WORD, NO_WORD]
    assert bounds.beside(words, -2).tolist() == [NO_WORD, NO_WORD, 1, NO_WORD]
    assert bounds.beside(words, 9).tolist() == [NO_WORD] * 4


def test_a_layer_adds_up_what_neighbours_add() -> None:
    vectors = np.arange(1.0, 5.0, dtype=np.float32)[:, None]
    weight, bias = np.array([[10.0, 1.0]], dtype=np.float32), np.array([-4.0], dtype=np.float32)
    layer = NeighbourLayer("layer", (-1, 0), weight, bias)
    nothing = np.zeros((1, 1), dtype=np.float32)
    arrays = {name: np.concatenate([nothing, rows]) for name, rows in layer.of_words(vectors).items()}
    offsets = offsets_of([["a", "b", "c"], ["d"]])
    text = ReadText(offsets, list("abcd"), None, np.array([1, 2, 3, 4]), arrays)
    assert layer.units(text)[:, 0].tolist() == [0, 8, 19, 0]
