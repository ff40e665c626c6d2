"""Confidences that can be compared between systems: how often a score was right on annotated text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.evaluate.scores import Counts
from fofe.fusion.vote import WEIGHTED, Rule, fuse
from fofe.text.document import Mention

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))

Text = Sequence[Mention]
"""The mentions of one text."""


@dataclass(frozen=True)
class Confidence:
    """How often mentions with a score are right: never falling, straight between what was seen."""

    scores: FloatArray
    """[B] rising."""
    shares: FloatArray
    """[B] of mentions with such scores that were right."""

    @classmethod
    def fitted(cls, scores: Sequence[float], right: Sequence[bool]) -> Confidence:
        """Isotonic regression: neighbours in the order of scores are joined while the share falls.

        Without any mention to learn from, scores are taken as they are.
        """
        if not scores:
            return cls(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
        blocks: list[tuple[float, float, int]] = []  # the sums of scores and of right ones, and the number
        # Of equal scores the right ones come first, so that they end up in one block.
        for score, is_wrong in sorted((score, not ok) for score, ok in zip(scores, right, strict=True)):
            block = (score, float(not is_wrong), 1)
            while blocks and blocks[-1][1] * block[2] >= block[1] * blocks[-1][2]:
                before = blocks.pop()
                block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
            blocks.append(block)
        sums = np.array(blocks, dtype=np.float64)
        return cls(sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2])

    def of(self, mentions: Iterable[Mention]) -> list[Mention]:
        """The mentions with confidences for scores."""
        return [
            replace(mention, score=float(np.interp(mention.score, self.scores, self.shares)))
            for mention in mentions
        ]


def fit_confidences(gold: Sequence[Text], systems: Sequence[Sequence[Text]]) -> list[Confidence]:
    """The confidence of each system, from what it found in annotated texts."""
    true = [_keys(mentions) for mentions in gold]
    fitted = []
    for texts in systems:
        pairs = [
            (mention.score, (mention.start, mention.end, mention.label) in keys)
            for mentions, keys in zip(texts, true, strict=True)
            for mention in mentions
        ]
        fitted.append(Confidence.fitted([score for score, _ in pairs], [right for _, right in pairs]))
    return fitted


def best_threshold(gold: Sequence[Text], systems: Sequence[Sequence[Text]], rule: Rule) -> float:
    """The threshold of weighted votes with the best F1 on annotated texts; the lowest of equals."""
    true = [_keys(mentions) for mentions in gold]

    def f1(threshold: float) -> float:
        tried = replace(rule, method=WEIGHTED, threshold=threshold)
        counts = Counts()
        for keys, texts in zip(true, zip(*systems, strict=True), strict=True):
            found = _keys(fuse(texts, tried))
            right = len(keys & found)
            counts += Counts(right, len(found) - right, len(keys) - right)
        return counts.f1

    return max(THRESHOLDS, key=f1)


def _keys(mentions: Iterable[Mention]) -> set[tuple[int, int, str]]:
    return {(mention.start, mention.end, mention.label) for mention in mentions}
