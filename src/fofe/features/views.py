"""Views: the ways to see a word, and the vectors that each view has for it.

`cased` and `uncased` look the token up in a table, `word` the segmented word that holds it, whose vector its
tokens share evenly. `lexicon` looks up all words that could run through the token, and `spelling` reads its
characters. `window` reads these views of a word and of its neighbours. `encoder` has the vectors of a
language model, which torch alone computes.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.features.characters import Convolution
from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.encoded import EncodedText
from fofe.features.feature import ReadText, Shapes, Sizes
from fofe.features.fofe import scan, scan_back
from fofe.features.word_cache import NeighbourLayer
from fofe.features.word_table import Table, table_name


def view_shapes(view: ViewConfig, sizes: Sizes, read: int) -> Shapes:
    """The weights of a view; a window reads `read` numbers for each word."""
    if view.lookup == "spelling":
        return Convolution.shapes(f"spelling.{view.name}", sizes.alphabet, view.kernels)
    shapes: Shapes = {}
    if view.lookup == "encoder":
        shapes[f"encoders.{view.name}.mix"] = (view.layers,)
        shapes[f"encoders.{view.name}.projection"] = (view.dimension, view.encoder_width)
    elif view.holds_table:
        shapes[table_name(view.name)] = (sizes.vocabularies[view.name], view.dimension)
    elif view.lookup == "window":
        for number in range(view.window_layers):
            width = view.dimension if number else read
            shapes[f"windows.{view.name}.layers.{number}.weight"] = (view.dimension, 3 * width)
            shapes[f"windows.{view.name}.layers.{number}.bias"] = (view.dimension,)
    return shapes


class IsolatedWords:
    """The views of isolated words side by side, in the order of the configuration; `window` reads these."""

    def __init__(self, config: ModelConfig, weights: Mapping[str, FloatArray]) -> None:
        self._views = [view for view in config.views if view.lookup != "window"]
        self._tables = {
            view.name: Table.from_weights(weights, view.holder) for view in self._views if view.has_table
        }
        self._convolutions = {
            view.name: Convolution(f"spelling.{view.name}", weights, view.kernels)
            for view in self._views
            if view.lookup == "spelling"
        }

    def vectors(self, text: EncodedText) -> FloatArray:
        """[T, D] of the words of a text."""
        nothing: FloatArray = np.zeros((text.token_count, 0), dtype=np.float32)
        return np.concatenate([nothing, *(self._vectors(view, text) for view in self._views)], axis=1)

    def _vectors(self, view: ViewConfig, text: EncodedText) -> FloatArray:
        if view.lookup == "spelling":
            spelt = text.spelling
            assert spelt is not None, "a model with a spelling view has an alphabet"
            # The space symbols around a word show the kernels where it begins and ends.
            starts, ends = spelt.word_starts - 1, spelt.word_ends + 1
            longest = int((ends - starts).max(initial=1))
            return self._convolutions[view.name].of(spelt.characters, longest)(starts, ends)
        table = self._tables[view.name]
        if view.lookup == "lexicon":
            matches = text.matches[view.name]
            return matches.means(table.rows(matches.rows))
        vectors = table.rows(text.words[view.name])
        if view.lookup == "word":
            assert text.segments is not None, "a model with a word view has a segmenter"
            vectors = vectors * text.segments.shares[:, None]
        return vectors


class WindowView:
    """A word among its neighbours.

    The first layers see a word and two words beside it. The context layers after them see it between the FOFE
    codes of all words to its left and right, and add what they make of these to what they see. The first
    layer is a sum of what a word and the two beside it add: computed once for each distinct word.
    """

    def __init__(self, view: ViewConfig, weights: Mapping[str, FloatArray]) -> None:
        self._view = view
        (weight, bias), *layers = (
            tuple(weights[f"windows.{view.name}.layers.{number}.{part}"] for part in ("weight", "bias"))
            for number in range(view.window_layers)
        )
        beside = view.dilations[0]
        self.first = NeighbourLayer(f"windows.{view.name}", (-beside, 0, beside), weight, bias)
        self._layers = [(np.ascontiguousarray(weight.T), bias) for weight, bias in layers]

    def vectors(self, text: ReadText) -> FloatArray:
        """[T, D'] of the words of some sentences."""
        seen = self.first.units(text)
        wider = self._view.dilations[1:]
        for dilation, (weight, bias) in zip(wider, self._layers, strict=False):
            before, after = text.beside(seen, -dilation), text.beside(seen, dilation)
            seen = _layer(before, seen, after, weight, bias)
        for weight, bias in self._layers[len(wider) :]:
            left, right = _codes_around(seen, self._view.context_factors, text)
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
    words: FloatArray, factors: Sequence[float], text: ReadText
) -> tuple[FloatArray, FloatArray]:
    """[T, D] twice: the codes of the words before each word, and of those after it, read backwards.

    Each factor serves a share of the dimensions of `words` [T, D]; all codes are as large as with 1/2.
    """
    lefts, rights, starts, ends = [], [], text.starts(), text.ends()
    for part, factor in zip(np.array_split(words, len(factors), axis=1), factors, strict=True):
        scaled = part * np.float32(2 * (1 - factor))
        lefts.append(scan(scaled, factor, starts))
        rights.append(scan_back(scaled, factor, ends))
    left, right = np.concatenate(lefts, axis=1), np.concatenate(rights, axis=1)
    return text.beside(left, -1), text.beside(right, 1)
