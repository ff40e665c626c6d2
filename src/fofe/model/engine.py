"""The tagging engine: the trained network in NumPy, with all that fragments share computed once.

A word's own vectors are computed when it is first seen and cached. The FOFE scan runs over the word vectors
of sentences; the first layer is then `Start[first] + End[last] + bag`, where each start, end and word is
projected once, whatever the number of fragments that share it. With a gate only the starts, ends and words of
fragments that pass are projected at all, which is why the scan comes before the projection here.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.errors import FofeError
from fofe.features.config import ModelConfig
from fofe.features.encoded import Encoder, Key
from fofe.features.feature import ModelParts, ReadText, Shapes, Sizes
from fofe.features.fragments import Fragments, all_fragments, offsets_of
from fofe.features.registry import features_of, input_columns, input_width
from fofe.features.schemes import Schemes, scheme_number
from fofe.features.word_codes import WordCodes
from fofe.model.gate import Gate, GateSettings

FRAGMENTS_AT_ONCE = 2048
"""How many fragments go through the wide layers together: enough for BLAS, little enough for the cache."""
KEPT_BYTES = 31 << 20
FIRST_ROOM = 1024
NO_WORD = 0
"""The position of what stands beyond the bounds of a sentence (`SentenceBounds.beside`): a row of zeros."""

Word = TypeVar("Word", bound=Hashable)


@dataclass(frozen=True)
class Scores:
    """The scores of some sentences: F fragments and their label probabilities [F, K].

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


