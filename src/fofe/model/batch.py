"""A batch of sentences and fragments as torch tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fofe.base.arrays import BoolArray
from fofe.features.encoded import EncodedText, Spelling
from fofe.features.fragments import Fragments

_NOTHING = np.zeros(0, dtype=np.int64)
_UNSPELT = Spelling(_NOTHING, np.zeros(1, dtype=np.int64), _NOTHING, _NOTHING)


@dataclass(frozen=True)
class TorchBatch:
    """T tokens, C characters, F fragments."""

    words: dict[str, Tensor]
    """For each view with a table: [T] positions in the batch's own distinct rows; [M] for a lexicon."""
    match_offsets: Tensor
    """[4 T] where the words of a lexicon begin that each token has each place in; [0] without one."""
    shares: Tensor
    """[T] what part of the segmented word that holds it each token is; [0] without a segmenter."""
    starts: Tensor
    """[T] true at the first token of a sentence."""
    ends: Tensor
    """[T] true at the last token of a sentence."""
    from_start: Tensor
    """[T] how many tokens stand before this one in its sentence."""
    to_end: Tensor
    """[T] how many tokens stand after this one in its sentence."""
    names: Tensor
    """[F, B] which names of the gazetteer each fragment matches; [F, 0] without one."""
    surroundings: Tensor
    """[F, 2 D] what the sentence of each fragment and those around it are about; [F, 0] if nobody tells."""
    schemes: Tensor
    """[F, C] of which corpus the schemes are that each fragment is judged by; [F, 0] without any."""
    firsts: Tensor
    """[F] first token of each fragment."""
    lasts: Tensor
    """[F] last token of each fragment."""
    before: Tensor
    """[F] the token before the fragment, T where there is none."""
    after: Tensor
    """[F] the token after the fragment, T where there is none."""
    bag_words: Tensor
    """[B] the tokens of all fragments, one after another."""
    bag_offsets: Tensor
    """[F] where each fragment's tokens begin in `bag_words`."""
    distinct_characters: Tensor
    """[A] rows of the alphabet, each once."""
    characters: Tensor
    """[C] positions in `distinct_characters`."""
    character_starts: Tensor
    """[C] true at the first character of a sentence."""
    character_ends: Tensor
    """[C] true at the last character of a sentence."""
    word_starts: Tensor
    word_ends: Tensor
    """[T] the half-open characters of each token."""
    fragment_starts: Tensor
    fragment_ends: Tensor
    """[F] the half-open characters of each fragment."""

    def to(self, device: torch.device) -> TorchBatch:
        """The same batch on a device."""
        moved: dict[str, Any] = {
            name: {view: rows.to(device) for view, rows in value.items()}
            if isinstance(value, dict)
            else value.to(device)
            for name, value in vars(self).items()
        }
        return TorchBatch(**moved)


def make_batch(
    text: EncodedText,
    fragments: Fragments,
    names: BoolArray | None = None,
    schemes: BoolArray | None = None,
) -> tuple[TorchBatch, dict[str, Tensor]]:
    """The tensors of a batch, and for each view with a table the distinct rows [U] that it needs.

    `names` [F, B] says which names of the model's gazetteer the fragments match, `schemes` [F, C] which
    corpus's schemes they are judged by.
    """
    distinct: dict[str, Tensor] = {}
    words: dict[str, Tensor] = {}
    for name, rows in text.rows().items():
        unique, inverse = np.unique(rows, return_inverse=True)
        distinct[name] = torch.from_numpy(unique.astype(np.int64))
        words[name] = torch.from_numpy(inverse.astype(np.int64))
    starts, ends = text.starts(), text.ends()
    from_start, to_end = text.distances()
    none = text.token_count
    firsts, lasts = fragments.firsts, fragments.lasts
    lengths = lasts - firsts + 1
    bag_offsets = np.zeros(len(firsts), dtype=np.int64)
    np.cumsum(lengths[:-1], out=bag_offsets[1:])
    bag = np.arange(lengths.sum()) + np.repeat(firsts - bag_offsets, lengths)
    nothing = np.zeros((len(firsts), 0), dtype=bool)
    spelling = text.spelling or _UNSPELT
    distinct_characters, characters = np.unique(spelling.characters, return_inverse=True)
    return (
        TorchBatch(
            words=words,
            match_offsets=torch.from_numpy(
                next((matches.offsets[:-1] for matches in text.matches.values()), _NOTHING)
            ),
            shares=torch.from_numpy(text.segments.shares if text.segments else _NOTHING),
            starts=torch.from_numpy(starts),
            ends=torch.from_numpy(ends),
            from_start=torch.from_numpy(from_start),
            to_end=torch.from_numpy(to_end),
            names=torch.from_numpy(nothing if names is None else names),
            surroundings=torch.from_numpy(
                nothing if text.surroundings is None else text.surroundings[fragments.sentences]
            ),
            schemes=torch.from_numpy(nothing if schemes is None else schemes),
            firsts=torch.from_numpy(firsts),
            lasts=torch.from_numpy(lasts),
            before=torch.from_numpy(np.where(starts[firsts], none, firsts - 1)),
            after=torch.from_numpy(np.where(ends[lasts], none, lasts + 1)),
            bag_words=torch.from_numpy(bag),
            bag_offsets=torch.from_numpy(bag_offsets),
            distinct_characters=torch.from_numpy(distinct_characters.astype(np.int64)),
            characters=torch.from_numpy(characters.astype(np.int64)),
            character_starts=torch.from_numpy(spelling.starts()),
            character_ends=torch.from_numpy(spelling.ends()),
            word_starts=torch.from_numpy(spelling.word_starts),
            word_ends=torch.from_numpy(spelling.word_ends),
            fragment_starts=torch.from_numpy(spelling.word_starts[firsts] if text.spelling else _NOTHING),
            fragment_ends=torch.from_numpy(spelling.word_ends[lasts] if text.spelling else _NOTHING),
        ),
        distinct,
    )
