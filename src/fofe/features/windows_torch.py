"""The window view in torch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from fofe.features.batch import Dropping
from fofe.features.fofe_torch import scan_both
from fofe.features.views import ViewConfig


class Windows(nn.Module):
    """The layers of one view."""

    def __init__(self, width: int, view: ViewConfig) -> None:
        super().__init__()
        self.dilations = view.dilations
        self.factors = view.context_factors
        widths = [width] + [view.dimension] * (view.window_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(3 * width, view.dimension) for width in widths)
        for layer in self.layers:
            initialise(layer)

    def forward(self, words: Tensor, from_start: Tensor, to_end: Tensor, dropping: Dropping) -> Tensor:
        """[T, D'] from word vectors [T, D] and the distances [T] to the bounds of the sentence."""
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


def initialise(layer: nn.Module) -> None:
    """Glorot-uniform weights and no bias."""
    assert isinstance(layer, nn.Linear)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
