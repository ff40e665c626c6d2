"""What the characters of fragments add to the first layer, in the tagging engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.config import ModelConfig
from fofe.features.encoded import Encoder, SentenceBounds
from fofe.features.fofe import scan, scan_back
from fofe.features.fragments import Fragments, covered_tokens
from fofe.features.layout import CHARACTER_CNN, CHARACTER_LEFT, CHARACTER_RIGHT, Block
from fofe.model.numpy_ops import Convolution, ConvolutionTable


class FragmentCharacters:
    """Character FOFE by differences of prefix codes, the character CNN by range maxima."""

    def __init__(
        self,
        config: ModelConfig,
        encoder: Encoder,
        weights: Mapping[str, FloatArray],
        blocks: Sequence[Block],
    ) -> None:
        self._encoder = encoder
        self._factor = config.characters.factor
        first = weights["layers.0.weight"]
        self._weights = {
            block.code: np.ascontiguousarray(first[:, block.start : block.end].T)
            for block in blocks
            if block.code in (CHARACTER_LEFT, CHARACTER_RIGHT, CHARACTER_CNN)
        }
        if config.characters.fofe:
            self._vectors = weights["characters.weight"]
        if config.characters.cnn:
            self._cnn = Convolution.from_weights(weights, "character_cnn.", config.characters.heights)

    def of(self, words: Sequence[str], bounds: SentenceBounds, fragments: Fragments) -> SpeltFragments | None:
        """Spell the words [T] that stand in the fragments; none where no feature reads characters.

        Only runs of words that fragments cover are spelt: behind a gate these are few.
        """
        if not self._weights:
            return None
        covered = covered_tokens(fragments, bounds.token_count)
        tokens = np.flatnonzero(covered)
        previous = np.append(False, covered[:-1]) & ~bounds.starts()
        run_starts = np.flatnonzero(covered & ~previous)
        place = np.cumsum(covered) - 1
        spelling = self._encoder.spell(
            [words[token] for token in tokens.tolist()], np.append(place[run_starts], len(tokens))
        )
        starts = spelling.word_starts[place[fragments.firsts]]
        ends = spelling.word_ends[place[fragments.lasts]]
        spelt = SpeltFragments(starts, ends, self._weights, self._factor)
        if CHARACTER_LEFT in self._weights:
            vectors = self._vectors.take(spelling.characters, axis=0)
            spelt.left = scan(vectors, self._factor, spelling.starts(), few_and_long=True)
            spelt.right = np.ascontiguousarray(
                scan_back(vectors, self._factor, spelling.ends(), few_and_long=True)
            )
        if CHARACTER_CNN in self._weights:
            longest = int((ends - starts).max(initial=1))
            spelt.cnn = self._cnn.table(spelling.characters, longest)
        return spelt


class SpeltFragments:
    """The characters of the fragments of one batch."""

    def __init__(
        self, starts: IntArray, ends: IntArray, weights: Mapping[str, FloatArray], factor: float
    ) -> None:
        self._starts, self._ends = starts, ends
        self._weights = weights
        self._factor = factor
        self.left: FloatArray = np.zeros((0, 0), dtype=np.float32)
        self.right: FloatArray = self.left
        self.cnn: ConvolutionTable | None = None

    def add_to(self, hidden: FloatArray, part: slice) -> None:
        """Add to the first layer's sums [F', H] of some of the fragments."""
        starts, ends = self._starts[part], self._ends[part]
        if CHARACTER_LEFT in self._weights:
            # Every word follows a space symbol and is followed by one: start - 1 and end always exist.
            forgotten = (self._factor ** (ends - starts)).astype(np.float32)[:, None]
            left = self.left.take(ends - 1, axis=0) - forgotten * self.left.take(starts - 1, axis=0)
            right = self.right.take(starts, axis=0) - forgotten * self.right.take(ends, axis=0)
            hidden += left @ self._weights[CHARACTER_LEFT]
            hidden += right @ self._weights[CHARACTER_RIGHT]
        if self.cnn is not None:
            hidden += self.cnn.maxima(starts, ends) @ self._weights[CHARACTER_CNN]
