"""What the features get in torch: a batch of sentences and fragments, and what is dropped while training."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fofe.features import registry
from fofe.features.encoded import EncodedText
from fofe.features.fragments import Fragments

TorchBatch = dict[str, Tensor]
"""T tokens and F fragments of them: what features need, by name; see `make_batch`."""


def positions_name(view: str) -> str:
    """The name of the positions [T] that a view's words have in the batch's own rows; [M] for a lexicon."""
    return f"positions of {view}"


def contextual_name(view: str) -> str:
    """The name of what an encoder view sees of each token, [T, L * D]."""
    return f"contextual vectors of {view}"


def make_batch(
    text: EncodedText, fragments: Fragments, given: Mapping[str, NDArray[Any]] | None = None
) -> tuple[TorchBatch, dict[str, Tensor]]:
    """The tensors of a batch, and for each view with a table the distinct rows [U] that it needs.

    `given` are the arrays that features cannot make from the text: `names` [F, B], the names of the model's
    gazetteer that fragments match, and `schemes` [F, C], the annotation scheme of each fragment. Besides
    these, the positions of words, and what features have of their own (`Feature.arrays`) there are:

    starts, ends: [T] true at the first and at the last token of a sentence.
    from_start, to_end: [T] how many tokens precede and follow each one in its sentence.
    firsts, lasts: [F] the first and the last token of each fragment.
    """
    distinct: dict[str, Tensor] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, rows in text.rows().items():
        unique, inverse = np.unique(rows, return_inverse=True)
        distinct[name] = torch.from_numpy(unique.astype(np.int64))
        arrays[positions_name(name)] = inverse.astype(np.int64)
    arrays |= {contextual_name(name): vectors for name, vectors in text.contextual.items()}
    arrays |= {"starts": text.starts(), "ends": text.ends()}
    arrays |= {"from_start": text.from_start, "to_end": text.to_end}
    arrays |= {"firsts": fragments.firsts, "lasts": fragments.lasts, **_characters(text, fragments)}
    for feature in registry.FEATURES:
        arrays |= feature.arrays(text, fragments)
    arrays |= given or {}
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, distinct


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


class Dropout:
    """Drops a share of the values and scales the rest, with random bytes of its own.

    Eight choices from one 64-bit draw: several times as fast as drawing a float for each on a CPU. The
    share is rounded to 1/256.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.SFC64(seed)

    def __call__(self, values: Tensor, share: float) -> Tensor:
        dropped = min(round(share * 256), 255)
        if not dropped:
            return values
        draws = self._random.random_raw((values.numel() + 7) // 8).view(np.uint8)[: values.numel()]
        kept = torch.from_numpy(draws).view(values.shape) >= dropped
        return values * kept.to(values.device, values.dtype).mul_(256 / (256 - dropped))


@dataclass(frozen=True)
class Dropping:
    """The shares of values that are dropped while training, by where in the network they are."""

    dropout: Dropout
    inputs: float = 0.0
    """Of the input features."""
    hidden: float = 0.0
    """Of the hidden units."""
    windows: float = 0.0
    """Of the word vectors' numbers, before window views read them."""
    contexts: float = 0.0
    """Of what the context layers of window views read."""


NOTHING_DROPPED = Dropping(Dropout(0))
