"""The gate: a narrow network that turns away most fragments before the wide layers see them.

It has the word features of the model alone and a few hidden units. Its first layer is a sum of what the
start, the end and the words of a fragment add: each distinct word is projected once, and the scan runs over
those few numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fofe._arrays import FloatArray
from fofe.encode.encoded import Contexts
from fofe.encode.fofe import scan, scan_back
from fofe.encode.fragments import Fragments
from fofe.encode.layout import BORDERS, input_blocks
from fofe.model.config import (
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    CharacterConfig,
    ModelConfig,
)
from fofe.model.numpy_ops import shifted

PREFIX = "gate."


@dataclass(frozen=True)
class GateSettings:
    """What is stored of a gate besides its weights."""

    width: int
    """Its hidden units."""
    cut: float
    """Fragments that score below are turned away."""
    recall: float
    """The share of the network's own positives that it let through where it was fitted."""
    passed: float
    """The share of all fragments that it let through there."""


def gate_config(config: ModelConfig, width: int) -> ModelConfig | None:
    """The configuration of a model's gate, a network of one hidden layer; none without word features."""
    views = tuple(view for view in config.views if view.lookup != "window" and view.codes)
    if not views:
        return None
    nothing_else = CharacterConfig(fofe=False, cnn=False)
    return replace(config, views=views, characters=nothing_else, gazetteer=None, hidden=(width,))


class Gate:
    """Chooses the fragments that the wide layers are to judge."""

    def __init__(
        self, config: ModelConfig, settings: GateSettings, weights: Mapping[str, FloatArray]
    ) -> None:
        narrow = gate_config(config, settings.width)
        assert narrow is not None, "a model with a gate has word features"
        self._config = narrow
        self._cut = settings.cut
        first = weights[PREFIX + "layers.0.weight"]
        self._bias = weights[PREFIX + "layers.0.bias"]
        self._output = weights[PREFIX + "layers.1.weight"][0]
        columns, start = {}, 0
        for view in config.views:
            if view.lookup != "window":
                columns[view.name] = slice(start, start + view.dimension)
                start += view.dimension
        blocks = input_blocks(narrow)
        self._groups = list(dict.fromkeys((block.code, block.factor) for block in blocks if block.view))
        self._projection = np.zeros((start, len(self._groups) * settings.width), dtype=np.float32)
        scales = dict(zip(narrow.factors, narrow.code_scales, strict=True))
        for block in blocks:
            if block.view:
                group = self._groups.index((block.code, block.factor))
                scale = 1.0 if block.factor is None else scales[block.factor]
                self._projection[columns[block.view], self._columns(group)] = (
                    first[:, block.start : block.end].T * scale
                )
        self._borders = next(
            (first[:, block.start : block.end].T for block in blocks if block.code == BORDERS), None
        )

    def _columns(self, group: int) -> slice:
        width = self._config.hidden[0]
        return slice(group * width, (group + 1) * width)

    def project(self, vectors: FloatArray) -> FloatArray:
        """[U, G] what each word adds to the gate's first layer, from its vectors [U, D]."""
        projected: FloatArray = vectors @ self._projection
        return projected

    def choose(self, projected: FloatArray, contexts: Contexts) -> Fragments:
        """The fragments that pass, from the projections [T, G] of the words of some sentences."""
        starts, ends, bags = self._sums(projected, contexts)
        lengths = np.diff(contexts.token_offsets)
        room = np.repeat(contexts.token_offsets[1:], lengths) - np.arange(contexts.token_count)
        sentences = np.repeat(np.arange(len(contexts)), lengths)
        firsts_by_length = []
        running = starts
        for extra in range(min(self._config.max_words, int(room.max()))):
            count = contexts.token_count - extra
            running = running[:count] + bags[extra:]
            scores = np.maximum(running + ends[extra:], 0) @ self._output
            firsts_by_length.append(np.flatnonzero((scores >= self._cut) & (room[:count] > extra)))
        firsts = np.concatenate(firsts_by_length)
        extras = np.repeat(np.arange(len(firsts_by_length)), [len(found) for found in firsts_by_length])
        order = np.lexsort((extras, firsts))
        firsts, extras = firsts[order], extras[order]
        return Fragments(sentences[firsts], firsts, firsts + extras)

    def _sums(self, projected: FloatArray, contexts: Contexts) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What starts, ends and words [T, W] of fragments add to the first layer."""
        at_start, at_end = contexts.starts(), contexts.ends()
        starts = np.tile(self._bias, (contexts.token_count, 1))
        ends = np.zeros_like(starts)
        bags = np.zeros_like(starts)
        for group, (code, factor) in enumerate(self._groups):
            words = projected[:, self._columns(group)]
            if factor is None:
                bags = words
            elif code == LEFT_INCLUDING:
                ends += scan(words, factor, at_start)
            elif code == LEFT_EXCLUDING:
                starts += shifted(scan(words, factor, at_start), at_start, 1)
            elif code == RIGHT_INCLUDING:
                starts += scan_back(words, factor, at_end)
            elif code == RIGHT_EXCLUDING:
                ends += shifted(scan_back(words, factor, at_end), at_end, -1)
        if self._borders is not None:
            starts[contexts.sentence_starts()] += self._borders[0]
            ends[contexts.sentence_ends()] += self._borders[1]
        return starts, ends, bags
