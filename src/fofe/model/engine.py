"""The tagging engine: the trained network in NumPy, with all that fragments share computed once.

A word's own vectors are computed when it is first seen and kept. The FOFE scan runs over the word vectors of
whole sentences; the first layer is then `Start[first] + End[last] + bag`, where each start, end and word is
projected once, whatever the number of fragments that share it. With a gate only the starts, ends and words of
fragments that pass are projected at all, which is why the scan comes before the projection here.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fofe._arrays import BoolArray, FloatArray, IntArray
from fofe.encode.encoded import Contexts, Encoder, Key
from fofe.encode.fofe import scan, scan_back
from fofe.encode.fragments import Fragments, all_fragments, covered_tokens
from fofe.encode.layout import BORDERS, Block, input_blocks
from fofe.model.characters import FragmentCharacters
from fofe.model.config import (
    BAG,
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    ModelConfig,
)
from fofe.model.gate import Gate, GateSettings
from fofe.model.lexicon import Lexicon
from fofe.model.names import FragmentNames
from fofe.model.numpy_ops import fragment_sums, shifted, softmax
from fofe.model.words import WordsAlone, WordsInWindows

FRAGMENTS_AT_ONCE = 4096
"""How many fragments go through the wide layers together: enough for BLAS, little enough for the cache."""


@dataclass(frozen=True)
class Scores:
    """The judgement of some sentences: F fragments and their label probabilities [F, K].

    Behind a gate these are the fragments that it let through; all others are NONE.
    """

    fragments: Fragments
    token_offsets: IntArray
    probabilities: FloatArray


class Engine:
    """Scores the fragments of tokenised sentences."""

    def __init__(
        self,
        config: ModelConfig,
        encoder: Encoder,
        weights: Mapping[str, FloatArray],
        gate: GateSettings | None = None,
    ) -> None:
        self.config = config
        blocks = input_blocks(config)
        self._alone = WordsAlone(config, encoder, weights)
        self._windows = WordsInWindows(config, weights)
        self._characters = FragmentCharacters(config, encoder, weights, blocks)
        self._names = FragmentNames(encoder, weights, blocks)
        self._gate = None if gate is None else Gate(config, gate, weights)
        self._lexicon = Lexicon(self._word_rows)
        self._alone_width = sum(view.dimension for view in config.views if view.lookup != "window")
        self._first_layer = _FirstLayer(config, blocks, weights)
        self._layers = [
            (np.ascontiguousarray(weights[f"layers.{number}.weight"].T), weights[f"layers.{number}.bias"])
            for number in range(1, len(config.hidden) + 1)
        ]

    def fresh(self) -> Engine:
        """An engine with the same weights that has seen no word yet.

        A word's vectors are computed together with those of the others that were new with it, and how many
        they were can change the last bit. A fresh engine gives a text the same scores whatever came before.
        """
        other = copy.copy(self)
        other._lexicon = Lexicon(other._word_rows)
        return other

    def score(
        self,
        sentences: Sequence[Sequence[str]],
        opens: Sequence[bool] | None = None,
        *,
        exact: bool = False,
    ) -> Scores:
        """Label probabilities of the fragments of some sentences, each of at least one word.

        `opens` says which sentences open a document, for a model whose contexts go beyond the sentence.
        `exact` leaves the gate open.
        """
        contexts = Contexts.of(sentences, opens if self.config.sees_documents else None)
        words = [word for sentence in sentences for word in sentence]
        places, rows = self._lexicon.look_up(self._alone.keys(sentences, words))
        if self._gate is None or exact:
            fragments = all_fragments(contexts.token_offsets, self.config.max_words)
        else:
            fragments = self._gate.choose(rows[places, self._alone_width :], contexts)
        label_count = len(self._layers[-1][1])
        probabilities = np.empty((len(fragments), label_count), dtype=np.float32)
        if not len(fragments):
            return Scores(fragments, contexts.token_offsets, probabilities)
        alone = rows[places, : self._alone_width]
        starts, ends, bags = self._first_layer.sums(
            alone, self._windows.vectors(alone, contexts), contexts, fragments
        )
        spelt = self._characters.of(words, contexts, fragments)
        named = self._names.of(words, contexts, fragments)
        for part in _slices(len(fragments), FRAGMENTS_AT_ONCE):
            hidden = starts.of(fragments.firsts[part])
            hidden += ends.of(fragments.lasts[part])
            if bags is not None:
                hidden += fragment_sums(
                    bags.rows, bags.places[fragments.firsts[part]], bags.places[fragments.lasts[part]]
                )
            if spelt is not None:
                spelt.add_to(hidden, part)
            if named is not None:
                named.add_to(hidden, part)
            probabilities[part] = self._wide_layers(hidden)
        return Scores(fragments, contexts.token_offsets, probabilities)

    def _word_rows(self, words: list[Key]) -> FloatArray:
        """[U, D + G] what is kept of words: their vectors, and what they add to the gate."""
        vectors = self._alone.vectors(words)
        if self._gate is None:
            return vectors
        return np.concatenate([vectors, self._gate.project(vectors)], axis=1)

    def _wide_layers(self, hidden: FloatArray) -> FloatArray:
        """Probabilities [F, K] from the first layer's sums [F, H]."""
        for weight, bias in self._layers:
            np.maximum(hidden, 0, out=hidden)
            hidden = hidden @ weight
            hidden += bias
        return softmax(hidden)


