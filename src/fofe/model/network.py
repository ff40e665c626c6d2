"""The network in torch, as it is trained: every feature differentiable, every fragment on its own row."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import cast

import torch
from torch import Tensor, nn

from fofe.features.config import (
    BAG,
    LEFT_EXCLUDING,
    LEFT_INCLUDING,
    RIGHT_EXCLUDING,
    RIGHT_INCLUDING,
    ModelConfig,
    ViewConfig,
)
from fofe.features.layout import Block, input_blocks
from fofe.model.batch import TorchBatch
from fofe.model.torch_ops import NOTHING_DROPPED, Dropping, range_maximum, scan_both, window_sums


class Network(nn.Module):
    """FOFE codes of fragments through a feed-forward network to label scores.

    The embedding tables of words are not parameters here: a batch brings the rows of its distinct words, so
    that only those are looked at and updated.
    """

    def __init__(self, config: ModelConfig, *, alphabet_size: int, label_count: int) -> None:
        super().__init__()
        self.config = config
        self.blocks: list[Block] = input_blocks(config)
        self.spelling = nn.ModuleDict(
            {
                view.name: CharacterConvolution(
                    alphabet_size, view.character_dimension, (view.height,), view.dimension
                )
                for view in config.views
                if view.lookup == "spelling"
            }
        )
        read = sum(view.width for view in config.views if view.lookup != "window")
        self.windows = nn.ModuleDict(
            {view.name: Windows(read, view) for view in config.views if view.lookup == "window"}
        )
        characters = config.characters
        if characters.fofe:
            self.characters = nn.Embedding(alphabet_size, characters.dimension)
            nn.init.uniform_(self.characters.weight, -0.25, 0.25)
        if characters.cnn:
            self.character_cnn = CharacterConvolution(
                alphabet_size, characters.dimension, characters.heights, characters.kernels
            )
        sizes = (self.blocks[-1].end, *config.hidden, label_count)
        self.layers = nn.ModuleList(nn.Linear(wide, narrow) for wide, narrow in itertools.pairwise(sizes))
        for layer in self.layers:
            _initialise(layer)
        # What each corpus whose schemes are known adds to every layer but the first.
        self.conditioned = nn.ModuleList(
            nn.Linear(wide, narrow * len(config.schemes))
            for wide, narrow in itertools.pairwise(sizes[1:])
            if config.schemes
        )
        for parameter in self.conditioned.parameters():
            nn.init.zeros_(parameter)

    def forward(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping = NOTHING_DROPPED
    ) -> Tensor:
        """Label scores [F, K] (before the softmax) of the fragments of a batch.

        `tables` has, for each view with a table, the rows [U, D] that `batch.words` points into.
        """
        features = self._features(batch, tables, dropping)
        return self._judge(self.layers[0](features), batch.schemes, dropping)

    def both_ways(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping = NOTHING_DROPPED
    ) -> tuple[Tensor, Tensor]:
        """Label scores [F, K] twice: told whose schemes to follow, and without a word of that.

        Everything up to the first layer, which is nearly all the work, is computed once for both.
        """
        features = self._features(batch, tables, dropping)
        first = cast(nn.Linear, self.layers[0])
        told = first(features)
        corpora = len(self.config.schemes)
        untold = told - features[:, -corpora:] @ first.weight[:, -corpora:].T
        nobody = torch.zeros_like(batch.schemes)
        return self._judge(told, batch.schemes, dropping), self._judge(untold, nobody, dropping)

    def _features(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> Tensor:
        return dropping.dropout(self.inputs(batch, tables, dropping), dropping.inputs)

    def _judge(self, scores: Tensor, schemes: Tensor, dropping: Dropping) -> Tensor:
        """Label scores [F, K] from what the first layer gives [F, H] before it is rectified."""
        for number, layer in enumerate(self.layers[1:]):
            hidden = dropping.dropout(torch.relu(scores), dropping.hidden)
            scores = layer(hidden)
            if self.conditioned:
                scores = scores + _of_scheme(self.conditioned[number](hidden), schemes)
        return scores

    def inputs(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping = NOTHING_DROPPED
    ) -> Tensor:
        """The features [F, D] of all fragments of a batch, block by block as `input_blocks` lays them out."""
        vectors = self.word_vectors(batch, tables, dropping)
        parts = self._word_codes(vectors, batch) if vectors else []
        if self.config.characters.fofe:
            parts += self._character_codes(batch)
        if self.config.characters.cnn:
            parts.append(
                self.character_cnn(
                    batch.distinct_characters, batch.characters, batch.fragment_starts, batch.fragment_ends
                )
            )
        if self.config.surroundings is not None:
            parts.append(batch.surroundings)
        if self.config.gazetteer is not None:
            parts.append(batch.names.to(parts[0].dtype))
        if self.config.schemes:
            parts.append(batch.schemes.to(parts[0].dtype))
        return torch.cat(parts, dim=1)

    def word_vectors(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping
    ) -> dict[str, Tensor]:
        """For each view, the vectors [T, D] of the words of a batch."""
        vectors: dict[str, Tensor] = {}
        for view in self.config.views:
            if view.lookup == "lexicon":
                means = nn.functional.embedding_bag(
                    batch.words[view.name], tables[view.name], batch.match_offsets, mode="mean"
                )
                vectors[view.name] = means.view(-1, view.width)
            elif view.has_table:
                rows = tables[view.name].index_select(0, batch.words[view.name])
                vectors[view.name] = rows * batch.shares[:, None] if view.lookup == "word" else rows
            elif view.lookup == "spelling":
                # The space symbols around a word tell the kernels where it begins and ends.
                vectors[view.name] = self.spelling[view.name](
                    batch.distinct_characters, batch.characters, batch.word_starts - 1, batch.word_ends + 1
                )
        if self.windows:
            words = dropping.dropout(torch.cat(list(vectors.values()), dim=1), dropping.windows)
            for name, windows in self.windows.items():
                vectors[name] = windows(words, batch.from_start, batch.to_end, dropping)
        return vectors

    def _word_codes(self, vectors: Mapping[str, Tensor], batch: TorchBatch) -> list[Tensor]:
        """The codes [F, D] of all views together, in the order of `input_blocks`."""
        parts: list[Tensor] = []
        in_bag = [vectors[view.name] for view in self.config.views if BAG in view.codes]
        if in_bag:
            words = torch.cat(in_bag, dim=1)
            parts.append(nn.functional.embedding_bag(batch.bag_words, words, batch.bag_offsets, mode="sum"))
        in_context = [view for view in self.config.views if set(view.codes) - {BAG}]
        if not in_context:
            return parts
        words = torch.cat([vectors[view.name] for view in in_context], dim=1)
        nothing = words.new_zeros(1, words.shape[1])
        prefixes, suffixes = scan_both(words, self.config.factor, batch.starts, batch.ends)
        left, right = torch.cat([prefixes, nothing]), torch.cat([suffixes, nothing])
        for code, source, tokens in (
            (LEFT_INCLUDING, left, batch.lasts),
            (LEFT_EXCLUDING, left, batch.before),
            (RIGHT_INCLUDING, right, batch.firsts),
            (RIGHT_EXCLUDING, right, batch.after),
        ):
            used = _columns_of(source, in_context, code)
            if used is not None:
                parts.append(used.index_select(0, tokens))
        return parts

    def _character_codes(self, batch: TorchBatch) -> list[Tensor]:
        """FOFE codes [F, D] of the fragments' characters, left to right and right to left."""
        factor = self.config.characters.factor
        characters = self.characters(batch.distinct_characters).index_select(0, batch.characters)
        left, right = scan_both(characters, factor, batch.character_starts, batch.character_ends)
        # Each word follows a space symbol and is followed by one, so start - 1 and end always exist.
        starts, ends = batch.fragment_starts, batch.fragment_ends
        forgotten = (factor ** (ends - starts).to(characters.dtype))[:, None]
        return [
            left.index_select(0, ends - 1) - forgotten * left.index_select(0, starts - 1),
            right.index_select(0, starts) - forgotten * right.index_select(0, ends),
        ]


