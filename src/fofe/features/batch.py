"""A batch of sentences and fragments as torch tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fofe.features.dropout import Dropping
from fofe.features.encoded import EncodedText
from fofe.features.fragments import Fragments
from fofe.features.registry import feature_arrays


@dataclass(frozen=True)
class TorchBatch:
    """T tokens and F fragments of them."""

    words: dict[str, Tensor]
    """For each view with a table: [T] positions in the batch's own distinct rows; [M] for a lexicon."""
    arrays: dict[str, Tensor]
    """What features need, by name."""

    def __getitem__(self, name: str) -> Tensor:
        return self.arrays[name]

    def to(self, device: torch.device) -> TorchBatch:
        """The same batch on a device."""
        return TorchBatch(
            {name: rows.to(device) for name, rows in self.words.items()},
            {name: array.to(device) for name, array in self.arrays.items()},
        )


def make_batch(
    text: EncodedText, fragments: Fragments, given: Mapping[str, NDArray[Any]] | None = None
) -> tuple[TorchBatch, dict[str, Tensor]]:
    """The tensors of a batch, and for each view with a table the distinct rows [U] that it needs.

    `given` are the arrays that features cannot make from the text: `names` [F, B], the names of the model's
    gazetteer that fragments match, and `schemes` [F, C], the annotation scheme of each fragment.
    """
    distinct: dict[str, Tensor] = {}
    words: dict[str, Tensor] = {}
    for name, rows in text.rows().items():
        unique, inverse = np.unique(rows, return_inverse=True)
        distinct[name] = torch.from_numpy(unique.astype(np.int64))
        words[name] = torch.from_numpy(inverse.astype(np.int64))
    arrays = _structure(text, fragments) | _characters(text, fragments)
    arrays |= feature_arrays(text, fragments, given or {})
    return TorchBatch(words, {name: torch.from_numpy(array) for name, array in arrays.items()}), distinct


def _structure(text: EncodedText, fragments: Fragments) -> dict[str, NDArray[Any]]:
    """How tokens form sentences and fragments.

    starts, ends: [T] true at the first and at the last token of a sentence.
    from_start, to_end: [T] how many tokens precede and follow each one in its sentence.
    firsts, lasts: [F] the first and the last token of each fragment.
    """
    from_start, to_end = text.distances()
    return {
        "starts": text.starts(),
        "ends": text.ends(),
        "from_start": from_start,
        "to_end": to_end,
        "firsts": fragments.firsts,
        "lasts": fragments.lasts,
    }


def _characters(text: EncodedText, fragments: Fragments) -> dict[str, NDArray[Any]]:
    """The C characters of a text, where a feature reads them.

    distinct_characters: [A] rows of the alphabet, each once.
    characters: [C] positions in these.
    character_starts, character_ends: [C] true at the first and at the last character of a sentence.
    word_starts, word_ends: [T] the half-open characters of each token.
    fragment_starts, fragment_ends: [F] the half-open characters of each fragment.
    """
    spelling = text.spelling
    if spelling is None:
        return {}
    distinct, characters = np.unique(spelling.characters, return_inverse=True)
    return {
        "distinct_characters": distinct.astype(np.int64),
        "characters": characters.astype(np.int64),
        "character_starts": spelling.starts(),
        "character_ends": spelling.ends(),
        "word_starts": spelling.word_starts,
        "word_ends": spelling.word_ends,
        "fragment_starts": spelling.word_starts[fragments.firsts],
        "fragment_ends": spelling.word_ends[fragments.lasts],
    }


class GivenColumns:
    """The twin of a feature without one: passes arrays of a batch on as inputs."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def __call__(self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping) -> list[Tensor]:
        """[F, D] each."""
        return [batch[name] for name in self._names]
