"""The vectors of words in each view, for the tagging engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fofe._arrays import FloatArray
from fofe.encode.encoded import Contexts, Encoder, Key
from fofe.model.config import ModelConfig
from fofe.model.numpy_ops import Convolution, shifted
from fofe.model.table import Table


class WordsAlone:
    """The views that see a word alone, side by side: table rows and spellings."""

    def __init__(self, config: ModelConfig, encoder: Encoder, weights: Mapping[str, FloatArray]) -> None:
        self._encoder = encoder
        self._views = [view for view in config.views if view.lookup != "window"]
        self._tables = {
            view.name: Table.from_weights(weights, view.name) for view in self._views if view.has_table
        }
        self._spelling = {
            view.name: Convolution.from_weights(weights, f"spelling.{view.name}.", (view.height,))
            for view in self._views
            if view.lookup == "spelling"
        }

    def keys(self, sentences: Sequence[Sequence[str]], words: Sequence[str]) -> Sequence[Key]:
        """What tells the vectors of each word [T] of some sentences."""
        return self._encoder.in_words(sentences) or words

    def vectors(self, words: list[Key]) -> FloatArray:
        """[U, D] the vectors of distinct words, the views in the order of the configuration."""
        text = self._encoder.encode_apart(words)
        parts: list[FloatArray] = [np.zeros((len(words), 0), dtype=np.float32)]
        for view in self._views:
            if view.has_table:
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
    """The views that also see a word's neighbours."""

    def __init__(self, config: ModelConfig, weights: Mapping[str, FloatArray]) -> None:
        self._layers = {
            view.name: [
                (
                    dilation,
                    np.ascontiguousarray(weights[f"windows.{view.name}.layers.{number}.weight"].T),
                    weights[f"windows.{view.name}.layers.{number}.bias"],
                )
                for number, dilation in enumerate(view.dilations)
            ]
            for view in config.views
            if view.lookup == "window"
        }

    def vectors(self, words: FloatArray, contexts: Contexts) -> dict[str, FloatArray]:
        """For each such view, [T, D'] from the vectors [T, D] of the words alone."""
        made: dict[str, FloatArray] = {}
        if not self._layers:
            return made
        from_start, to_end = contexts.distances()
        for name, layers in self._layers.items():
            seen = words
            for dilation, weight, bias in layers:
                before = shifted(seen, from_start < dilation, dilation)
                after = shifted(seen, to_end < dilation, -dilation)
                seen = np.concatenate([before, seen, after], axis=1) @ weight
                seen += bias
                np.maximum(seen, 0, out=seen)
            made[name] = seen
        return made
