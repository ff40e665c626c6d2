"""The tagging engine: the trained network in NumPy, with all that fragments share computed once.

A word's own vectors are computed when it is first seen and kept. The FOFE scan runs over the word vectors of
whole sentences; the first layer is then `Start[first] + End[last] + bag`, where each start, end and word is
projected once, whatever the number of fragments that share it. With a gate only the starts, ends and words of
fragments that pass are projected at all, which is why the scan comes before the projection here.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.config import ModelConfig
from fofe.features.encoded import Encoder, Key, SentenceBounds
from fofe.features.fragments import Fragments, all_fragments
from fofe.features.layout import input_blocks
from fofe.features.surroundings import sentence_sums, surroundings
from fofe.model.characters import FragmentCharacters
from fofe.model.first_layer import FirstLayer
from fofe.model.gate import Gate, GateSettings
from fofe.model.lexicon import Lexicon, PlacedWords
from fofe.model.names import FragmentNames
from fofe.model.numpy_ops import keep_freed_memory, softmax
from fofe.model.words import WordsAlone, WordsInWindows

FRAGMENTS_AT_ONCE = 2048
"""How many fragments go through the wide layers together: enough for BLAS, little enough for the cache."""


@dataclass(frozen=True)
class Scores:
    """The judgement of some sentences: F fragments and their label probabilities [F, K].

    Behind a gate these are the fragments that it let through; all others are NONE.
    """

    fragments: Fragments
    token_offsets: IntArray
    probabilities: FloatArray


class Scorer(Protocol):
    """What scores fragments for a model: the NumPy engine or the network in torch."""

    def score(
        self, sentences: Sequence[Sequence[str]], opens: Sequence[bool] | None = None, *, exact: bool = False
    ) -> Scores: ...

    def fresh(self) -> Scorer: ...

    def conditioned_on(self, scheme: str) -> Scorer: ...


class Engine:
    """Scores the fragments of tokenised sentences."""

    def __init__(
        self,
        config: ModelConfig,
        encoder: Encoder,
        weights: Mapping[str, FloatArray],
        gate: GateSettings | None = None,
    ) -> None:
        keep_freed_memory()
        self.config = config
        blocks = input_blocks(config)
        self._alone = WordsAlone(config, encoder, weights)
        self._windows = WordsInWindows(config, weights)
        self._characters = FragmentCharacters(config, encoder, weights, blocks)
        self._names = FragmentNames(encoder, weights, blocks)
        self._gate = None if gate is None else Gate(gate, weights, config.max_words)
        first_of_gate = 1 if config.surroundings is None else 2
        first_of_windows = first_of_gate + (0 if gate is None else len(gate.offsets))
        self._gate_rows = slice(first_of_gate, first_of_windows)
        self._window_rows = slice(first_of_windows, None)
        self._lexicon = Lexicon(self._word_rows)
        self._first_layer = self._plain_layer = FirstLayer(config, blocks, weights)
        self._layers = self._plain_layers = [
            (np.ascontiguousarray(weights[f"layers.{number}.weight"].T), weights[f"layers.{number}.bias"])
            for number in range(1, len(config.hidden) + 1)
        ]
        corpora = len(config.schemes)
        self._conditioned = [
            (
                np.stack([part.T for part in np.split(weights[f"conditioned.{number}.weight"], corpora)]),
                weights[f"conditioned.{number}.bias"].reshape(corpora, -1),
            )
            for number in range(len(config.hidden) if corpora else 0)
        ]

    def fresh(self) -> Engine:
        """An engine with the same weights that has seen no word yet.

        A word's vectors are computed together with those of the others that were new with it, and how many
        they were can change the last bit. A fresh engine gives a text the same scores whatever came before.
        """
        other = copy.copy(self)
        other._lexicon = Lexicon(other._word_rows)
        return other

    def conditioned_on(self, scheme: str) -> Engine:
        """An engine that shares this one's words and judges by the schemes of a corpus."""
        other = copy.copy(self)
        number = self.config.scheme_number(scheme)
        other._first_layer = self._plain_layer.conditioned_on(number)
        other._layers = [
            (weight + added[number], bias + added_bias[number])
            for (weight, bias), (added, added_bias) in zip(self._plain_layers, self._conditioned, strict=True)
        ]
        return other

    def score(
        self,
        sentences: Sequence[Sequence[str]],
        opens: Sequence[bool] | None = None,
        *,
        exact: bool = False,
    ) -> Scores:
        """Label probabilities of the fragments of some sentences, each of at least one word.

        `opens` says which sentences open a document, for a model that sees more than a sentence.
        `exact` leaves the gate open.
        """
        bounds = SentenceBounds.of(sentences)
        words = [word for sentence in sentences for word in sentence]
        places, rows = self._lexicon.look_up(self._alone.keys(sentences, words))
        placed = PlacedWords.of(places, bounds)
        if self._gate is None or exact:
            fragments = all_fragments(bounds.token_offsets, self.config.max_words)
        else:
            fragments = self._gate.choose(placed, rows[self._gate_rows], bounds)
        around = None
        if self.config.surroundings is not None and words:
            documents = np.ones(len(sentences), dtype=bool) if opens is None else np.asarray(opens)
            sums = sentence_sums(rows[1].take(places, axis=0), bounds.token_offsets)
            around = surroundings(sums, bounds.token_offsets, documents)
        probabilities = self._probabilities(words, placed, rows, bounds, fragments, around)
        return Scores(fragments, bounds.token_offsets, probabilities)

    def _probabilities(
        self,
        words: Sequence[str],
        placed: PlacedWords,
        rows: Sequence[FloatArray],
        bounds: SentenceBounds,
        fragments: Fragments,
        around: FloatArray | None,
    ) -> FloatArray:
        """[F, K] of fragments."""
        probabilities = np.empty((len(fragments), len(self._layers[-1][1])), dtype=np.float32)
        if not len(fragments):
            return probabilities
        alone = rows[0].take(placed.places, axis=0)
        windows = self._windows.vectors(placed, rows[self._window_rows])
        vectors = np.concatenate([alone, *windows], axis=1) if windows else alone
        order = np.argsort(fragments.lasts - fragments.firsts, kind="stable")
        by_length = fragments.take(order)
        spelt = self._characters.of(words, bounds, by_length)
        named = self._names.of(words, bounds, by_length)
        sums = self._first_layer.sums(vectors, bounds, by_length, FRAGMENTS_AT_ONCE, around)
        for part, hidden in sums:
            if spelt is not None:
                spelt.add_to(hidden, part)
            if named is not None:
                named.add_to(hidden, part)
            probabilities[order[part]] = self._wide_layers(hidden)
        return probabilities

    def _word_rows(self, words: list[Key]) -> list[FloatArray]:
        """What is kept of U words, each [U, D]: their vectors, what they add to the gate and to windows.

        Behind the vectors comes what they tell of the subject, where the network sees that.
        """
        vectors, *subjects = self._alone.vectors_and_subjects(words)
        gate = [] if self._gate is None else self._gate.project(vectors)
        return [vectors, *subjects, *gate, *self._windows.project(vectors)]

    def _wide_layers(self, hidden: FloatArray) -> FloatArray:
        """Probabilities [F, K] from the first layer's sums [F, H]."""
        for weight, bias in self._layers:
            np.maximum(hidden, 0, out=hidden)
            hidden = hidden @ weight
            hidden += bias
        return softmax(hidden)
