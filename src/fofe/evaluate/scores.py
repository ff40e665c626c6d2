"""Exact-span scores: a prediction is right if its borders and its label are those of a gold mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

from fofe.evaluate.spans import pair, spans_of
from fofe.text.document import NAME, NOMINAL, Document, split_label

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Counts:
    """Right, wrong and missed mentions, and the percentages that follow from them (0 where undefined)."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    @property
    def precision(self) -> float:
        return _percent(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return _percent(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return _percent(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    def as_dict(self) -> dict[str, float]:
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Micro-averaged scores of all mentions, of names and of nominals, and the scores of each label."""

    overall: Counts
    names: Counts
    nominals: Counts
    labels: dict[str, Counts]

    @classmethod
    def of(cls, labels: Mapping[str, Counts]) -> Evaluation:
        """The evaluation that follows from the counts of each label."""
        by_kind = {NAME: Counts(), NOMINAL: Counts()}
        for label, counts in labels.items():
            by_kind[split_label(label)[1]] += counts
        return cls(
            overall=sum(labels.values(), Counts()),
            names=by_kind[NAME],
            nominals=by_kind[NOMINAL],
            labels=dict(sorted(labels.items())),
        )

    def as_dict(self) -> dict[str, object]:
        return {
            "overall": self.overall.as_dict(),
            "names": self.names.as_dict(),
            "nominals": self.nominals.as_dict(),
            "labels": {label: counts.as_dict() for label, counts in self.labels.items()},
        }


def score_documents(gold: Iterable[Document], predicted: Iterable[Document]) -> Evaluation:
    """Score predicted documents against gold ones: the same texts in the same order."""
    labels: dict[str, Counts] = {}
    for true, guess in pair(gold, predicted):
        of_document = count_by(spans_of([true]), spans_of([guess]), key=lambda span: span.label)
        for label, counts in of_document.items():
            labels[label] = labels.get(label, Counts()) + counts
    return Evaluation.of(labels)


def score_spans(
    gold: Sequence[Set[tuple[int, int, str]]], predicted: Sequence[Set[tuple[int, int, str]]]
) -> Counts:
    """Score sets of (start, end, label), one set for each sentence or document."""
    tp = sum(len(true & guess) for true, guess in zip(gold, predicted, strict=True))
    return Counts(tp, sum(map(len, predicted)) - tp, sum(map(len, gold)) - tp)


def count_by(gold: Set[Item], predicted: Set[Item], key: Callable[[Item], Key]) -> dict[Key, Counts]:
    """The counts of each group that `key` puts mentions in, whether gold or predicted."""
    tp = Counter(map(key, gold & predicted))
    fp = Counter(map(key, predicted - gold))
    fn = Counter(map(key, gold - predicted))
    return {group: Counts(tp[group], fp[group], fn[group]) for group in tp | fp | fn}


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
