"""What the names that fragments match add to the first layer, in the tagging engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.encoded import Encoder, SentenceBounds
from fofe.features.fragments import Fragments
from fofe.features.layout import NAMES, Block


class FragmentNames:
    """Looks fragments up in the gazetteer of a model, if it has one."""

    def __init__(self, encoder: Encoder, weights: Mapping[str, FloatArray], blocks: Sequence[Block]) -> None:
        block = next((block for block in blocks if block.code == NAMES), None)
        self._table = None
        if block is not None:
            assert encoder.names is not None, "a model with a gazetteer has its names"
            self._table = encoder.names
            self._weight = np.ascontiguousarray(weights["layers.0.weight"][:, block.start : block.end].T)

    def of(self, words: Sequence[str], bounds: SentenceBounds, fragments: Fragments) -> NamedFragments | None:
        """What the fragments of some sentences match; none without a gazetteer."""
        if self._table is None:
            return None
        found = self._table.look_up(words, bounds.token_offsets, fragments)
        return NamedFragments(found.rows, found.patterns.astype(np.float32) @ self._weight)


@dataclass(frozen=True)
class NamedFragments:
    """The matches of the fragments of one batch."""

    rows: IntArray
    """[F] the pattern of each fragment, 0 where nothing matches."""
    projected: FloatArray
    """[P, H] what each pattern adds."""

    def add_to(self, hidden: FloatArray, part: slice) -> None:
        """Add to the first layer's sums [F', H] of some of the fragments."""
        rows = self.rows[part]
        matched = np.flatnonzero(rows)
        hidden[matched] += self.projected[rows[matched]]
