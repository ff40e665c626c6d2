"""The tagging engine: the trained network in NumPy, with all that fragments share computed once.

For the word features the first layer is `Start[first] + End[last] + bag`: the weights are applied to each
distinct word once, and the FOFE scan runs over the results in hidden space. BLAS does the work, so this needs
no more than NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fofe._arrays import FloatArray, IntArray
from fofe.encode.encoded import EncodedText, Encoder
from fofe.encode.fofe import scan, scan_back
from fofe.encode.fragments import Fragments, all_fragments
from fofe.encode.layout import BORDERS, CHARACTER_CNN, CHARACTER_LEFT, CHARACTER_RIGHT, Block, input_blocks
from fofe.model.config import (
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    ModelConfig,
)
from fofe.model.numpy_ops import Convolution, fragment_sums, shifted, softmax

FRAGMENTS_AT_ONCE = 4096
"""How many fragments go through the wide layers together: enough for BLAS, little enough for the cache."""


@dataclass(frozen=True)
class Scores:
    """The judgement of some sentences: F fragments and their label probabilities [F, K]."""

    fragments: Fragments
    token_offsets: IntArray
    probabilities: FloatArray


class Engine:
    """Scores every fragment of tokenised sentences."""

    def __init__(self, config: ModelConfig, encoder: Encoder, weights: Mapping[str, FloatArray]) -> None:
        self.config = config
        self.encoder = encoder
        self._tables = {view.name: weights[f"tables.{view.name}"] for view in config.views if view.has_table}
        self._spelling = {
            view.name: Convolution.from_weights(weights, f"spelling.{view.name}.", (view.height,))
            for view in config.views
            if view.lookup == "spelling"
        }
        self._windows = {
            view.name: [
                (
                    dilation,
                    weights[f"windows.{view.name}.layers.{number}.weight"],
                    weights[f"windows.{view.name}.layers.{number}.bias"],
                )
                for number, dilation in enumerate(view.dilations)
            ]
            for view in config.views
            if view.lookup == "window"
        }
        if config.characters.fofe:
            self._characters = weights["characters.weight"]
        if config.characters.cnn:
            self._character_cnn = Convolution.from_weights(
                weights, "character_cnn.", config.characters.heights
            )
        blocks = input_blocks(config)
        first = weights["layers.0.weight"]
        self._bias = weights["layers.0.bias"]
        self._word_blocks = _by_code(blocks, first)
        self._other_weights = {
            block.code: np.ascontiguousarray(first[:, block.start : block.end].T)
            for block in blocks
            if not block.view
        }
        self._layers = [
            (np.ascontiguousarray(weights[f"layers.{number}.weight"].T), weights[f"layers.{number}.bias"])
            for number in range(1, len(config.hidden) + 1)
        ]

    def score(self, sentences: Sequence[Sequence[str]], opens: Sequence[bool] | None = None) -> Scores:
        """Label probabilities of all fragments of some sentences, each of at least one word.

        `opens` says which sentences open a document, for a model whose contexts go beyond the sentence.
        """
        text = self.encoder.encode(sentences, opens if self.config.sees_documents else None)
        fragments = all_fragments(text.token_offsets, self.config.max_words)
        starts, ends, bags = self._word_hidden(sentences, text)
        label_count = len(self._layers[-1][1])
        probabilities = np.empty((len(fragments), label_count), dtype=np.float32)
        characters = _FragmentCharacters(self, text, fragments)
        for part in _slices(len(fragments), FRAGMENTS_AT_ONCE):
            firsts, lasts = fragments.firsts[part], fragments.lasts[part]
            hidden = starts[firsts] + ends[lasts]
            if bags is not None:
                hidden += fragment_sums(bags, firsts, lasts)
            characters.add(hidden, firsts, lasts)
            for weight, bias in self._layers:
                np.maximum(hidden, 0, out=hidden)
                hidden = hidden @ weight
                hidden += bias
            probabilities[part] = softmax(hidden)
        return Scores(fragments, text.token_offsets, probabilities)

    def _word_hidden(
        self, sentences: Sequence[Sequence[str]], text: EncodedText
    ) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """What a fragment's start [T, H], end [T, H] and each of its words [T, H] add to the first layer."""
        distinct, positions = _distinct_words(sentences)
        vectors = self._vectors(distinct)
        at_start, at_end = text.starts(), text.ends()
        windows = self._window_vectors(vectors, positions, text)
        starts = np.tile(self._bias, (text.token_count, 1))
        ends = np.zeros_like(starts)
        bags: FloatArray | None = None
        scales = dict(zip(self.config.factors, self.config.code_scales, strict=True))
        for (code, factor), by_view in self._word_blocks.items():
            projected = np.zeros((len(distinct), starts.shape[1]), dtype=np.float32)
            for view, weight in by_view.items():
                if view in vectors:
                    projected += vectors[view] @ weight
            hidden = projected[positions]
            for view, weight in by_view.items():
                if view in windows:
                    hidden += windows[view] @ weight
            if factor is None:
                bags = hidden
                continue
            hidden *= np.float32(scales[factor])
            if code == LEFT_INCLUDING:
                ends += scan(hidden, factor, at_start)
            elif code == LEFT_EXCLUDING:
                starts += shifted(scan(hidden, factor, at_start), at_start, 1)
            elif code == RIGHT_INCLUDING:
                starts += scan_back(hidden, factor, at_end)
            elif code == RIGHT_EXCLUDING:
                ends += shifted(scan_back(hidden, factor, at_end), at_end, -1)
        if BORDERS in self._other_weights:
            begins, finishes = self._other_weights[BORDERS]
            starts[text.sentence_starts()] += begins
            ends[text.sentence_ends()] += finishes
        return starts, ends, bags

    def _vectors(self, words: Sequence[str]) -> dict[str, FloatArray]:
        """The vectors [U, D] of words in each view that sees a word alone."""
        text = self.encoder.encode([[word] for word in words])
        vectors = {name: table[text.words[name]] for name, table in self._tables.items()}
        for name, convolution in self._spelling.items():
            vectors[name] = convolution.maxima(text.characters, text.word_starts - 1, text.word_ends + 1)
        return vectors

    def _window_vectors(
        self, vectors: Mapping[str, FloatArray], positions: IntArray, text: EncodedText
    ) -> dict[str, FloatArray]:
        """The vectors [T, D] of the views that also see a word's neighbours."""
        made: dict[str, FloatArray] = {}
        if not self._windows:
            return made
        from_start, to_end = text.distances()
        alone = np.concatenate([vectors[view.name] for view in self.config.views if view.name in vectors], 1)
        for name, layers in self._windows.items():
            words, rows = alone, positions
            for dilation, weight, bias in layers:
                # The first layer is applied to each distinct word once, the others to every token.
                before, at, after = ((words @ part.T)[rows] for part in np.split(weight, 3, axis=1))
                at += shifted(before, from_start < dilation, dilation)
                at += shifted(after, to_end < dilation, -dilation)
                at += bias
                words, rows = np.maximum(at, 0, out=at), np.arange(len(at))
            made[name] = words
        return made