class Windows(nn.Module):
    """What a word looks like among its neighbours.

    The first layers see it and two words beside it, those after them it and the codes of all words to its
    left and right, and add what they make of these to what they see.
    """

    def __init__(self, width: int, view: ViewConfig) -> None:
        super().__init__()
        self.dilations = view.dilations
        self.factors = view.context_factors
        widths = [width] + [view.dimension] * (view.window_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(3 * width, view.dimension) for width in widths)
        for layer in self.layers:
            _initialise(layer)

    def forward(self, words: Tensor, from_start: Tensor, to_end: Tensor, dropping: Dropping) -> Tensor:
        """[T, D'] from word vectors [T, D] and the distances [T] to the borders of the sentence."""
        for dilation, layer in zip(self.dilations, self.layers, strict=False):
            before = words.roll(dilation, 0).masked_fill((from_start < dilation)[:, None], 0.0)
            after = words.roll(-dilation, 0).masked_fill((to_end < dilation)[:, None], 0.0)
            words = torch.relu(layer(torch.cat([before, words, after], dim=1)))
        starts, ends = from_start == 0, to_end == 0
        for layer in self.layers[len(self.dilations) :]:
            words = dropping.dropout(words, dropping.contexts)
            left, right = _codes_around(words, self.factors, starts, ends)
            words = words + torch.relu(layer(torch.cat([left, words, right], dim=1)))
        return words


