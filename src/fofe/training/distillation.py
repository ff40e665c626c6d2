"""Distillation: trained models, the teachers, give soft targets for the fragments of the training text.

A label states what is right. The probabilities of trained models also show what is nearly right and what is
doubtful, and the mean of several models is better than one: a single network that learns both comes closer to
their joint accuracy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from fofe.base.arrays import BoolArray, FloatArray, IntArray
from fofe.base.errors import ConfigError
from fofe.features.fragments import all_fragments, offsets_of
from fofe.features.language_models_torch import contextual_of
from fofe.features.name_table import NameBits
from fofe.model.engine import Scores
from fofe.model.ensemble import Ensemble, EnsembleEngine, load_stored
from fofe.model.storage import StoredModel
from fofe.model.torch_engine import TorchEngine
from fofe.tagging.installed import model_path
from fofe.training.annotation import Sentences
from fofe.training.examples import Examples
from fofe.training.scoring import groups
from fofe.training.training_names import without_own_names


@dataclass(frozen=True)
class SoftTargets:
    """The teachers' probabilities for all fragments of a text."""

    probabilities: FloatArray
    """[F, K] of the labels; zero for fragments longer than a teacher reads."""
    known: BoolArray
    """[K] the labels that all teachers know."""
    digest: str
    """Differs between different teachers."""

    def of(self, examples: Examples, numbers: IntArray) -> FloatArray:
        """[F', K] for some fragments, but zero where none of the labels that a fragment may have is known.

        A teacher takes what it does not know for NONE, which would contradict the label.
        """
        probabilities = self.probabilities[numbers].astype(np.float32)
        if not self.known.all():
            teachable: BoolArray = np.any(examples.target_sets & self.known, axis=1)
            probabilities[~teachable[examples.targets[numbers]]] = 0
        return probabilities


def soft_targets_of(
    teachers: Sequence[str], sentences: Sentences, labels: Sequence[str], max_words: int, device: torch.device
) -> SoftTargets:
    """The mean over teachers, given by directories or names; an ensemble counts as one teacher."""
    lengths, longest = _lengths(sentences, max_words), max_words
    # Half precision halves the memory: a text has many fragments.
    means = np.zeros((len(lengths), len(labels)), dtype=np.float16)
    known = np.ones(len(labels), dtype=bool)
    digest = hashlib.sha256()
    readers: list[tuple[EnsembleEngine, IntArray, int]] = []
    for name in teachers:
        teacher = load_teacher(model_path(name))
        own_labels, own_max_words = teacher.members[0].labels, teacher.members[0].config.max_words
        if unknown := [label for label in own_labels if label not in labels]:
            problem = f"this teacher knows labels that the corpora have not: {', '.join(unknown)}"
            remedy = "choose teachers that were trained with the same labels, or with some of them"
            raise ConfigError(problem, path=model_path(name), remedy=remedy)
        # Whatever can change its probabilities.
        digest.update(repr((teacher.weights, sorted(teacher.temperatures.items()))).encode())
        for member in teacher.members:
            for weight in sorted(member.weights):
                digest.update(member.weights[weight].tobytes())
        engine = EnsembleEngine([_Reader(member, sentences, device) for member in teacher.members], teacher)
        readers.append((engine, np.array([labels.index(label) for label in own_labels]), own_max_words))
        known &= np.isin(labels, own_labels)
        longest = min(longest, own_max_words)
    first = 0
    for words, opens in groups(sentences):  # all teachers at once: they may share a language model
        own = _lengths(words, max_words)
        for engine, columns, most in readers:
            read = first + np.flatnonzero(own <= most)
            short = engine.score(words, opens).probabilities[_lengths(words, most) <= max_words]
            means[read[:, None], columns] += (short / len(teachers)).astype(np.float16)
        first += len(own)
    means[lengths > longest] = 0
    return SoftTargets(means, known, digest.hexdigest())


def load_teacher(path: str | Path) -> Ensemble:
    """A model or an ensemble; a model is an ensemble of one."""
    stored = load_stored(path)
    if isinstance(stored, StoredModel):
        return Ensemble((Path(path),), (stored,), (1.0,), stored.decoding)
    return stored


class _Reader(TorchEngine):
    """A model that reads a text from its first sentence to its last.

    It sees the names of its gazetteer as it did in training: it must not recognise names that it has from a
    sentence's own document, or its probabilities would say no more than the labels.
    """

    def __init__(self, model: StoredModel, sentences: Sentences, device: torch.device) -> None:
        contextual = contextual_of(model.config.encoders, model.encoders, device)
        super().__init__(model.config, model.encoder, model.weights, device, contextual)
        self._names: NameBits | None = None
        self._read = 0
        if model.names is not None:
            fragments = all_fragments(offsets_of(sentences), model.config.max_words)
            self._names = without_own_names(model.names, sentences).training_bits(sentences, fragments)

    def score(
        self,
        sentences: Sequence[Sequence[str]],
        opens: Sequence[bool] | None = None,
        *,
        exact: bool = True,
        names: NameBits | None = None,
    ) -> Scores:
        """Label probabilities of all fragments of the next sentences of the text."""
        if self._names is not None:
            count = len(all_fragments(offsets_of(sentences), self.config.max_words))
            names = self._names.take(np.arange(self._read, self._read + count))
            self._read += count
        return super().score(sentences, opens, exact=exact, names=names)


def _lengths(sentences: Collection[Sized], max_words: int) -> IntArray:
    """[F] how many words the fragments of sentences have."""
    fragments = all_fragments(offsets_of(sentences), max_words)
    return fragments.lasts - fragments.firsts + 1
