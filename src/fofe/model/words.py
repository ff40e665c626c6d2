"""The vectors of words in each view, for the tagging engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.encoded import EncodedText, Encoder, Key
from fofe.features.fofe import scan, scan_back
from fofe.features.surroundings import importance, weighted
from fofe.model.lexicon import PlacedWords
from fofe.model.numpy_ops import Convolution, shifted
from fofe.model.table import Table

SEEN = (-1, 0, 1)
"""What a layer of a window view sees of a text, in steps of its dilation: the order of its weights."""


class WordsAlone:
    """The views that see a word alone, side by side: table rows and spellings."""

    def __init__(self, config: ModelConfig, encoder: Encoder, weights: Mapping[str, FloatArray]) -> None:
        self._encoder = encoder
        self._views = [view for view in config.views if view.lookup != "window"]
        self._tables = {
            view.name: Table.from_weights(weights, view.holder) for view in self._views if view.has_table
        }
        self._spelling = {
            view.name: Convolution.from_weights(weights, f"spelling.{view.name}.", (view.height,))
            for view in self._views
            if view.lookup == "spelling"
        }
        self._subject = config.surroundings
        if self._subject is not None:
            self._importance = importance(encoder.vocabularies[self._subject])

    def keys(self, sentences: Sequence[Sequence[str]], words: Sequence[str]) -> Sequence[Key]:
        """What tells the vectors of each word [T] of some sentences."""
        return self._encoder.in_words(sentences) or words

    def vectors(self, words: list[Key]) -> FloatArray:
        """[U, D] the vectors of distinct words, the views in the order of the configuration."""
        return self._vectors(self._encoder.encode_apart(words))

    def vectors_and_subjects(self, words: list[Key]) -> list[FloatArray]:
        """The vectors [U, D] of distinct words and, where the network sees surroundings, their subjects.

        These [U, D' + 1] are what words tell of what a text is about, and how much it counts.
        """
        text = self._encoder.encode_apart(words)
        vectors = self._vectors(text)
        if self._subject is None:
            return [vectors]
        rows = text.words[self._subject]
        return [vectors, weighted(self._tables[self._subject].rows(rows), self._importance[rows])]

    def _vectors(self, text: EncodedText) -> FloatArray:
        parts: list[FloatArray] = [np.zeros((text.token_count, 0), dtype=np.float32)]
        for view in self._views:
            if view.lookup == "lexicon":
                matches = text.matches[view.name]
                parts.append(matches.means(self._tables[view.name].rows(matches.rows)))
            elif view.has_table:
                rows = self._tables[view.name].rows(text.words[view.name])
                if view.lookup == "word":
                    assert text.segments is not None, "a model with a word view has a segmenter"
                    rows = rows * text.segments.shares[:, None]
                parts.append(rows)
            else:
                spelt = text.spelling
                assert spelt is not None, "a model with a spelling view has an alphabet"
                convolution = self._spelling[view.name]
                # The space symbols around a word tell the kernels where it begins and ends.
                parts.append(convolution.maxima(spelt.characters, spelt.word_starts - 1, spelt.word_ends + 1))
        return np.concatenate(parts, axis=1)


class WordsInWindows:
    """The views that also see a word's neighbours.

    Their first layer is a sum of what a word and the two beside it add: computed once for each distinct word.
    """

    def __init__(self, config: ModelConfig, weights: Mapping[str, FloatArray]) -> None:
        self._views = [_Windows(view, weights) for view in config.views if view.lookup == "window"]

    def project(self, vectors: FloatArray) -> list[FloatArray]:
        """What words add to the first layer [U, D'] of each view as neighbours and as themselves."""
        return [projected for view in self._views for projected in view.project(vectors)]

    def vectors(self, words: PlacedWords, rows: Sequence[FloatArray]) -> list[FloatArray]:
        """For each such view, the vectors [T, D'] of words whose projections are `rows` [N, D']."""
        return [
            view.vectors(words, rows[len(SEEN) * number : len(SEEN) * (number + 1)])
            for number, view in enumerate(self._views)
        ]


class _Windows:
    """The layers of one view."""

    def __init__(self, view: ViewConfig, weights: Mapping[str, FloatArray]) -> None:
        self._view = view
        self._layers = [
            (
                np.ascontiguousarray(weights[f"windows.{view.name}.layers.{number}.weight"].T),
                weights[f"windows.{view.name}.layers.{number}.bias"],
            )
            for number in range(view.window_layers)
        ]
        self._projections = np.split(self._layers[0][0], len(SEEN))

    def project(self, vectors: FloatArray) -> list[FloatArray]:
        return [vectors @ projection for projection in self._projections]

    def vectors(self, words: PlacedWords, rows: Sequence[FloatArray]) -> FloatArray:
        nearest, *wider = self._view.dilations
        (_, bias), *layers = self._layers
        seen = words.sums(rows, [nearest * side for side in SEEN])
        seen += bias
        np.maximum(seen, 0, out=seen)
        for dilation, (weight, bias) in zip(wider, layers, strict=False):
            before = shifted(seen, words.from_start < dilation, dilation)
            after = shifted(seen, words.to_end < dilation, -dilation)
            seen = _layer(before, seen, after, weight, bias)
        for weight, bias in layers[len(wider) :]:
            left, right = _codes_around(
                seen, self._view.context_factors, words.from_start == 0, words.to_end == 0
            )
            seen += _layer(left, seen, right, weight, bias)
        return seen


def _layer(
    left: FloatArray, words: FloatArray, right: FloatArray, weight: FloatArray, bias: FloatArray
) -> FloatArray:
    """[T, D'] what a layer [3 D, D'] makes of words and what is around them, each [T, D]."""
    made: FloatArray = np.concatenate([left, words, right], axis=1) @ weight
    made += bias
    return np.maximum(made, 0, out=made)


def _codes_around(
    words: FloatArray, factors: Sequence[float], starts: BoolArray, ends: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """[T, D] twice: the codes of the words before each word, and of those after it, read backwards.

    Each factor serves a share of the dimensions of `words` [T, D]; all codes are as large as with 1/2.
    """
    lefts, rights = [], []
    for part, factor in zip(np.array_split(words, len(factors), axis=1), factors, strict=True):
        scaled = part * np.float32(2 * (1 - factor))
        lefts.append(scan(scaled, factor, starts))
        rights.append(scan_back(scaled, factor, ends))
    left, right = np.concatenate(lefts, axis=1), np.concatenate(rights, axis=1)
    return shifted(left, starts, 1), shifted(right, ends, -1)
