"""Sentences as integers: what both the training network and the tagging engine start from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fofe.base.arrays import BoolArray, FloatArray, IntArray, running_sums
from fofe.features.config import ModelConfig
from fofe.features.fragments import offsets_of, ragged
from fofe.features.lexicon import Matches, WordFinder
from fofe.features.name_table import NameTable
from fofe.features.vocabulary import Alphabet, Vocabulary
from fofe.text.segment import InWord, in_words, segmenter

Row = TypeVar("Row", bound=np.generic)
Key = str | InWord
"""What the vectors of an isolated token depend on: the token, or the token in the words that hold it."""


@dataclass(frozen=True)
class SentenceBounds:
    """How T tokens form S sentences. Nothing is read across the bounds of a sentence."""

    token_offsets: IntArray
    """[S + 1] where each sentence's tokens begin."""

    def __len__(self) -> int:
        return len(self.token_offsets) - 1

    @property
    def token_count(self) -> int:
        return int(self.token_offsets[-1])

    def starts(self) -> BoolArray:
        """[T] true at the first token of every sentence."""
        return _marks(self.token_offsets[:-1], self.token_count)

    def ends(self) -> BoolArray:
        """[T] true at the last token of every sentence."""
        return _marks(self.token_offsets[1:] - 1, self.token_count)

    @cached_property
    def from_start(self) -> IntArray:
        """[T] how many tokens precede each one in its sentence."""
        return np.arange(self.token_count) - np.repeat(self.token_offsets[:-1], np.diff(self.token_offsets))

    @cached_property
    def to_end(self) -> IntArray:
        """[T] how many tokens follow each one in its sentence."""
        ends = np.repeat(self.token_offsets[1:], np.diff(self.token_offsets))
        return ends - 1 - np.arange(self.token_count)

    def beside(self, rows: NDArray[Row], by: int) -> NDArray[Row]:
        """Of rows [T, ...] those `by` tokens further on, or further back if negative; 0 beyond a sentence."""
        if not by:
            return rows
        moved = np.roll(rows, -by, axis=0)
        moved[self.to_end < by if by > 0 else self.from_start < -by] = 0
        return moved


@dataclass(frozen=True)
class Spelling(SentenceBounds):
    """The characters of some words, C in all: each sentence (or other run of words) is ` w1 w2 ... `.

    Without spaces between words it is ` w1w2... `. The tokens of its bounds are the characters.
    """

    characters: IntArray
    """[C] rows of the alphabet."""
    word_starts: IntArray
    """[T] first character of each word."""
    word_ends: IntArray
    """[T] one past the last character of each word."""

    def take(self, sentences: IntArray, tokens: IntArray, token_offsets: IntArray) -> Spelling:
        """The characters of some sentences, whose tokens [T'] and token offsets [S' + 1] are given."""
        characters, offsets = ragged(self.token_offsets, sentences)
        moved = np.repeat(offsets[:-1] - self.token_offsets[sentences], np.diff(token_offsets))
        starts, ends = self.word_starts[tokens] + moved, self.word_ends[tokens] + moved
        return Spelling(offsets, self.characters[characters], starts, ends)


@dataclass(frozen=True)
class Pieces(SentenceBounds):
    """The pieces that a language model cuts T tokens into, P in all."""

    ids: IntArray
    """[P] rows of the model's own table."""
    piece_offsets: IntArray
    """[T + 1] where each token's pieces begin."""

    def take(self, tokens: IntArray, token_offsets: IntArray) -> Pieces:
        """The pieces of some tokens [T'], which form sentences at [S' + 1]."""
        chosen, piece_offsets = ragged(self.piece_offsets, tokens)
        return Pieces(token_offsets, self.ids[chosen], piece_offsets)


@dataclass(frozen=True)
class EncodedText(SentenceBounds):
    """Some sentences one after another, as integers."""

    words: dict[str, IntArray]
    """For each view with a table: [T] rows."""
    spelling: Spelling | None
    """Where a feature reads characters."""
    shares: FloatArray | None = None
    """[T] one over the number of tokens of the segmented word that holds each, where a view needs it."""
    positions_in_word: IntArray | None = None
    """[T] how many tokens of that word precede each."""
    matches: dict[str, Matches] = field(default_factory=dict)
    """For a view with a lexicon: the words that run through each token."""
    surroundings: FloatArray | None = None
    """[S, 2 D] the subject of each sentence and of those around it, where the network sees it."""
    contextual: dict[str, FloatArray] = field(default_factory=dict)
    """For each encoder view that is not trained: [T, L * D] what its language model made of the sentences."""
    pieces: dict[str, Pieces] = field(default_factory=dict)
    """For each encoder view that is trained: what its language model reads."""

    def rows(self) -> dict[str, IntArray]:
        """For each view with a table: all rows that the text needs of it, some of them more than once."""
        return self.words | {name: matches.rows for name, matches in self.matches.items()}

    def take(self, sentences: IntArray) -> EncodedText:
        """The text of some sentences [S'] in the given order."""
        tokens, token_offsets = ragged(self.token_offsets, sentences)
        return EncodedText(
            token_offsets=token_offsets,
            words={name: rows[tokens] for name, rows in self.words.items()},
            spelling=self.spelling and self.spelling.take(sentences, tokens, token_offsets),
            shares=None if self.shares is None else self.shares[tokens],
            positions_in_word=None if self.positions_in_word is None else self.positions_in_word[tokens],
            matches={name: matches.take(tokens) for name, matches in self.matches.items()},
            surroundings=None if self.surroundings is None else self.surroundings[sentences],
            contextual={name: vectors[tokens] for name, vectors in self.contextual.items()},
            pieces={name: pieces.take(tokens, token_offsets) for name, pieces in self.pieces.items()},
        )