class WordCache(Generic[Word]):
    """Named arrays with a row for each word that was seen; threads may share them.

    It starts anew when it is full: frequent words are back at once.
    """

    def __init__(self, *, limit: int = 16384) -> None:
        """At most `limit` words are kept."""
        self._lock = threading.Lock()
        self._limit = limit
        self._positions: dict[Word, int] = {}
        self._arrays: dict[str, FloatArray] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the words seen so far: a model that is pickled starts with an empty cache elsewhere."""
        return partial(WordCache, limit=self._limit), ()

    def __len__(self) -> int:
        return len(self._positions)

    def look_up(
        self, words: Sequence[Word], compute: Callable[[list[Word]], Mapping[str, FloatArray]]
    ) -> tuple[IntArray, Mapping[str, FloatArray]]:
        """The positions [T] of words, and the arrays [N, D] that they point into.

        `compute` makes the rows [U, D] of U distinct new words. Rows that were given out never change.
        """
        with self._lock:
            new = [word for word in dict.fromkeys(words) if word not in self._positions]
            if new and len(self._positions) + len(new) > self._limit:
                self._positions, new = {}, list(dict.fromkeys(words))
            if new:
                self._add(new, compute(new))
            positions = map(self._positions.__getitem__, words)
            return np.fromiter(positions, dtype=np.intp, count=len(words)), self._arrays

    def _add(self, words: Sequence[Word], arrays: Mapping[str, FloatArray]) -> None:
        first = len(self._positions) + 1
        end = first + len(words)
        if not self._positions:
            self._arrays = {name: _grown(rows[:0], end) for name, rows in arrays.items()}
        elif end > len(next(iter(self._arrays.values()))):
            self._arrays = {name: _grown(rows, end) for name, rows in self._arrays.items()}
        for name, rows in arrays.items():
            self._arrays[name][first:end] = rows
        self._positions.update(zip(words, range(first, end), strict=True))


def _grown(rows: FloatArray, needed: int) -> FloatArray:
    """The same rows with room for twice as many as are needed, and a row of zeros for no word."""
    grown = np.empty((max(FIRST_ROOM, 2 * needed), rows.shape[1]), dtype=np.float32)
    grown[: len(rows)] = rows
    grown[NO_WORD] = 0
    return grown


class Engine:
    """Scores the fragments of tokenised sentences."""

    def __init__(
        self,
        config: ModelConfig,
        encoder: Encoder,
        weights: Mapping[str, FloatArray],
        gate: GateSettings | None = None,
    ) -> None:
        if config.encoders:
            raise FofeError(
                "this model sees words through a language model, which needs PyTorch "
                "(tag with --engine torch, or make a small model of it: fofe distil)"
            )
        keep_freed_memory()
        self.config = config
        self._encoder = encoder
        self._cache: WordCache[Key] = WordCache()
        first = weights["layers.0.weight"].T
        columns = {name: first[part] for name, part in input_columns(config).items()}
        parts = ModelParts(config, encoder, weights, columns)
        self._words = WordCodes(parts)
        self._added = [feature(parts) for feature in features_of(config) if feature is not WordCodes]
        self._gate = None if gate is None else Gate(gate, weights, config.max_words)
        self._bias = self._plain_bias = weights["layers.0.bias"]
        self._layers = self._plain_layers = [
            (np.ascontiguousarray(weights[f"layers.{number}.weight"].T), weights[f"layers.{number}.bias"])
            for number in range(1, len(config.hidden) + 1)
        ]

    def fresh(self) -> Engine:
        """An engine with the same weights that has seen no word yet.

        What is promised: on one machine, a call has the same scores whatever came before, to the last bit.
        Words are cached, but computed alike whichever were new together (`NeighbourLayer.of_words`), as far
        as the BLAS library does as OpenBLAS; a fresh engine gives the same scores with any. Other sentences
        in the same call, and windows of a long one, change a score by less than 1e-6.
        """
        other = copy.copy(self)
        other._cache = WordCache()
        return other

    def conditioned_on(self, scheme: str) -> Engine:
        """An engine that shares this one's words and follows the annotation scheme of a corpus."""
        other = copy.copy(self)
        number = scheme_number(self.config, scheme)
        (schemes,) = (feature for feature in self._added if isinstance(feature, Schemes))
        other._bias, other._layers = schemes.condition(number, self._plain_bias, self._plain_layers)
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
        text = self._read(sentences, opens)
        offsets = text.token_offsets
        if self._gate is None or exact or not text.words:
            fragments = all_fragments(offsets, self.config.max_words)
        else:
            fragments = self._gate.choose(text)
        probabilities = np.empty((len(fragments), len(self._layers[-1][1])), dtype=np.float32)
        if len(fragments):
            order = np.argsort(fragments.lasts - fragments.firsts, kind="stable")
            by_length = fragments.take(order)
            addends = [add_to for one in self._added if (add_to := one.of(text, by_length))]
            sums = self._words.sums(text, by_length, FRAGMENTS_AT_ONCE, self._bias, self._added)
            for part, hidden in sums:
                for add_to in addends:
                    add_to(hidden, part)
                probabilities[order[part]] = self._wide_layers(hidden)
        return Scores(fragments, offsets, probabilities)

    def _read(self, sentences: Sequence[Sequence[str]], opens: Sequence[bool] | None) -> ReadText:
        """Look the words of sentences up; those that the cache lacks are computed."""
        words = [word for sentence in sentences for word in sentence]
        keys: Sequence[Key] = self._encoder.in_words(sentences) or words
        positions, arrays = self._cache.look_up(keys, self._of_words)
        return ReadText(offsets_of(sentences), words, opens, positions, arrays)

    def _of_words(self, keys: Sequence[Key]) -> dict[str, FloatArray]:
        """What is kept of U distinct words, each [U, D], by name."""
        text = self._encoder.encode_isolated(keys)
        vectors = self._words.isolated.vectors(text)
        arrays = self._words.of_words(text, vectors)
        for feature in self._added:
            arrays |= feature.of_words(text, vectors)
        return arrays if self._gate is None else arrays | self._gate.hidden.of_words(vectors)

    def _wide_layers(self, hidden: FloatArray) -> FloatArray:
        """Probabilities [F, K] from the first layer's sums [F, H]."""
        for weight, bias in self._layers:
            np.maximum(hidden, 0, out=hidden)
            hidden = hidden @ weight
            hidden += bias
        return softmax(hidden)


def weight_shapes(config: ModelConfig, sizes: Sizes, gate: GateSettings | None = None) -> Shapes:
    """The name and shape of every weight of a model."""
    shapes: Shapes = {}
    for feature in features_of(config):
        shapes |= feature.shapes(config, sizes)
    layers = (input_width(config), *config.hidden, sizes.labels)
    for number, (wide, narrow) in enumerate(pairwise(layers)):
        shapes |= {f"layers.{number}.weight": (narrow, wide), f"layers.{number}.bias": (narrow,)}
    return shapes if gate is None else shapes | gate.shapes(config.isolated_width)


def keep_freed_memory() -> None:
    """Let arrays of one batch take the memory of those of the last, without asking the system for it.

    glibc gives large blocks back as soon as they are free, and each page that is got anew has to be cleared:
    a third of the time where every fragment is scored. A block that was freed once raises the bound from
    which it does so (mallopt(3), M_MMAP_THRESHOLD). This one is never touched and so takes no memory.
    """
    np.empty(KEPT_BYTES, dtype=np.uint8)


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities [F, K] from scores [F, K]."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    normalised: FloatArray = exponentials / exponentials.sum(axis=1, keepdims=True)
    return normalised
