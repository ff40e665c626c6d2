"""One of several ways to leave out a part of the training sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from fofe.base.errors import InputError
from fofe.training.examples import LabelledSentence


@dataclass(frozen=True)
class Fold:
    """The fold of a number from 0 on, of several."""

    number: int
    folds: int

    def split(self, sentences: Sequence[LabelledSentence]) -> tuple[list[int], list[int]]:
        """The numbers of the sentences to train on, and of those that are left out.

        Each sentence is left out by exactly one fold. Documents stay whole unless there are too few of them.
        """
        units = list(accumulate(int(sentence.opens) for sentence in sentences))
        if units and units[-1] - units[0] + 1 < self.folds:
            units = list(range(len(sentences)))
        distinct = sorted(set(units))
        if len(distinct) < self.folds:
            raise InputError(f"{len(sentences)} sentences are too few for {self.folds} folds")
        order = np.random.default_rng(0).permutation(len(distinct))
        left_out = {distinct[place] for place in order[self.number :: self.folds].tolist()}
        numbers: tuple[list[int], list[int]] = ([], [])
        for number, unit in enumerate(units):
            numbers[unit in left_out].append(number)
        return numbers
