"""Character FOFE in torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torch import Tensor, nn

from fofe.features.batch import TorchBatch
from fofe.features.dropout import Dropping
from fofe.features.fofe_torch import scan_both

if TYPE_CHECKING:
    from fofe.features.config import ModelConfig


class CharacterFofe:
    """Codes by differences of prefix codes."""

    def __init__(self, config: ModelConfig, alphabet_size: int) -> None:
        self._factor = config.characters.factor
        self._characters = nn.Embedding(alphabet_size, config.characters.dimension)
        nn.init.uniform_(self._characters.weight, -0.25, 0.25)
        self.modules: dict[str, nn.Module] = {"characters": self._characters}

    def __call__(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> list[Tensor]:
        """The codes [F, D] of fragments' characters, left to right and right to left."""
        characters = self._characters(batch["distinct_characters"]).index_select(0, batch["characters"])
        left, right = scan_both(characters, self._factor, batch["character_starts"], batch["character_ends"])
        # Each word follows a space symbol and is followed by one, so start - 1 and end always exist.
        starts, ends = batch["fragment_starts"], batch["fragment_ends"]
        forgotten = (self._factor ** (ends - starts).to(characters.dtype))[:, None]
        return [
            left.index_select(0, ends - 1) - forgotten * left.index_select(0, starts - 1),
            right.index_select(0, starts) - forgotten * right.index_select(0, ends),
        ]
