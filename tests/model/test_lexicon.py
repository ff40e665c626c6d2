"""Words keep their rows, whoever asks and in whatever order."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from fofe.base.arrays import FloatArray
from fofe.features.encoded import SentenceBounds
from fofe.model.lexicon import NO_WORD, Lexicon, PlacedWords


class Lengths:
    """Gives each word its length and counts how often it was asked."""

    def __init__(self) -> None:
        self.computed: list[str] = []

    def __call__(self, words: list[str]) -> list[FloatArray]:
        self.computed += words
        lengths = np.array([[len(word), 1] for word in words], dtype=np.float32)
        return [lengths, -lengths[:, :1]]


def rows_of(lexicon: Lexicon[str], words: list[str]) -> list[int]:
    places, (rows, negative) = lexicon.look_up(words)
    assert np.array_equal(negative[places, 0], -rows[places, 0])
    assert not rows[NO_WORD].any()
    return [int(length) for length in rows[places, 0]]


def test_a_word_is_computed_once() -> None:
    lengths = Lengths()
    lexicon = Lexicon(lengths)
    assert rows_of(lexicon, ["a", "bb", "a"]) == [1, 2, 1]
    assert rows_of(lexicon, ["ccc", "bb"]) == [3, 2]
    assert lengths.computed == ["a", "bb", "ccc"]


@pytest.mark.parametrize("limit", [1, 5, 50, 3000])
def test_what_is_kept_is_bounded_and_right(limit: int) -> None:
    lengths = Lengths()
    lexicon = Lexicon(lengths, limit=limit)
    random = np.random.default_rng(1)
    for _ in range(60):
        words = ["x" * size for size in random.integers(1, 2500, size=40)]
        assert rows_of(lexicon, words) == [len(word) for word in words]
        assert len(lexicon._places) <= max(limit, len(words))


def test_rows_that_were_given_out_do_not_change() -> None:
    lexicon = Lexicon(Lengths(), limit=3)
    places, (rows, _) = lexicon.look_up(["a", "bb", "ccc"])
    before = rows[places].copy()
    for size in range(4, 20):
        lexicon.look_up(["x" * size])
    assert np.array_equal(rows[places], before)


def test_threads_can_share_a_lexicon() -> None:
    lexicon = Lexicon(Lengths(), limit=30)
    start = threading.Barrier(4)

    def ask(seed: int) -> bool:
        random = np.random.default_rng(seed)
        start.wait()
        for _ in range(200):
            words = ["x" * size for size in random.integers(1, 60, size=8)]
            if rows_of(lexicon, words) != [len(word) for word in words]:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(4)))


def test_a_failure_leaves_a_sound_lexicon() -> None:
    def fail_on_x(words: list[str]) -> list[FloatArray]:
        if "x" in words:
            raise ValueError
        return Lengths()(words)

    lexicon = Lexicon(fail_on_x, limit=3)
    assert rows_of(lexicon, ["a", "bb"]) == [1, 2]
    with pytest.raises(ValueError):  # noqa: PT011
        lexicon.look_up(["x", "ccc"])
    assert rows_of(lexicon, ["dddd", "bb", "a"]) == [4, 2, 1]


def test_neighbours_end_at_the_bounds_of_sentences() -> None:
    bounds = SentenceBounds.of([["a", "b", "c"], ["d"]])
    words = PlacedWords.of(np.array([1, 2, 3, 4]), bounds)
    assert words.beside(0).tolist() == [1, 2, 3, 4]
    assert words.beside(1).tolist() == [2, 3, NO_WORD, NO_WORD]
    assert words.beside(-2).tolist() == [NO_WORD, NO_WORD, 1, NO_WORD]
    assert words.beside(9).tolist() == [NO_WORD] * 4
    ones, tens = np.arange(5.0)[:, None], 10 * np.arange(5.0)[:, None]
    assert words.sums([ones, tens], [0, -1])[:, 0].tolist() == [1, 12, 23, 4]
