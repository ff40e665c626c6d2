"""The characters of fragments in torch: FOFE codes and the convolution."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from fofe.features.batch import Dropping, TorchBatch
from fofe.features.characters import CNN, padded
from fofe.features.config import CharacterConfig, ModelConfig
from fofe.features.fofe_torch import SCATTERED, codes_both, scan_both


class CharacterFofe:
    """Codes by differences of prefix codes."""

    module = "characters"

    def __init__(self, config: ModelConfig, alphabet_size: int) -> None:
        self._factor = config.characters.factor
        self._vectors = nn.Embedding(alphabet_size, config.characters.dimension)
        nn.init.uniform_(self._vectors.weight, -0.25, 0.25)
        self.modules: dict[str, nn.Module] = {self.module: self._vectors}

    def __call__(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> list[Tensor]:
        """The codes [F, D] of fragments' characters, left to right and right to left."""
        characters = self._vectors(batch["distinct_characters"]).index_select(0, batch["characters"])
        starts, ends = batch["fragment_starts"], batch["fragment_ends"]
        if len(batch["starts"]) > SCATTERED * len(starts):
            return codes_both(characters, self._factor, starts, ends)
        left, right = scan_both(characters, self._factor, batch["character_starts"], batch["character_ends"])
        # Each word follows a space symbol and is followed by one, so start - 1 and end always exist.
        forgotten = (self._factor ** (ends - starts).to(characters.dtype))[:, None]
        return [
            left.index_select(0, ends - 1) - forgotten * left.index_select(0, starts - 1),
            right.index_select(0, starts) - forgotten * right.index_select(0, ends),
        ]


class Initials(CharacterFofe):
    """Codes as sums over the words of each fragment, which are few."""

    module = "initials"

    def __call__(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> list[Tensor]:
        """The codes [F, D] of fragments' initials, left to right and right to left."""
        initials = self._vectors(batch["distinct_characters"][batch["characters"][batch["word_starts"]]])
        return codes_both(initials, self._factor, batch["firsts"], batch["lasts"] + 1)


class CharacterCnn:
    """What kernels make of fragments' characters."""

    def __init__(self, config: ModelConfig, alphabet_size: int) -> None:
        self._convolution = CharacterConvolution(alphabet_size, config.characters)
        self.modules: dict[str, nn.Module] = {CNN: self._convolution}

    def __call__(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> list[Tensor]:
        """The maxima [F, D] within each fragment."""
        return [self._convolution(batch, batch["fragment_starts"], batch["fragment_ends"])]


class CharacterConvolution(nn.Module):
    """Kernels of several heights over a stream of characters, and the maximum of each within some ranges."""

    def __init__(self, alphabet_size: int, settings: CharacterConfig) -> None:
        super().__init__()
        self._settings = settings
        dimension, heights, kernels = settings.dimension, settings.heights, settings.kernels
        self.embedding = nn.Embedding(alphabet_size, dimension)
        nn.init.uniform_(self.embedding.weight, -0.25, 0.25)
        self.weights = nn.ParameterList(torch.empty(dimension, height * kernels) for height in heights)
        self.biases = nn.ParameterList(torch.zeros(kernels) for _ in heights)
        for height, weight in zip(heights, self.weights, strict=True):
            bound = (6 / (height * dimension + kernels)) ** 0.5
            nn.init.uniform_(weight, -bound, bound)

    def forward(self, batch: TorchBatch, starts: Tensor, ends: Tensor) -> Tensor:
        """[R, kernels * heights]: the maxima over the windows that lie wholly inside each range.

        `starts` and `ends` [R] are half-open ranges of the batch's characters. A range shorter than a kernel
        has a 0 there. What a kernel makes of a character at one of its places is computed once per distinct
        character; a window is a sum of such rows.
        """
        distinct, characters = batch["distinct_characters"], batch["characters"]
        embedded, heights = self.embedding(distinct), self._settings.heights
        if self._settings.padding:
            stream, first, end = (tensor.cpu().numpy() for tensor in (characters, starts, ends))
            arrays = padded(stream, first, end, len(distinct), max(heights))
            characters, starts, ends = (torch.from_numpy(array).to(distinct.device) for array in arrays)
            embedded = torch.cat([embedded, embedded.new_zeros(1, embedded.shape[1])])
        parts = []
        for height, weight, bias in zip(heights, self.weights, self.biases, strict=True):
            places = (embedded @ weight).view(len(embedded), height, -1)
            sums = window_sums(places, characters) + bias
            parts.append(range_maximum(sums, starts, ends - height + 1))
        maxima = torch.cat(parts, dim=1)
        return torch.tanh(maxima) if self._settings.activation == "tanh" else torch.relu(maxima)


def range_maximum(values: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """The maximum [R, D] of `values` [T, D] in each half-open range [R]; 0 where a range is empty."""
    lengths = (ends - starts).clamp(min=0)
    offsets = torch.zeros_like(lengths)
    offsets[1:] = lengths[:-1].cumsum(0)
    rows = torch.arange(int(lengths.sum()), device=values.device)
    rows = rows + torch.repeat_interleave(starts - offsets, lengths)
    if not len(rows):
        return values.new_zeros(len(starts), values.shape[1])
    return nn.functional.embedding_bag(rows, values, offsets, mode="max")


def window_sums(places: Tensor, symbols: Tensor) -> Tensor:
    """For each window of h symbols, the sum [C - h + 1, D] of what each symbol adds at its place.

    `places` is [A, h, D]: row a at place p; `symbols` [C] points into it.
    """
    sums: Tensor = _WindowSums.apply(places, symbols)  # type: ignore[no-untyped-call]
    return sums


class _WindowSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, places: Tensor, symbols: Tensor) -> Tensor:
        ctx.save_for_backward(symbols)
        ctx.shape = places.shape
        height = places.shape[1]
        count = max(len(symbols) - height + 1, 0)
        sums = places.new_zeros(count, places.shape[2])
        for place in range(height):
            sums += places[:, place].index_select(0, symbols[place : place + count])
        return sums

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (symbols,) = ctx.saved_tensors
        alphabet, height, width = ctx.shape
        by_place = gradient.new_zeros(height, alphabet, width)
        for place in range(height):
            by_place[place].index_add_(0, symbols[place : place + len(gradient)], gradient)
        return by_place.transpose(0, 1), None