def _codes_around(
    words: Tensor, factors: Sequence[float], starts: Tensor, ends: Tensor
) -> tuple[Tensor, Tensor]:
    """[T, D] twice: the codes of the words before each word, and of those after it, read backwards.

    Each factor serves a share of the dimensions of `words` [T, D]; all codes are as large as with 1/2.
    """
    lefts, rights = [], []
    for part, factor in zip(words.tensor_split(len(factors), dim=1), factors, strict=True):
        left, right = scan_both(part * (2 * (1 - factor)), factor, starts, ends)
        lefts.append(left)
        rights.append(right)
    left = torch.cat(lefts, dim=1).roll(1, 0).masked_fill(starts[:, None], 0.0)
    right = torch.cat(rights, dim=1).roll(-1, 0).masked_fill(ends[:, None], 0.0)
    return left, right


class CharacterConvolution(nn.Module):
    """Kernels of several heights over a stream of characters, and the maximum of each within some ranges."""

    def __init__(self, alphabet_size: int, dimension: int, heights: tuple[int, ...], kernels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(alphabet_size, dimension)
        nn.init.uniform_(self.embedding.weight, -0.25, 0.25)
        self.heights = heights
        self.weights = nn.ParameterList(torch.empty(dimension, height * kernels) for height in heights)
        self.biases = nn.ParameterList(torch.zeros(kernels) for _ in heights)
        for height, weight in zip(heights, self.weights, strict=True):
            bound = (6 / (height * dimension + kernels)) ** 0.5
            nn.init.uniform_(weight, -bound, bound)

    def forward(self, distinct: Tensor, characters: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """[R, kernels * heights]: the maxima over the windows that lie wholly inside each range.

        `characters` [C] points into the `distinct` rows [A] of the alphabet; `starts` and `ends` [R] are
        half-open. A range shorter than a kernel has a 0 there. What a kernel makes of a character at one of
        its places is computed once per distinct character; a window is a sum of such rows.
        """
        embedded = self.embedding(distinct)
        parts = []
        for height, weight, bias in zip(self.heights, self.weights, self.biases, strict=True):
            places = (embedded @ weight).view(len(distinct), height, -1)
            sums = window_sums(places, characters) + bias
            parts.append(range_maximum(sums, starts, ends - height + 1))
        return torch.relu(torch.cat(parts, dim=1))


def _of_scheme(added: Tensor, schemes: Tensor) -> Tensor:
    """[F, N] of what all corpora would add [F, C * N], that of the one in `schemes` [F, C], if any."""
    by_corpus = added.view(len(added), schemes.shape[1], -1)
    return torch.einsum("fcn,fc->fn", by_corpus, schemes.to(added.dtype))


def _columns_of(source: Tensor, views: Sequence[ViewConfig], code: str) -> Tensor | None:
    """Of the codes [T, D] of views side by side, the columns of those that use a code; none without any."""
    if all(code in view.codes for view in views):
        return source
    parts = torch.split(source, [view.width for view in views], dim=1)
    chosen = [part for part, view in zip(parts, views, strict=True) if code in view.codes]
    return torch.cat(chosen, dim=1) if chosen else None


def _initialise(layer: nn.Module) -> None:
    """Glorot-uniform weights and no bias."""
    assert isinstance(layer, nn.Linear)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
