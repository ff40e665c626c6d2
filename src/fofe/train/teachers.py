"""What trained models make of the training text, for a network to learn besides its labels.

A label tells what is right. The probabilities of models that have learned before also tell what is nearly
right and what is doubtful, several models averaged better than one: a single network that learns both comes
closer to what they reach together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from fofe._arrays import FloatArray, IntArray
from fofe.encode.fragments import all_fragments
from fofe.encode.names import NameBits
from fofe.errors import ConfigError
from fofe.model.ensemble import Ensemble, load_stored
from fofe.model.shipped import model_path
from fofe.model.storage import StoredModel
from fofe.model.torch_engine import TorchEngine
from fofe.train.examples import LabelledSentence
from fofe.train.names import names_of_others
from fofe.train.tuning import groups


def lessons(
    teachers: Sequence[str],
    sentences: Sequence[LabelledSentence],
    labels: Sequence[str],
    max_words: int,
    device: torch.device,
) -> FloatArray:
    """[F, K] the mean probabilities that teachers give to the labels of all fragments of sentences.

    `teachers` are directories or names of models; an ensemble counts as one. The rows of fragments of more
    words than a teacher judges are zero.
    """
    members = [member for teacher in teachers for member in _members(teacher, labels, 1 / len(teachers))]
    judged = min(max_words, *(model.config.max_words for model, _ in members))
    offsets = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    lengths = _lengths(offsets, max_words)
    # Half the room: a text has many fragments, and a probability need not be told more exactly.
    taught = np.zeros((len(lengths), len(labels)), dtype=np.float16)
    within = np.flatnonzero(lengths <= judged)
    for model, weight in members:
        columns = np.array([list(labels).index(label) for label in model.labels])
        theirs = _lengths(offsets, model.config.max_words) <= judged
        probabilities = np.concatenate(list(_judged(model, sentences, offsets, device)))[theirs]
        taught[np.ix_(within, columns)] += (weight * probabilities).astype(np.float16)
    return taught


def _members(teacher: str, labels: Sequence[str], weight: float) -> Iterator[tuple[StoredModel, float]]:
    """The models of a teacher, and what each counts; an error if it knows labels that nobody learns."""
    path: Path = model_path(teacher)
    stored = load_stored(path)
    whole = stored.as_one if isinstance(stored, Ensemble) else stored
    if unknown := [label for label in whole.labels if label not in labels]:
        raise ConfigError(
            f"this teacher knows labels that the corpora have not: {', '.join(unknown)}",
            path=path,
            remedy="let models teach that were trained with the same labels",
        )
    if isinstance(stored, Ensemble):
        yield from ((model, weight * own) for model, own in zip(stored.members, stored.weights, strict=True))
    else:
        yield stored, weight


def _judged(
    model: StoredModel, sentences: Sequence[LabelledSentence], offsets: IntArray, device: torch.device
) -> Iterator[FloatArray]:
    """[F, K] the probabilities that a model gives to its labels, some sentences at a time.

    It sees the names of its gazetteer as it did in training: those that it has from a text's own document it
    must not recognise, or it could tell no more than the label.
    """
    engine = TorchEngine(model.config, model.encoder, model.weights, device)
    bits = None
    if model.names is not None:
        fragments = all_fragments(offsets, model.config.max_words)
        bits = names_of_others(model.names, sentences).training_bits(sentences, fragments)
    first = 0
    for group in groups(sentences):
        words, opens = [sentence.words for sentence in group], [sentence.opens for sentence in group]
        last = first + len(_lengths(np.cumsum([0, *map(len, words)]), model.config.max_words))
        names = None if bits is None else NameBits(bits.rows[first:last], bits.patterns)
        yield engine.score(words, opens, names=names).probabilities
        first = last


def _lengths(offsets: IntArray, max_words: int) -> IntArray:
    """[F] how many words the fragments of sentences at `offsets` [S + 1] have."""
    fragments = all_fragments(offsets, max_words)
    return fragments.lasts - fragments.firsts + 1
