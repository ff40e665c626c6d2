"""Exact-span scores: a prediction is right if its borders and its label are those of a gold mention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from fofe.base.errors import InputError
from fofe.text.document import NAME, NOMINAL, UNKNOWN, Document, Mention, checked, split_label

Group = TypeVar("Group", bound=Hashable)
Item = TypeVar("Item", bound=Hashable)


class Span(NamedTuple):
    """The unit of comparison: the characters `start` to `end` of a document and their label.

    The label includes type and kind, so a name that is taken for a nominal is an error.
    """

    document: int
    start: int
    end: int
    label: str


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
        return {name: getattr(self, name) for name in ("precision", "recall", "f1", "tp", "fp", "fn")}


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
        overall = sum(labels.values(), Counts())
        return cls(overall, by_kind[NAME], by_kind[NOMINAL], dict(sorted(labels.items())))

    def as_dict(self) -> dict[str, object]:
        summary = {name: getattr(self, name).as_dict() for name in ("overall", "names", "nominals")}
        return {**summary, "labels": {label: counts.as_dict() for label, counts in self.labels.items()}}


def score_documents(gold: Iterable[Document], predicted: Iterable[Document]) -> Evaluation:
    """Score predicted documents against gold ones: the same texts, with the same ids or in the same order."""
    return Evaluation.of(count_by(*paired_spans(gold, predicted), key=lambda span: span.label))


def score_spans(gold: Sequence[Set[Item]], predicted: Sequence[Set[Item]]) -> Counts:
    """Score sets of spans such as (start, end, label), one set per sentence or document."""
    tp = sum(len(true & guess) for true, guess in zip(gold, predicted, strict=True))
    return Counts(tp, sum(map(len, predicted)) - tp, sum(map(len, gold)) - tp)


def count_by(gold: Set[Item], predicted: Set[Item], key: Callable[[Item], Group]) -> dict[Group, Counts]:
    """The counts of each group of gold and predicted mentions; `key` returns the group of a mention."""
    tp = Counter(map(key, gold & predicted))
    fp = Counter(map(key, predicted - gold))
    fn = Counter(map(key, gold - predicted))
    return {group: Counts(tp[group], fp[group], fn[group]) for group in tp | fp | fn}


def spans_of(documents: Iterable[Document]) -> set[Span]:
    """The distinct mentions of the documents: the same span and label twice counts once."""
    return {
        Span(number, mention.start, mention.end, mention.label)
        for number, document in enumerate(documents)
        for mention in document.mentions
    }


def paired_spans(gold: Iterable[Document], predicted: Iterable[Document]) -> tuple[set[Span], set[Span]]:
    """The spans of both sides, which must have the same texts: paired by their ids, else by order."""
    truths, guesses = list(map(checked, gold)), list(map(checked, predicted))
    shared = {true.id for true in truths if true.id} & {guess.id for guess in guesses}
    pairs = list(zip_longest(truths, in_order_of(truths, guesses)))
    for number, (true, guess) in enumerate(pairs, start=1):
        if true is None or guess is None:
            missing = f"{_name(true or guess, number)} is missing in the {'prediction' if true else 'gold'}"
            raise InputError(missing, remedy="give the same documents in the same order")
        if true.id != guess.id and {true.id, guess.id} & shared:
            sides = (
                f"{_name(true, number)} of the gold is paired with {_name(guess, number)} of the prediction"
            )
            raise InputError(sides, remedy="give the same documents in the same order")
        if true.text != guess.text:
            letters = enumerate(zip_longest(true.text, guess.text))
            start = next(at for at, (one, other) in letters if one != other)
            one, other = (document.text[start : start + 20] for document in (true, guess))
            raise InputError(
                f"the texts of {_name(true, number)} differ from character {start} on: "
                f"{one!r} in the gold, {other!r} in the prediction",
                remedy="predict on exactly the text of the gold, in the same order",
            )
    return spans_of(truths), spans_of(guess for _, guess in pairs if guess)


def in_order_of(gold: Sequence[Document], predicted: list[Document]) -> list[Document]:
    """The predictions in the order of the gold, if both have the same ids, each once; else as they are."""
    ids, found = [true.id for true in gold], {guess.id: guess for guess in predicted}
    if len(predicted) == len(ids) == len(found) and found.keys() == set(ids):
        return [found[id] for id in ids]
    return predicted


def _name(document: Document, number: int) -> str:
    return f"document {number} ({document.id})" if document.id else f"document {number}"


def _percent(part: int, total: int) -> float:
    return 100 * part / total if total else 0.0


def without_unknown(gold: Sequence[Document], predicted: Sequence[Document]) -> list[Document]:
    """The predictions without those that overlap an unknown region of the gold, unless they are right.

    Nobody knows whether the others are right.
    """

    def is_known(mention: Mention, true: Document) -> bool:
        overlaps = any(
            region.status == UNKNOWN and region.start < mention.end and mention.start < region.end
            for region in true.regions
        )
        span = (mention.start, mention.end, mention.label)
        return not overlaps or span in ((one.start, one.end, one.label) for one in true.mentions)

    return [
        replace(guess, mentions=[one for one in guess.mentions if is_known(one, true)])
        for true, guess in zip(gold, predicted, strict=True)
    ]