@dataclass(frozen=True)
class _Sums:
    """What some tokens add to the first layer."""

    rows: FloatArray
    """[N, H]"""
    places: IntArray
    """[T] the row of each token that has one."""

    def of(self, tokens: IntArray) -> FloatArray:
        """[F, H] the rows of tokens [F]."""
        return self.rows[self.places[tokens]]


class _FirstLayer:
    """The first layer of the network for word features: a sum over a fragment's start, end and words."""

    def __init__(
        self, config: ModelConfig, blocks: Sequence[Block], weights: Mapping[str, FloatArray]
    ) -> None:
        self._views = [view.name for view in config.views if view.lookup != "window"]
        self._views += [view.name for view in config.views if view.lookup == "window"]
        widths = {view.name: view.dimension for view in config.views}
        self._bias = weights["layers.0.bias"]
        first = weights["layers.0.weight"]
        scales = dict(zip(config.factors, config.code_scales, strict=True))
        columns, start = {}, 0
        for name in self._views:
            columns[name] = slice(start, start + widths[name])
            start += widths[name]
        self._factors = config.factors
        self._weights: dict[tuple[str, float | None], FloatArray] = {}
        for block in blocks:
            if not block.view:
                continue
            key = (block.code, block.factor)
            if key not in self._weights:
                self._weights[key] = np.zeros((start, len(first)), dtype=np.float32)
            scale = 1.0 if block.factor is None else scales[block.factor]
            self._weights[key][columns[block.view]] = first[:, block.start : block.end].T * np.float32(scale)
        # Views that are only in the bag need no scan.
        used = np.zeros(start, dtype=bool)
        for (code, _), weight in self._weights.items():
            if code != BAG:
                used |= weight.any(axis=1)
        self._context_columns = np.flatnonzero(used)
        for key, weight in self._weights.items():
            if key[0] != BAG:
                self._weights[key] = np.ascontiguousarray(weight[used])
        self._borders = next(
            (first[:, block.start : block.end].T for block in blocks if block.code == BORDERS), None
        )

    def sums(
        self,
        alone: FloatArray,
        windows: Mapping[str, FloatArray],
        contexts: Contexts,
        fragments: Fragments,
    ) -> tuple[_Sums, _Sums, _Sums | None]:
        """The sums of the starts, the ends and the words that the fragments need."""
        vectors = np.concatenate([alone, *windows.values()], axis=1) if windows else alone
        in_context = (
            vectors if len(self._context_columns) == vectors.shape[1] else vectors[:, self._context_columns]
        )
        at_start, at_end = contexts.starts(), contexts.ends()
        firsts, first_places = _needed(fragments.firsts, contexts.token_count)
        lasts, last_places = _needed(fragments.lasts, contexts.token_count)
        starts = np.tile(self._bias, (len(firsts), 1))
        ends = np.zeros((len(lasts), len(self._bias)), dtype=np.float32)
        for factor in self._factors:
            codes = {
                LEFT_INCLUDING: scan(in_context, factor, at_start),
                RIGHT_INCLUDING: scan_back(in_context, factor, at_end),
            }
            for code, weight in self._of_factor(factor):
                if code == LEFT_INCLUDING:
                    ends += codes[LEFT_INCLUDING][lasts] @ weight
                elif code == LEFT_EXCLUDING:
                    starts += shifted(codes[LEFT_INCLUDING], at_start, 1)[firsts] @ weight
                elif code == RIGHT_INCLUDING:
                    starts += codes[RIGHT_INCLUDING][firsts] @ weight
                elif code == RIGHT_EXCLUDING:
                    ends += shifted(codes[RIGHT_INCLUDING], at_end, -1)[lasts] @ weight
        if self._borders is not None:
            starts[contexts.sentence_starts()[firsts]] += self._borders[0]
            ends[contexts.sentence_ends()[lasts]] += self._borders[1]
        bags = None
        if (BAG, None) in self._weights:
            words, places = _places(covered_tokens(fragments, contexts.token_count))
            bags = _Sums(vectors[words] @ self._weights[BAG, None], places)
        return _Sums(starts, first_places), _Sums(ends, last_places), bags

    def _of_factor(self, factor: float) -> list[tuple[str, FloatArray]]:
        return [(code, weight) for (code, of), weight in self._weights.items() if of == factor]


def _needed(tokens: IntArray, token_count: int) -> tuple[IntArray, IntArray]:
    """Distinct tokens [N], in order, and the place [T] of each among them."""
    wanted = np.zeros(token_count, dtype=bool)
    wanted[tokens] = True
    return _places(wanted)


def _places(wanted: BoolArray) -> tuple[IntArray, IntArray]:
    """The tokens [N] that are wanted of T, in order, and the place [T] of each among them."""
    return np.flatnonzero(wanted), np.cumsum(wanted) - 1


def _slices(total: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, total)) for start in range(0, total, size))
