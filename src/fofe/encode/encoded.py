"""Sentences as integers: what both the training network and the tagging engine start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fofe._arrays import BoolArray, IntArray
from fofe.encode.vocabulary import Alphabet, Vocabulary


@dataclass(frozen=True)
class EncodedText:
    """Some sentences one after another, T tokens and C characters in all.

    The characters of a sentence are its words, each between space symbols: ` w1 w2 ... `.
    """

    words: dict[str, IntArray]
    """For each view with a table: [T] rows."""
    token_offsets: IntArray
    """[S + 1] where each sentence's tokens begin."""
    opens: BoolArray
    """[S] whether a sentence opens a context; one that does not shares that of the sentence before."""
    characters: IntArray
    """[C] rows of the alphabet; empty where no feature reads characters."""
    character_offsets: IntArray
    """[S + 1] where each sentence's characters begin."""
    word_starts: IntArray
    """[T] first character of each token."""
    word_ends: IntArray
    """[T] one past the last character of each token."""

    def __len__(self) -> int:
        return len(self.token_offsets) - 1

    @property
    def token_count(self) -> int:
        return int(self.token_offsets[-1])

    def take(self, sentences: IntArray, opens: BoolArray | None = None) -> EncodedText:
        """The text of some sentences [S'] in the given order; `opens` [S'] says which open a context."""
        tokens, token_offsets = ragged(self.token_offsets, sentences)
        characters, character_offsets = ragged(self.character_offsets, sentences)
        lengths = np.diff(token_offsets)
        moved = np.repeat(character_offsets[:-1] - self.character_offsets[sentences], lengths)
        has_characters = len(self.characters) > 0
        return EncodedText(
            words={name: rows[tokens] for name, rows in self.words.items()},
            token_offsets=token_offsets,
            opens=np.ones(len(sentences), dtype=bool) if opens is None else opens,
            characters=self.characters[characters],
            character_offsets=character_offsets,
            word_starts=self.word_starts[tokens] + moved if has_characters else self.word_starts,
            word_ends=self.word_ends[tokens] + moved if has_characters else self.word_ends,
        )

    def context_offsets(self) -> IntArray:
        """[N + 1] where the tokens of each context begin."""
        return np.append(self.token_offsets[:-1][self.opens], self.token_count)

    def starts(self) -> BoolArray:
        """[T] true at the first token of every context."""
        return _marks(self.context_offsets()[:-1], self.token_count)

    def ends(self) -> BoolArray:
        """[T] true at the last token of every context."""
        return _marks(self.context_offsets()[1:] - 1, self.token_count)

    def sentence_starts(self) -> BoolArray:
        """[T] true at the first token of every sentence."""
        return _marks(self.token_offsets[:-1], self.token_count)

    def sentence_ends(self) -> BoolArray:
        """[T] true at the last token of every sentence."""
        return _marks(self.token_offsets[1:] - 1, self.token_count)

    def distances(self) -> tuple[IntArray, IntArray]:
        """[T] and [T]: how many tokens stand before and after each one in its context."""
        offsets = self.context_offsets()
        lengths = np.diff(offsets)
        from_start = np.arange(self.token_count) - np.repeat(offsets[:-1], lengths)
        return from_start, np.repeat(lengths, lengths) - 1 - from_start


def _marks(positions: IntArray, count: int) -> BoolArray:
    marks = np.zeros(count, dtype=bool)
    marks[positions] = True
    return marks


def ragged(offsets: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Indices of the items of some rows of a ragged array, and the offsets of the rows in the result.

    `offsets` is [R + 1], `rows` is [R']; the results are [N'] and [R' + 1].
    """
    lengths = offsets[rows + 1] - offsets[rows]
    new_offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=new_offsets[1:])
    indices = np.arange(new_offsets[-1]) + np.repeat(offsets[rows] - new_offsets[:-1], lengths)
    return indices, new_offsets


class Encoder:
    """Turns sentences of words into an `EncodedText`."""

    def __init__(self, vocabularies: Mapping[str, Vocabulary], alphabet: Alphabet | None) -> None:
        self.vocabularies = dict(vocabularies)
        self.alphabet = alphabet

    def encode(self, sentences: Sequence[Sequence[str]], opens: Sequence[bool] | None = None) -> EncodedText:
        """Encode sentences of at least one word each; `opens` says which open a context (default: all)."""
        words = [word for sentence in sentences for word in sentence]
        lengths = np.fromiter((len(sentence) for sentence in sentences), dtype=np.int64, count=len(sentences))
        token_offsets = np.zeros(len(sentences) + 1, dtype=np.int64)
        np.cumsum(lengths, out=token_offsets[1:])
        characters, starts, ends, character_offsets = self._spell(words, token_offsets)
        return EncodedText(
            words={name: vocabulary.rows(words) for name, vocabulary in self.vocabularies.items()},
            token_offsets=token_offsets,
            opens=np.ones(len(sentences), dtype=bool) if opens is None else np.asarray(opens, dtype=bool),
            characters=characters,
            character_offsets=character_offsets,
            word_starts=starts,
            word_ends=ends,
        )

    def _spell(
        self, words: Sequence[str], token_offsets: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Characters [C] of all words, starts and ends [T] of the words, offsets [S + 1] of the sentences."""
        if self.alphabet is None:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing.astype(np.int32), nothing, nothing, np.zeros_like(token_offsets)
        distinct: dict[str, list[int]] = {}
        spelt: list[int] = []
        spell = self.alphabet.rows
        for word in words:
            rows = distinct.get(word)
            if rows is None:
                rows = distinct[word] = [*spell(word), Alphabet.SPACE]
            spelt += rows
        lengths = np.fromiter((len(distinct[word]) for word in words), dtype=np.int64, count=len(words))
        # Each sentence opens with a space symbol, each word is followed by one.
        sentence_of_word = np.repeat(np.arange(len(token_offsets) - 1), np.diff(token_offsets))
        ends = np.cumsum(lengths) + sentence_of_word
        starts = ends - lengths + 1
        total = len(spelt) + len(token_offsets) - 1
        characters = np.full(total, Alphabet.SPACE, dtype=np.int32)
        inside = np.ones(total, dtype=bool)
        character_offsets = np.zeros(len(token_offsets), dtype=np.int64)
        character_offsets[1:] = np.append(0, np.cumsum(lengths))[token_offsets[1:]]
        character_offsets += np.arange(len(token_offsets))
        inside[character_offsets[:-1]] = False
        characters[inside] = spelt
        return characters, starts, ends, character_offsets
