"""All fragments of up to n words, and rows of different lengths that are stored in one array."""

from __future__ import annotations

from collections.abc import Collection, Sized
from dataclasses import dataclass

import numpy as np

from fofe.base.arrays import BoolArray, IntArray, running_sums


@dataclass(frozen=True)
class Fragments:
    """Candidate spans as positions in the token stream of an `EncodedText`."""

    sentences: IntArray
    """[F] the sentence of each fragment."""
    firsts: IntArray
    """[F] the first token."""
    lasts: IntArray
    """[F] the last token (inclusive)."""

    def __len__(self) -> int:
        return len(self.firsts)

    def take(self, numbers: IntArray) -> Fragments:
        """Some of the fragments [F'], in the given order."""
        return Fragments(self.sentences[numbers], self.firsts[numbers], self.lasts[numbers])


def covered_tokens(fragments: Fragments, token_count: int) -> BoolArray:
    """[T] whether any of the fragments holds each token."""
    change = np.bincount(fragments.firsts, minlength=token_count + 1)
    change -= np.bincount(fragments.lasts + 1, minlength=token_count + 1)
    covered: BoolArray = running_sums(change)[:-1] > 0
    return covered


def all_fragments(token_offsets: IntArray, max_words: int) -> Fragments:
    """Every fragment of at most `max_words` words of the sentences at `token_offsets` [S + 1].

    They come in the order of sentences, then first tokens, then lengths.
    """
    lengths = np.diff(token_offsets)
    firsts = np.arange(token_offsets[-1])
    sentence_of = np.repeat(np.arange(len(lengths)), lengths)
    room = np.minimum(np.repeat(token_offsets[1:], lengths) - firsts, max_words)
    offsets = np.append(0, running_sums(room))
    extra = np.arange(offsets[-1]) - np.repeat(offsets[:-1], room)
    fragment_firsts = np.repeat(firsts, room)
    return Fragments(np.repeat(sentence_of, room), fragment_firsts, fragment_firsts + extra)


def offsets_of(rows: Collection[Sized]) -> IntArray:
    """[R + 1] where each of R rows begins in one array."""
    return np.append(0, running_sums(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))))


def ragged(offsets: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Indices of the items of some rows of a ragged array, and the offsets of the rows in the result.

    `offsets` is [R + 1], `rows` is [R']; the results are [N'] and [R' + 1].
    """
    lengths = offsets[rows + 1] - offsets[rows]
    new_offsets = np.append(0, running_sums(lengths))
    indices = np.arange(new_offsets[-1]) + np.repeat(offsets[rows] - new_offsets[:-1], lengths)
    return indices, new_offsets
