"""The characters of fragments: what character FOFE and the character CNN share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import IntArray
from fofe.features.checks import forgetting_factor, one_of, positive
from fofe.features.encoded import Encoder, Spelling
from fofe.features.feature import ReadText
from fofe.features.fragments import Fragments, covered_tokens

SPELT = "spelt"
ACTIVATIONS = ("relu", "tanh")


@dataclass(frozen=True)
class CharacterConfig:
    """What the network sees of a fragment's own characters."""

    fofe: bool = True
    """Whether it sees their FOFE codes."""
    cnn: bool = True
    """Whether it sees what a convolution makes of them."""
    dimension: int = 64
    factor: float = 0.8
    """FOFE: the forgetting factor."""
    heights: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9)
    """CNN: how many characters the kernels span."""
    kernels: int = 16
    """CNN: how many kernels there are of each height."""
    padding: bool = False
    """CNN: whether kernels also see zeros, one before a fragment and their height behind it."""
    activation: str = "relu"
    """CNN: what the maxima go through."""
    spaces: bool = True
    """Whether a space symbol stands between the words of a fragment."""
    initials: bool = False
    """Whether the network sees the FOFE codes of the first characters of a fragment's words."""

    def __post_init__(self) -> None:
        forgetting_factor(self.factor)
        positive("dimension", self.dimension)
        positive("kernels", self.kernels)
        positive("heights", *self.heights)
        one_of("activation", self.activation, ACTIVATIONS)
        if self.cnn and not self.heights:
            raise ValueError("heights must not be empty while cnn is true")

    @property
    def in_use(self) -> bool:
        """Whether the network sees anything of a fragment's characters."""
        return self.fofe or self.cnn or self.initials


@dataclass(frozen=True)
class SpeltFragments:
    """The characters of F fragments."""

    spelling: Spelling
    starts: IntArray
    """[F] the first character of each fragment."""
    ends: IntArray
    """[F] one past its last character."""


def spelt_fragments(text: ReadText, fragments: Fragments, encoder: Encoder) -> SpeltFragments:
    """Spell the words of fragments, once for all features that read the same ones.

    Only runs of words that fragments cover are spelt: behind a gate these are few.
    """
    if SPELT not in text.shared:
        covered = covered_tokens(fragments, text.bounds.token_count)
        tokens = np.flatnonzero(covered)
        previous = np.append(False, covered[:-1]) & ~text.bounds.starts()
        run_starts = np.flatnonzero(covered & ~previous)
        position = np.cumsum(covered) - 1
        spelling = encoder.spell(
            [text.words[token] for token in tokens.tolist()], np.append(position[run_starts], len(tokens))
        )
        text.shared[SPELT] = SpeltFragments(
            spelling,
            spelling.word_starts[position[fragments.firsts]],
            spelling.word_ends[position[fragments.lasts]],
        )
    spelt: SpeltFragments = text.shared[SPELT]
    return spelt