class _FragmentCharacters:
    """What the characters of fragments add to the first layer."""

    def __init__(self, engine: Engine, text: EncodedText, fragments: Fragments) -> None:
        self._weights = engine._other_weights
        self._text = text
        self._factor = engine.config.characters.factor
        if CHARACTER_LEFT in self._weights:
            spelt = engine._characters[text.characters]
            at_start = np.zeros(len(spelt), dtype=bool)
            at_start[text.character_offsets[:-1]] = True
            at_end = np.zeros(len(spelt), dtype=bool)
            at_end[text.character_offsets[1:] - 1] = True
            self._left = scan(spelt, self._factor, at_start)
            self._right = scan_back(spelt, self._factor, at_end)
        if CHARACTER_CNN in self._weights:
            longest = (text.word_ends[fragments.lasts] - text.word_starts[fragments.firsts]).max(initial=1)
            self._cnn = engine._character_cnn.table(text.characters, int(longest))

    def add(self, hidden: FloatArray, firsts: IntArray, lasts: IntArray) -> None:
        """Add to the first layer's sums [F, H] of the fragments from `firsts` [F] to `lasts` [F]."""
        if CHARACTER_LEFT not in self._weights and CHARACTER_CNN not in self._weights:
            return
        starts, ends = self._text.word_starts[firsts], self._text.word_ends[lasts]
        if CHARACTER_LEFT in self._weights:
            forgotten = (self._factor ** (ends - starts)).astype(np.float32)[:, None]
            left = self._left[ends - 1] - forgotten * self._left[starts - 1]
            right = self._right[starts] - forgotten * self._right[ends]
            hidden += left @ self._weights[CHARACTER_LEFT]
            hidden += right @ self._weights[CHARACTER_RIGHT]
        if CHARACTER_CNN in self._weights:
            hidden += self._cnn.maxima(starts, ends) @ self._weights[CHARACTER_CNN]


def _by_code(
    blocks: Sequence[Block], weight: FloatArray
) -> dict[tuple[str, float | None], dict[str, FloatArray]]:
    """For each word code and factor, the first-layer weights [D, H] of each view."""
    grouped: dict[tuple[str, float | None], dict[str, FloatArray]] = {}
    for block in blocks:
        if block.view:
            columns = np.ascontiguousarray(weight[:, block.start : block.end].T)
            grouped.setdefault((block.code, block.factor), {})[block.view] = columns
    return grouped


def _distinct_words(sentences: Sequence[Sequence[str]]) -> tuple[list[str], IntArray]:
    """The words of some sentences, each once, and for every token its place [T] among them."""
    places: dict[str, int] = {}
    positions = [places.setdefault(word, len(places)) for sentence in sentences for word in sentence]
    return list(places), np.array(positions, dtype=np.int64)


def _slices(total: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, total)) for start in range(0, total, size))