def _marks(positions: IntArray, count: int) -> BoolArray:
    marks = np.zeros(count, dtype=bool)
    marks[positions] = True
    return marks


class Encoder:
    """Turns sentences of tokens into an `EncodedText`."""

    def __init__(
        self,
        config: ModelConfig,
        vocabularies: Mapping[str, Vocabulary],
        alphabet: Alphabet | None,
        names: NameTable | None = None,
    ) -> None:
        """The encoder of a model; an error says what to install if its segmenter is missing."""
        self.vocabularies = dict(vocabularies)
        self.alphabet = alphabet
        self.names = names
        self._separator = " " if config.characters.spaces else ""
        self._segmented = [view.name for view in config.views if view.lookup == "word"]
        self._segment = segmenter(config.segmenter) if config.segmenter and self._segmented else None
        lexicons = [view for view in config.views if view.lookup == "lexicon"]
        self._lexicon = lexicons[0].name if lexicons else None
        self._finder = WordFinder(self.vocabularies[lexicons[0].holder]) if lexicons else None

    def encode(self, sentences: Sequence[Sequence[str]]) -> EncodedText:
        """Encode sentences of at least one token each."""
        tokens = [token for sentence in sentences for token in sentence]
        return self._encode(tokens, self.in_words(sentences), offsets_of(sentences))

    def encode_isolated(self, keys: Sequence[Key]) -> EncodedText:
        """Encode isolated tokens, one sequence each."""
        tokens = [key if isinstance(key, str) else key.token for key in keys]
        held = [key for key in keys if isinstance(key, InWord)]
        return self._encode(tokens, held, np.arange(len(tokens) + 1))

    def in_words(self, sentences: Sequence[Sequence[str]]) -> list[InWord]:
        """Each token in the words that hold it; nothing without a segmenter and a lexicon."""
        if self._segment is None and self._finder is None:
            return []
        return [token for sentence in sentences for token in self._in_words(sentence)]

    def _in_words(self, sentence: Sequence[str]) -> Iterable[InWord]:
        alone = (InWord(token, token, 0, 1) for token in sentence)
        held = alone if self._segment is None else in_words(sentence, self._segment)
        if self._finder is None:
            return held
        through = self._finder.find(sentence)
        return (token._replace(found=found) for token, found in zip(held, through, strict=True))

    def _encode(self, tokens: Sequence[str], held: Sequence[InWord], offsets: IntArray) -> EncodedText:
        words = [token.word for token in held]
        return EncodedText(
            token_offsets=offsets,
            words={
                name: vocabulary.rows(words if name in self._segmented else tokens)
                for name, vocabulary in self.vocabularies.items()
                if name != self._lexicon
            },
            spelling=None if self.alphabet is None else self.spell(tokens, offsets),
            shares=1 / np.array([token.tokens for token in held], dtype=np.float32) if held else None,
            positions_in_word=np.array([token.position for token in held]) if held else None,
            matches={self._lexicon: Matches.of([token.found for token in held])} if self._lexicon else {},
        )

    def spell(self, words: Sequence[str], token_offsets: IntArray) -> Spelling:
        """The characters of words; `token_offsets` [S + 1] says where each sentence's words begin."""
        assert self.alphabet is not None, "a model that reads characters has an alphabet"
        gap = len(self._separator)
        sentences = [words[first:end] for first, end in pairwise(token_offsets.tolist())]
        spelt = "".join([f" {self._separator.join(sentence)} " for sentence in sentences])
        # Where words would begin if nothing but the gap behind each of them stood between them.
        begins = np.append(0, running_sums(np.fromiter(map(len, words), np.int64, len(words)) + gap))
        spaces = (2 - gap) * np.arange(len(token_offsets))
        starts = begins[:-1] + np.repeat(spaces[:-1], np.diff(token_offsets)) + 1
        ends = starts + np.diff(begins) - gap
        return Spelling(begins[token_offsets] + spaces, self.alphabet.rows(spelt), starts, ends)
