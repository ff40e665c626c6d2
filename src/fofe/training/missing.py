"""Mentions that annotation in doubt lacks, looked for by the network while it is trained.

Several times in a training the network reads the training text of such corpora. How likely it is that what it
finds there is a missing mention is told by the dev set: if a share p of all that has such a score is right
there, then p of what has it in the training text are mentions too, annotated or not. What is almost certainly
missing counts as annotated from then on, what may be is left open; all else stays negative. Where nothing is
missing, all mentions are accounted for, and nothing is added, however sure the network is of its mistakes.
The missing mentions do little harm in the meantime, since an epoch sees only a small share of the fragments
without a label.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fofe.base.arrays import IntArray
from fofe.base.files import write_atomically
from fofe.decode import Candidate, resolve
from fofe.model.engine import Scorer
from fofe.training.annotation import IN_DOUBT
from fofe.training.corpora import Corpora
from fofe.training.examples import LabelledSentence
from fofe.training.tuning import Judged, judge

LOOKS = 7
"""How often a training looks for them, at even distances."""
EDGES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
"""What is found is judged by those of about the same score: from one edge to the next."""
CERTAIN = 0.9
POSSIBLE = 0.2
"""How likely something is a missing mention that counts as one, or is left open."""
FILE = "missing.json"

Numbered = tuple[int, Candidate]
"""A candidate and the number of its sentence."""


@dataclass(frozen=True)
class Found:
    """What was found in the training sentences of a run, which are numbered."""

    epoch: int
    """How many epochs had been done."""
    sure: list[tuple[int, int, int, str]]
    """Sentence, start, end and label of mentions, in the labels of the corpus."""
    likely: list[tuple[int, int, int]]
    """Sentence, start and end of what may be mentions."""

    def added_to(self, sentences: Sequence[LabelledSentence]) -> list[LabelledSentence]:
        """The sentences with what was found in them."""
        made = list(sentences)
        for number, start, end, label in self.sure:
            made[number] = replace(made[number], spans=[*made[number].spans, (start, end, label)])
        # That one fragment is a mention the network may know better than where exactly it begins and ends.
        for number, start, end in [*(mention[:3] for mention in self.sure), *self.likely]:
            made[number] = replace(made[number], unknown=(*made[number].unknown, (start, end)))
        return made


class MissingMentions:
    """Looks for them when it is time, and remembers what was found, for a run that is resumed."""

    def __init__(self, corpora: Corpora, labels: Sequence[str], epochs: int, folder: Path) -> None:
        self._corpora = corpora
        self._labels = labels
        self._path = folder / FILE
        in_doubt = any(part.config.unannotated == IN_DOUBT for part in corpora.parts)
        looks = {math.ceil(look * epochs / (LOOKS + 1)) for look in range(1, LOOKS + 1)}
        self._epochs = looks - {epochs} if in_doubt else set()

    def due(self, epoch: int) -> bool:
        """Whether it is time, after so many epochs."""
        return epoch in self._epochs

    def look(self, engine: Scorer, epoch: int, *, nested: bool) -> Found:
        """Read the training sentences of all corpora in doubt."""
        found = Found(epoch, [], [])
        first = 0
        for part in self._corpora.parts:
            if part.config.unannotated == IN_DOUBT:
                dev, train = (
                    judge(
                        part.name,
                        engine,
                        sentences,
                        self._labels,
                        EDGES[0],
                        annotation=part.annotation,
                        nested=nested,
                    )
                    for sentences in (part.dev, part.train)
                )
                for number, candidate, chance in chances(dev, train, part.train):
                    start, end, label, _ = candidate
                    if chance >= CERTAIN:
                        found.sure.append((first + number, start, end, label))
                    elif chance >= POSSIBLE:
                        found.likely.append((first + number, start, end))
            first += len(part.train)
        return found

    def remember(self, found: Found) -> None:
        """Write down what was found."""
        with write_atomically(self._path) as stream:
            json.dump(vars(found), stream)

    def remembered(self, epoch: int) -> Found | None:
        """What was found before so many epochs were done, if anything was looked for."""
        if not self._epochs or epoch <= min(self._epochs) or not self._path.exists():
            return None
        stored: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
        sure = [(number, start, end, label) for number, start, end, label in stored["sure"]]
        likely = [(number, start, end) for number, start, end in stored["likely"]]
        return Found(stored["epoch"], sure, likely)


def chances(
    dev: Judged, train: Judged, sentences: Sequence[LabelledSentence]
) -> Iterator[tuple[int, Candidate, float]]:
    """What is found away from the annotation of numbered sentences, and the chance that it was missed."""
    found_in_dev, found = _found(dev), _found(train)
    away = [(number, one) for number, one in found if _is_away(one, sentences[number])]
    # As if one of two more were right: little of a score in the dev set says little about it.
    share = (_by_score(_right(found_in_dev, dev)) + 1) / (_by_score(found_in_dev) + 2)
    missed = share * _by_score(found) - _by_score(_right(found, train))
    by_place = missed / np.maximum(_by_score(away), 1)
    for (number, candidate), place in zip(away, _places(away), strict=True):
        yield number, candidate, float(by_place[place])


def _found(judged: Judged) -> list[Numbered]:
    return [(number, one) for number, pool in enumerate(judged.candidates) for one in resolve(pool)]


def _right(found: Sequence[Numbered], judged: Judged) -> list[Numbered]:
    """Of what is found the annotated mentions."""
    return [(number, one) for number, one in found if one[:3] in judged.gold[number]]


def _by_score(found: Sequence[Numbered]) -> IntArray:
    """[E + 1] how many have scores from one edge to the next."""
    return np.bincount(_places(found), minlength=len(EDGES) + 1)


def _places(found: Sequence[Numbered]) -> IntArray:
    """[C] between which edges the scores of some candidates lie."""
    return np.searchsorted(EDGES, [candidate.score for _, candidate in found], side="right")


def _is_away(candidate: Candidate, sentence: LabelledSentence) -> bool:
    """Whether it overlaps no mention and is not marked as negative."""
    return (candidate.start, candidate.end) not in sentence.negatives and not any(
        start < candidate.end and candidate.start < end for start, end, _ in sentence.spans
    )
