"""Word initials in torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from fofe.features.batch import Dropping, TorchBatch

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig


class Initials:
    """Codes as sums over the words of each fragment, which are few."""

    def __init__(self, config: ModelConfig, alphabet_size: int) -> None:
        self._factor = config.characters.factor
        self._initials = nn.Embedding(alphabet_size, config.characters.dimension)
        nn.init.uniform_(self._initials.weight, -0.25, 0.25)
        self.modules: dict[str, nn.Module] = {"initials": self._initials}

    def __call__(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> list[Tensor]:
        """The codes [F, D] of fragments' initials, left to right and right to left."""
        rows = batch["distinct_characters"][batch["characters"][batch["word_starts"]]]
        initials = self._initials(rows)
        firsts, lasts = batch["firsts"], batch["lasts"]
        left = right = initials.new_zeros(len(firsts), initials.shape[1])
        for distance in range(int((lasts - firsts).max()) + 1 if len(firsts) else 0):
            weight = (lasts - firsts >= distance).to(initials.dtype)[:, None] * self._factor**distance
            left = left + weight * initials[torch.clamp(lasts - distance, min=0)]
            right = right + weight * initials[torch.clamp(firsts + distance, max=len(initials) - 1)]
        return [left, right]
