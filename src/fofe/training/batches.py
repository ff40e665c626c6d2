"""Which fragments an epoch sees, and the batches that carry them, prepared ahead by a thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fofe.base.arrays import BoolArray, FloatArray, IntArray
from fofe.features.encoded import EncodedText
from fofe.features.fragments import Fragments, ragged
from fofe.features.name_table import NameBits
from fofe.features.surroundings import surroundings, weighted
from fofe.features.vocabulary import Vocabulary
from fofe.training.config import SamplingConfig
from fofe.training.distillation import SoftTargets
from fofe.training.examples import Examples

SENTENCES_AT_ONCE = 4096

Item = TypeVar("Item")
_END: Any = object()

Group = tuple[IntArray, IntArray, IntArray]
"""What a batch is made of: sentences [S], their fragments [F] in this order, and how many each has [S]."""


@dataclass(frozen=True)
class RareWords:
    """How often a word of the training text is shown as unknown, for one view."""

    unknown_rows: IntArray
    """[T] the row of the unknown word that looks like each token's."""
    probabilities: FloatArray
    """[T] how likely it takes the place of the token's word: r / (r + count) for a known word."""
    segmented: bool
    """Whether tokens share words, which are then replaced as a whole."""

    @classmethod
    def joined(cls, parts: Sequence[RareWords]) -> RareWords:
        """Those of several texts, one after another."""
        return cls(
            np.concatenate([part.unknown_rows for part in parts]),
            np.concatenate([part.probabilities for part in parts]),
            parts[0].segmented,
        )

    @classmethod
    def of(
        cls, words: Sequence[str], begins: BoolArray, vocabulary: Vocabulary, strength: float
    ) -> RareWords:
        """Those of the words [T] that tokens are in; `begins` [T] marks first tokens, `strength` is r."""
        rows = vocabulary.rows(words)
        counts = np.bincount(rows[begins], minlength=len(vocabulary))
        chances = strength / (strength + np.maximum(counts, 1))
        known = rows >= len(vocabulary.unknowns)
        unknown = {word: vocabulary.unknown_row(word) for word in set(words)}
        return cls(
            np.array([unknown[word] for word in words], dtype=np.int32),
            np.where(known, chances[rows], 0.0).astype(np.float32),
            segmented=not begins.all(),
        )


@dataclass(frozen=True)
class Batch:
    """Some sentences and F fragments of them that are trained on."""

    text: EncodedText
    fragments: Fragments
    arrays: dict[str, NDArray[Any]]
    """What is known of the fragments; all but the targets only where a run has it.

    targets: [F] which of the target sets.
    weights: [F] what the losses are multiplied by, where corpora weigh differently.
    names: [F, B] which names of the gazetteer they match.
    soft_targets: [F, K] the teachers' probabilities of the labels; a row may be zero.
    schemes: [F, C] the annotation scheme of each fragment's corpus, one-hot.
    conditioned_targets: [F] which of the target sets for a network conditioned on the corpus.
    """


