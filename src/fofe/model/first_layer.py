"""The first layer of the network in the tagging engine: a sum over a fragment's start, end and words."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray, IntArray
from fofe.features.config import (
    BAG,
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    ModelConfig,
)
from fofe.features.encoded import SentenceBounds
from fofe.features.fofe import scan, scan_back
from fofe.features.fragments import Fragments, covered_tokens
from fofe.features.layout import SCHEMES, SURROUNDINGS, Block


class FirstLayer:
    """Adds up word features. Only the starts, ends and words that fragments need are multiplied at all."""

    def __init__(
        self, config: ModelConfig, blocks: Sequence[Block], weights: Mapping[str, FloatArray]
    ) -> None:
        self._factor = config.factor
        self._bias = weights["layers.0.bias"]
        first = weights["layers.0.weight"].T
        columns = _columns(config)
        width = sum(view.width for view in config.views)
        made: dict[str, FloatArray] = {}
        for block in blocks:
            if block.view:
                weight = made.setdefault(block.code, np.zeros((width, first.shape[1]), dtype=np.float32))
                weight[columns[block.view]] = first[block.start : block.end]
        self._bag = made.pop(BAG, None)
        # Views that are only in the bag need no scan.
        used = np.zeros(width, dtype=bool)
        for view in config.views:
            used[columns[view.name]] = bool(set(view.codes) - {BAG})
        self._in_context = None if used.all() else np.flatnonzero(used)
        self._scanned = {code: np.ascontiguousarray(weight[used]) for code, weight in made.items()}
        of_code = {block.code: first[block.start : block.end] for block in blocks if not block.view}
        self._schemes = of_code.get(SCHEMES)
        self._surroundings = of_code.get(SURROUNDINGS)

    def conditioned_on(self, number: int) -> FirstLayer:
        """The same layer that is told to follow the schemes of that number."""
        assert self._schemes is not None, "only a model that knows schemes can follow them"
        other = copy.copy(self)
        other._bias = self._bias + self._schemes[number]
        return other

    def sums(
        self,
        vectors: FloatArray,
        bounds: SentenceBounds,
        fragments: Fragments,
        at_once: int,
        surroundings: FloatArray | None = None,
    ) -> Iterator[tuple[slice, FloatArray]]:
        """[F', H] of some fragments after another, from the vectors [T, D] of the words.

        `surroundings` [S, D'] is what the sentences and those around them are about, if that is told.

        The fragments are in the order of their lengths. Each time `at_once` of them are done, and which they
        are is told; what was given before is overwritten.
        """
        firsts, longest = _starts(fragments, bounds.token_count)
        lasts = np.unique(fragments.lasts)
        starts, ends = self._starts_and_ends(vectors, bounds, firsts, lasts)
        if self._surroundings is not None and surroundings is not None:
            sentence_of = np.repeat(np.arange(len(bounds)), np.diff(bounds.token_offsets))
            starts += (surroundings @ self._surroundings).take(sentence_of[firsts], axis=0)
        start_of, end_of = _numbers(firsts, bounds.token_count), _numbers(lasts, bounds.token_count)
        if self._bag is not None:
            words = np.flatnonzero(covered_tokens(fragments, bounds.token_count))
            bags = vectors.take(words, axis=0) @ self._bag
            bag_of = _numbers(words, bounds.token_count)
        sums = np.empty((min(at_once, len(fragments)), len(self._bias)), dtype=np.float32)
        filled = 0
        borders = np.searchsorted(fragments.lasts - fragments.firsts, np.arange(longest[0] + 2))
        for extra, (begin, end) in enumerate(pairwise(borders.tolist())):
            if self._bag is not None:
                # Running additions, at most n of them: differences of prefix sums would drift in long texts.
                going_on = int(np.searchsorted(-longest, -extra, side="right"))
                starts[:going_on] += bags.take(bag_of[firsts[:going_on] + extra], axis=0)
            while begin < end:
                part = slice(begin, min(end, begin + len(sums) - filled))
                free = sums[filled : filled + part.stop - begin]
                starts.take(start_of[fragments.firsts[part]], axis=0, out=free, mode="clip")
                free += ends.take(end_of[fragments.lasts[part]], axis=0)
                filled, begin = filled + len(free), part.stop
                if filled == len(sums) or begin == len(fragments):
                    yield slice(begin - filled, begin), sums[:filled]
                    filled = 0

    def _starts_and_ends(
        self, vectors: FloatArray, bounds: SentenceBounds, firsts: IntArray, lasts: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """What first words [N] and last words [M] add with their contexts: [N, H] and [M, H]."""
        starts = np.tile(self._bias, (len(firsts), 1))
        ends = np.zeros((len(lasts), len(self._bias)), dtype=np.float32)
        at_start, at_end = bounds.starts(), bounds.ends()
        scanned = vectors if self._in_context is None else vectors.take(self._in_context, axis=1)
        left, right = scan(scanned, self._factor, at_start), scan_back(scanned, self._factor, at_end)
        for code, weight in self._scanned.items():
            if code == LEFT_INCLUDING:
                ends += left.take(lasts, axis=0) @ weight
            elif code == LEFT_EXCLUDING:
                starts += _beside(left, firsts, -1, at_start) @ weight
            elif code == RIGHT_INCLUDING:
                starts += right.take(firsts, axis=0) @ weight
            elif code == RIGHT_EXCLUDING:
                ends += _beside(right, lasts, 1, at_end) @ weight
        return starts, ends


def _columns(config: ModelConfig) -> dict[str, slice]:
    """Where each view stands in the vectors of words: those of words alone come before windows."""
    columns, start = {}, 0
    for view in sorted(config.views, key=lambda view: view.lookup == "window"):
        columns[view.name] = slice(start, start + view.width)
        start += view.width
    return columns


def _starts(fragments: Fragments, token_count: int) -> tuple[IntArray, IntArray]:
    """The distinct first words [N] of fragments, and the most words [N] that follow each in one of them.

    The fragments are in the order of their lengths; the first words come with the most words first.
    """
    most = np.full(token_count, -1)
    most[fragments.firsts] = fragments.lasts - fragments.firsts
    firsts = np.argsort(-most, kind="stable")[: np.count_nonzero(most >= 0)]
    return firsts, most[firsts]


def _beside(codes: FloatArray, tokens: IntArray, by: int, borders: BoolArray) -> FloatArray:
    """[N, D] the codes [T, D] of the neighbours of tokens [N], zero where they stand at a border [T]."""
    rows = codes.take(tokens + by, axis=0, mode="clip")
    rows[borders[tokens]] = 0
    return rows


def _numbers(tokens: IntArray, token_count: int) -> IntArray:
    """[T] the number of each of some distinct tokens [N] among them."""
    numbers = np.empty(token_count, dtype=np.intp)
    numbers[tokens] = np.arange(len(tokens))
    return numbers
