"""Self-training: the network adds mentions that are missing from doubtful annotation while it is trained.

Several times in a training the network reads the training text of such corpora. The dev set calibrates how
likely a finding is a missing mention: if a share p of all findings with such a score is right there, then p
of the findings with that score in the training text are mentions too, annotated or not. Almost certain ones
count as annotated from then on, possible ones are left open; all else stays negative. Where nothing is
missing, all mentions are accounted for, and nothing is added, however sure the network is of its mistakes.
The missing mentions do little harm before, since an epoch sees only a small share of the fragments without a
label.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fofe.base.arrays import IntArray
from fofe.decode import Candidate, resolve
from fofe.model.engine import Scorer
from fofe.training.annotation import IN_DOUBT, LabelledSentence, Sentences
from fofe.training.corpora import Corpora
from fofe.training.scoring import ScoredCorpus, score_corpus

ROUNDS = 7
"""How often a training looks for missing mentions, evenly spaced."""
EDGES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
"""The edges of the bins of scores in which findings are calibrated."""
CERTAIN = 0.9
POSSIBLE = 0.2
"""From which chance on a finding counts as a mention, or is left open."""

Numbered = tuple[int, Candidate]
"""A candidate and the number of its sentence."""


@dataclass(frozen=True)
class PseudoLabels:
    """The findings in the training sentences of a run, which are numbered."""

    sure: tuple[Any, ...] = ()
    """Sentence, start, end and label of mentions, in the labels of the corpus."""
    likely: tuple[Any, ...] = ()
    """Sentence, start and end of possible mentions."""

    def added_to(self, sentences: Sentences) -> Sentences:
        """The sentences with the findings in them."""
        made = list(sentences)
        for number, start, end, label in self.sure:
            made[number] = replace(made[number], spans=[*made[number].spans, (start, end, label)])
        # The network may be sure of a mention and yet wrong about its borders.
        for number, start, end in [*(mention[:3] for mention in self.sure), *self.likely]:
            made[number] = replace(made[number], unknown=(*made[number].unknown, (start, end)))
        return made


def self_training_epochs(corpora: Corpora, epochs: int) -> set[int]:
    """After how many epochs of a run to look for missing mentions; never where no corpus is in doubt."""
    if all(part.config.unannotated != IN_DOUBT for part in corpora.parts):
        return set()
    return {math.ceil(number * epochs / (ROUNDS + 1)) for number in range(1, ROUNDS + 1)} - {epochs}


def find_missing(engine: Scorer, corpora: Corpora, labels: Sequence[str], *, nested: bool) -> PseudoLabels:
    """Read the training sentences of all corpora in doubt."""
    sure, likely = [], []
    first = 0
    for part in corpora.parts:
        if part.config.unannotated == IN_DOUBT:
            how: dict[str, Any] = {"annotation": part.annotation, "nested": nested}
            dev = score_corpus(part.name, engine, part.dev, labels, EDGES[0], **how)
            train = score_corpus(part.name, engine, part.train, labels, EDGES[0], **how)
            for number, (start, end, label, _), chance in chances(dev, train, part.train):
                if chance >= CERTAIN:
                    sure.append((first + number, start, end, label))
                elif chance >= POSSIBLE:
                    likely.append((first + number, start, end))
        first += len(part.train)
    return PseudoLabels(tuple(sure), tuple(likely))


def chances(
    dev: ScoredCorpus, train: ScoredCorpus, sentences: Sentences
) -> Iterator[tuple[int, Candidate, float]]:
    """The findings clear of the annotation of numbered sentences, each with its chance to be a mention."""
    found_in_dev, found = _found(dev), _found(train)
    clear = [(number, one) for number, one in found if _is_clear(one, sentences[number])]
    # Laplace smoothing: few findings of a score in the dev set say little about it.
    share = (_histogram(_right(found_in_dev, dev)) + 1) / (_histogram(found_in_dev) + 2)
    missed = share * _histogram(found) - _histogram(_right(found, train))
    by_bin = missed / np.maximum(_histogram(clear), 1)
    for number, candidate in clear:
        yield number, candidate, float(by_bin[bisect_right(EDGES, candidate.score)])


def _found(scored: ScoredCorpus) -> list[Numbered]:
    return [(number, one) for number, pool in enumerate(scored.candidates) for one in resolve(pool)]


def _right(found: Sequence[Numbered], scored: ScoredCorpus) -> list[Numbered]:
    """The findings that are annotated mentions."""
    return [(number, one) for number, one in found if one[:3] in scored.gold[number]]


def _histogram(found: Sequence[Numbered]) -> IntArray:
    """[E + 1] the number of findings in each bin of scores."""
    bins = np.searchsorted(EDGES, [candidate.score for _, candidate in found], side="right")
    return np.bincount(bins, minlength=len(EDGES) + 1)


def _is_clear(candidate: Candidate, sentence: LabelledSentence) -> bool:
    """Whether it overlaps no mention and is not marked as negative."""
    start, end = candidate[:2]
    overlapped = any(first < end and start < last for first, last, _ in sentence.spans)
    return not overlapped and (start, end) not in sentence.negatives