@dataclass
class Sampler:
    """Draws each epoch's fragments and groups them into batches of about the wanted size.

    The training text has S sentences, its examples F fragments. The text, its rare words, names and documents
    are followed by those of its copies in the other cases that sentences are shown in.
    """

    text: EncodedText
    examples: Examples
    rare: Mapping[str, RareWords]
    config: SamplingConfig
    batch_size: int
    seed: int
    shuffle: str = "sentences"
    shares: FloatArray | None = None
    """[S] how likely an epoch sees each sentence; none for certain."""
    weights: FloatArray | None = None
    """[S] what the losses of its fragments are multiplied by."""
    names: NameBits | None = None
    """The names of a gazetteer that the fragments match."""
    schemes: BoolArray | None = None
    """[S, C] the annotation scheme of each sentence, one-hot."""
    documents: BoolArray | None = None
    """[S] which sentences open a document."""
    soft_targets: SoftTargets | None = None

    @property
    def _rates(self) -> FloatArray:
        """[F] how likely an epoch draws each fragment."""
        return np.array(self.config.rates, np.float32)[self.examples.categories]

    def epoch(self, number: int) -> Iterator[Batch]:
        """The batches of an epoch; they depend on the seed and the number of the epoch alone."""
        random = np.random.default_rng([self.seed, number])
        rates = self._rates
        kept = np.flatnonzero(random.random(len(rates), dtype=np.float32) < rates)
        if self.shares is not None:
            seen = random.random(len(self.shares), dtype=np.float32) < self.shares
            kept = kept[seen[self.examples.fragments.sentences[kept]]]
        if not len(kept):
            return
        grouped = self._by_fragment if self.shuffle == "fragments" else self._by_sentence
        for sentences, chosen, counts in grouped(kept, random):
            yield self._batch(sentences, chosen, counts, random)

    def _by_sentence(self, kept: IntArray, random: np.random.Generator) -> Iterator[Group]:
        """Groups of whole sentences in random order."""
        counts = np.bincount(self.examples.fragments.sentences[kept], minlength=len(self.text))
        offsets = np.append(0, np.cumsum(counts))
        order = random.permutation(np.flatnonzero(counts))
        cuts = np.cumsum(counts[order]) // self.batch_size
        for sentences in np.split(order, np.flatnonzero(np.diff(cuts)) + 1):
            chosen, fragment_offsets = ragged(offsets, sentences)
            yield sentences, kept[chosen], np.diff(fragment_offsets)

    def _by_fragment(self, kept: IntArray, random: np.random.Generator) -> Iterator[Group]:
        """Groups of fragments from anywhere in the corpus, each with its whole sentence."""
        order = random.permutation(kept)
        for first in range(0, len(order), self.batch_size):
            chosen = np.sort(order[first : first + self.batch_size])
            sentences, counts = np.unique(self.examples.fragments.sentences[chosen], return_counts=True)
            yield sentences, chosen, counts

    def see_surroundings(self, view: str, table: FloatArray, importance: FloatArray) -> None:
        """From now on show the network the surroundings of sentences.

        They are made of the current vectors [V, D] of a view's words, weighted by `importance` [V].
        """
        assert self.documents is not None, "surroundings need to know where documents begin"
        rows, offsets = self.text.words[view], self.text.token_offsets
        sums = np.empty((len(self.text), table.shape[1] + 1), dtype=np.float32)
        # Some at a time: the vectors of all words of a text take more than the text.
        for first in range(0, len(sums), SENTENCES_AT_ONCE):
            borders = offsets[first : first + SENTENCES_AT_ONCE + 1]
            some = rows[borders[0] : borders[-1]]
            words = weighted(table[some], importance[some])
            last = first + len(borders) - 1
            np.add.reduceat(words, borders[:-1] - borders[0], axis=0, out=sums[first:last])
        self.text = replace(self.text, surroundings=surroundings(sums, offsets, self.documents))

    def batches_per_epoch(self) -> int:
        """About how many batches an epoch has."""
        rates = self._rates
        expected = rates.sum()
        if self.shares is not None:
            expected = rates @ self.shares[self.examples.fragments.sentences]
        return max(1, round(float(expected) / self.batch_size))

    def _batch(
        self, sentences: IntArray, kept: IntArray, counts: IntArray, random: np.random.Generator
    ) -> Batch:
        fragments = self.examples.fragments.take(kept)
        copy = self._draw_copies(len(sentences), random)
        of_fragments = np.repeat(copy, counts)
        copies = 1 + len(self.config.cases)
        moved = of_fragments * (self.text.token_count // copies)
        fragments = replace(fragments, firsts=fragments.firsts + moved, lasts=fragments.lasts + moved)
        shown = sentences + copy * (len(self.text) // copies)
        text, fragments = taken(self.text, fragments, shown, counts)
        arrays: dict[str, NDArray[Any]] = {"targets": self.examples.targets[kept]}
        if self.weights is not None:
            arrays["weights"] = np.repeat(self.weights[sentences], counts)
        if self.names is not None:
            arrays["names"] = self.names.patterns[self.names.rows[kept + of_fragments * len(self._rates)]]
        if self.soft_targets is not None:
            arrays["soft_targets"] = self.soft_targets.of(self.examples, kept)
        if self.schemes is not None:
            arrays["schemes"] = schemes = np.repeat(self.schemes[sentences], counts, axis=0)
        if self.schemes is not None and self.examples.conditioned_targets is not None:
            conditioned = self.examples.conditioned_targets[kept]
            arrays["conditioned_targets"] = np.where(schemes.any(axis=1), conditioned, arrays["targets"])
        return Batch(self._with_unknowns(text, shown, random), fragments, arrays)

    def _draw_copies(self, count: int, random: np.random.Generator) -> IntArray:
        """[N] the copy of the text that each of some sentences is shown from; 0 is the text itself."""
        shares = list(self.config.cases.values())
        if not shares:
            return np.zeros(count, dtype=np.int64)
        return random.choice(1 + len(shares), size=count, p=[1 - sum(shares), *shares])

    def _with_unknowns(
        self, text: EncodedText, sentences: IntArray, random: np.random.Generator
    ) -> EncodedText:
        """Show some rare words as unknown; one draw per token, so that the views agree on what is unknown.

        A word that several tokens share goes by the draw of the first.
        """
        tokens, _ = ragged(self.text.token_offsets, sentences)
        draws = random.random(len(tokens), dtype=np.float32)
        words = dict(text.words)
        for name, rare in self.rare.items():
            drawn = draws
            if rare.segmented and text.positions_in_word is not None:
                drawn = draws[np.arange(len(draws)) - text.positions_in_word]
            replaced = drawn < rare.probabilities[tokens]
            words[name] = np.where(replaced, rare.unknown_rows[tokens], words[name])
        return replace(text, words=words)


def taken(
    text: EncodedText, fragments: Fragments, sentences: IntArray, counts: IntArray
) -> tuple[EncodedText, Fragments]:
    """Some sentences [S] of a text, and their fragments [F], of which each sentence has so many [S]."""
    part = text.take(sentences)
    moved = np.repeat(part.token_offsets[:-1] - text.token_offsets[sentences], counts)
    rows = np.repeat(np.arange(len(sentences)), counts)
    return part, Fragments(rows, fragments.firsts + moved, fragments.lasts + moved)


def prefetched(items: Iterator[Item], ahead: int = 8) -> Iterator[Item]:
    """The items, made by a thread of their own at most `ahead` in advance; its errors are raised here."""
    with ThreadPoolExecutor(1, "fofe-prefetch") as thread:
        waiting = deque(thread.submit(next, items, _END) for _ in range(ahead))
        try:
            while (item := waiting.popleft().result()) is not _END:
                waiting.append(thread.submit(next, items, _END))
                yield item
        finally:
            thread.shutdown(cancel_futures=True)
