"""Word codes: the bag of a fragment's words and the FOFE codes of its left and right contexts, for each view.

In the network's first layer they are a sum over a fragment's start, its end and its words, so that each
start, end and word is projected once, whatever the number of fragments that share it.

Views are the ways to see a word. `cased` and `uncased` look the token up in a table, `word` the segmented
word that holds it, whose vector its tokens share evenly. `lexicon` looks up all words that could run through
the token, and `spelling` reads its characters. `window` reads these views of a word and of its neighbours.
`encoder` has the vectors of a language model, which torch alone computes.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fofe.base.arrays import BoolArray, FloatArray, IntArray
from fofe.features.characters import Convolution
from fofe.features.config import (
    BAG,
    CODES,
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    ModelConfig,
    ViewConfig,
)
from fofe.features.encoded import EncodedText, SentenceBounds
from fofe.features.feature import Feature, ModelParts, ReadText, Shapes, Sizes
from fofe.features.fofe import scan, scan_back
from fofe.features.fragments import Fragments, covered_tokens
from fofe.features.word_table import Table, table_name

VECTORS = "vectors"
ROWS_AT_ONCE = 8
"""Few enough that OpenBLAS adds up all rows of a product in the same order, and too few to be fast."""


def column_name(code: str, view: str) -> str:
    """The name of the columns of a code that is made from a view."""
    return f"{code} of {view}"


class WordCodes(Feature):
    """Adds up word features. Only the starts, ends and words that fragments need are multiplied at all."""

    torch_module = "fofe.features.word_codes_torch"

    @staticmethod
    def columns(config: ModelConfig) -> dict[str, int]:
        """For each code, the views that it is made from."""
        return {
            column_name(code, view.name): view.width
            for code in CODES
            for view in config.views
            if code in view.codes
        }

    @classmethod
    def in_use(cls, config: ModelConfig) -> bool:
        """A view can have weights though no code is made from it."""
        return bool(config.views)

    @staticmethod
    def shapes(config: ModelConfig, sizes: Sizes) -> Shapes:
        """Those of the views."""
        shapes: Shapes = {}
        for view in config.views:
            shapes |= view_shapes(view, sizes, config.isolated_width)
        return shapes

    @staticmethod
    def arrays(text: EncodedText, fragments: Fragments) -> dict[str, NDArray[Any]]:
        """The words that the codes of fragments end with, the words of bags, and the facts that views need.

        before, after: [F] the tokens beside each fragment, T where there is none.
        bag_words: [B] the tokens of all fragments, one after another.
        bag_offsets: [F] where each fragment's tokens begin in `bag_words`.
        shares: [T] one over the number of tokens of the segmented word that holds each, for a word view.
        match_offsets: [4 T] where the words begin that each token has each place in, for a lexicon.
        """
        none = text.token_count
        firsts, lasts = fragments.firsts, fragments.lasts
        lengths = lasts - firsts + 1
        bag_offsets = np.cumsum(lengths) - lengths
        arrays: dict[str, NDArray[Any]] = {
            "before": np.where(text.starts()[firsts], none, firsts - 1),
            "after": np.where(text.ends()[lasts], none, lasts + 1),
            "bag_words": np.arange(lengths.sum()) + np.repeat(firsts - bag_offsets, lengths),
            "bag_offsets": bag_offsets,
        }
        if text.shares is not None:
            arrays["shares"] = text.shares
        for matches in text.matches.values():
            arrays["match_offsets"] = matches.offsets[:-1]
        return arrays

    def __init__(self, model: ModelParts) -> None:
        self._factor = model.config.factor
        self.isolated = IsolatedWords(model.config, model.weights)
        # The vectors of words have the views of isolated words first, then the windows.
        views = sorted(model.config.views, key=lambda view: view.lookup == "window")
        self._windows = [WindowView(view, model.weights) for view in views if view.lookup == "window"]
        width, hidden = sum(view.width for view in views), len(model.weights["layers.0.bias"])
        made: dict[str, FloatArray] = {}
        used = np.zeros(width, dtype=bool)
        end = 0
        for view in views:
            begin, end = end, end + view.width
            # Views that are only in the bag need no scan.
            used[begin:end] = bool(set(view.codes) - {BAG})
            for code in view.codes:
                weight = made.setdefault(code, np.zeros((width, hidden), dtype=np.float32))
                weight[begin:end] = model.columns[column_name(code, view.name)]
        self._bag = made.pop(BAG, None)
        self._in_context = None if used.all() else np.flatnonzero(used)
        self._codes = {code: np.ascontiguousarray(made[code][used]) for code in CODES if code in made}

    def of_words(self, text: EncodedText, vectors: FloatArray) -> dict[str, FloatArray]:
        """Their vectors, and what they add to the first layers of windows."""
        arrays = {VECTORS: vectors}
        for view in self._windows:
            arrays |= view.first.of_words(vectors)
        return arrays

    def sums(
        self,
        text: ReadText,
        fragments: Fragments,
        at_once: int,
        bias: FloatArray,
        others: Sequence[Feature],
    ) -> Iterator[tuple[slice, FloatArray]]:
        """The sums [F', H] of the first layer for some fragments after another, and which they are.

        They are those of word codes, the bias [H], and what `others` add to starts. The fragments are in the
        order of their lengths. Each time `at_once` of them are done; what was given before is overwritten.
        """
        vectors = text.rows(VECTORS)
        if self._windows:
            vectors = np.concatenate([vectors, *(view.vectors(text) for view in self._windows)], axis=1)
        count = text.token_count
        firsts, longest = _starts(fragments, count)
        lasts = np.unique(fragments.lasts)
        starts, ends = self._starts_and_ends(vectors, text, firsts, lasts, bias)
        for feature in others:
            feature.add_to_starts(starts, firsts, text)
        start_of, end_of = _numbers(firsts, count), _numbers(lasts, count)
        if self._bag is not None:
            words = np.flatnonzero(covered_tokens(fragments, count))
            bags = vectors.take(words, axis=0) @ self._bag
            bag_of = _numbers(words, count)
        sums = np.empty((min(at_once, len(fragments)), len(bias)), dtype=np.float32)
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
        self,
        vectors: FloatArray,
        bounds: SentenceBounds,
        firsts: IntArray,
        lasts: IntArray,
        bias: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """What first words [N] and last words [M] add with their contexts: [N, H] and [M, H]."""
        starts = np.tile(bias, (len(firsts), 1))
        ends = np.zeros((len(lasts), len(bias)), dtype=np.float32)
        at_start, at_end = bounds.starts(), bounds.ends()
        scanned = vectors if self._in_context is None else vectors.take(self._in_context, axis=1)
        left, right = scan(scanned, self._factor, at_start), scan_back(scanned, self._factor, at_end)
        for code, weight in self._codes.items():
            if code == LEFT_INCLUDING:
                ends += left.take(lasts, axis=0) @ weight
            elif code == LEFT_EXCLUDING:
                starts += _beside(left, firsts, -1, at_start) @ weight
            elif code == RIGHT_INCLUDING:
                starts += right.take(firsts, axis=0) @ weight
            elif code == RIGHT_EXCLUDING:
                ends += _beside(right, lasts, 1, at_end) @ weight
        return starts, ends


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
            assert text.shares is not None, "a model with a word view has a segmenter"
            vectors = vectors * text.shares[:, None]
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
            seen = _layer(np.concatenate([before, seen, after], axis=1), weight, bias)
        for weight, bias in self._layers[len(wider) :]:
            seen += _layer(_between_codes(seen, self._view.context_factors, text), weight, bias)
        return seen


def _layer(seen: FloatArray, weight: FloatArray, bias: FloatArray) -> FloatArray:
    """[T, D'] what a layer [3 D, D'] makes of words between what is around them [T, 3 D]."""
    made: FloatArray = seen @ weight
    made += bias
    return np.maximum(made, 0, out=made)


def _between_codes(words: FloatArray, factors: Sequence[float], text: ReadText) -> FloatArray:
    """[T, 3 D] the codes of the words before each word, the word, and those of the words after it.

    Each factor serves a share of the dimensions of `words` [T, D]; all codes are as large as with 1/2.
    """
    width, starts, ends = words.shape[1], text.starts(), text.ends()
    # All is written where it is read: copies would take 2 to 4 % of tagging.
    between = np.empty((len(words), 3 * width), dtype=np.float32)
    left, right = between[:, :width], between[:, 2 * width :]
    between[:, width : 2 * width] = words
    first = 0
    for part, factor in zip(np.array_split(words, len(factors), axis=1), factors, strict=True):
        scaled = part * np.float32(2 * (1 - factor))
        columns = slice(first, first + part.shape[1])
        left[1:, columns] = scan(scaled, factor, starts)[:-1]
        right[:-1, columns] = scan_back(scaled, factor, ends)[1:]
        first = columns.stop
    left[starts] = 0
    right[ends] = 0
    return between


class NeighbourLayer:
    """A layer of rectified units that sees each word with others at some offsets from it.

    Its units are a sum of what each of these words adds, which is computed once for each distinct word.
    """

    def __init__(self, name: str, offsets: Sequence[int], weight: FloatArray, bias: FloatArray) -> None:
        """`weight` [H, N D] has a part for each of N offsets; `bias` is [H]."""
        self._names = {offset: f"{name}.{offset}" for offset in offsets}
        parts = np.split(weight, len(offsets), axis=1)
        self._parts = {
            name: np.ascontiguousarray(part.T) for name, part in zip(self._names.values(), parts, strict=True)
        }
        self._bias = bias

    def of_words(self, vectors: FloatArray) -> dict[str, FloatArray]:
        """What words [U, D] add to the units [U, H] of words that see them, by the name of each offset.

        BLAS may round a row differently in products of other shapes. All of these have one shape, so that a
        word adds the same whichever words were new together with it.
        """
        count, width = vectors.shape
        rows = -(-count // ROWS_AT_ONCE) * ROWS_AT_ONCE
        filled = np.zeros((rows, width), dtype=np.float32)
        filled[:count] = vectors
        blocks = filled.reshape(rows // ROWS_AT_ONCE, ROWS_AT_ONCE, width)
        products = {name: blocks @ part for name, part in self._parts.items()}
        return {name: made.reshape(rows, made.shape[2])[:count] for name, made in products.items()}

    def units(self, text: ReadText) -> FloatArray:
        """[T, H] of the words of some sentences."""
        (first, name), *others = self._names.items()
        units: FloatArray = text.cached[name].take(text.beside(text.positions, first), axis=0)
        for offset, name in others:
            units += text.cached[name].take(text.beside(text.positions, offset), axis=0)
        units += self._bias
        return np.maximum(units, 0, out=units)
