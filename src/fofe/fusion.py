"""Joining what several systems found: `fuse` for the mentions of one text, `Predictions` for files.

The scores of different systems cannot be compared. On annotated texts a `Confidence` learns how often each
score of a system was right, and a `Calibration` also the best threshold of weighted votes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import FofeError, InputError
from fofe.base.report import Report
from fofe.decode import Candidate, resolve
from fofe.decode.decoding import Decoding
from fofe.evaluate.scores import score_spans
from fofe.formats import read_corpus, write_corpus
from fofe.kbp.tab import NIL, TabMention, by_document, is_tab, numbered, read_tab, write_tab
from fofe.text.document import Document, Mention

UNION, INTERSECTION, VOTES, WEIGHTED = METHODS = ("union", "intersection", "votes", "weighted")

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))

LabelledSpan = tuple[int, int, str]
"""Start, end and label: what systems agree or differ on."""
Text = Sequence[Mention]
"""The mentions of one system in one text."""


@dataclass(frozen=True)
class Rule:
    """When a mention is kept."""

    method: str = VOTES
    votes: int | None = None
    """How many systems must have found a mention; by default more than half of them."""
    weights: tuple[float, ...] = ()
    """The weight of each system in weighted votes; 1 by default."""
    threshold: float = 0.5
    """The least weighted mean of the confidences; a system without the mention counts as 0."""
    strategy: str = "highest-first"
    """How overlaps are resolved."""
    nested: bool | None = None
    """Whether mentions may lie in one another; by default if those of any system do."""

    def check(self, systems: int) -> None:
        """Raise an error if the rule cannot be applied to this number of systems."""
        if self.method not in METHODS:
            raise FofeError(f"unknown method {self.method!r} (choose from {', '.join(METHODS)})")
        if self.votes is not None and not 1 <= self.votes <= systems:
            raise FofeError(f"{self.votes} votes are impossible (there are {systems} systems)")
        if self.weights and (len(self.weights) != systems or min(self.weights) < 0 or not any(self.weights)):
            raise FofeError(f"{systems} systems need as many weights, none negative and not all 0")
        Decoding().changed(threshold=self.threshold, strategy=self.strategy)

    def votes_needed(self, systems: int) -> int:
        if self.method == UNION:
            return 1
        if self.method == INTERSECTION:
            return systems
        return self.votes or systems // 2 + 1


def fuse(systems: Sequence[Text], rule: Rule | None = None) -> list[Mention]:
    """The mentions of one text that several systems vote for, in reading order.

    The score of a mention is the weighted mean of the confidences if votes are weighted, else (votes - 1 +
    mean confidence of the voters) / systems, which ranks by votes first.
    """
    rule = rule or Rule()
    rule.check(len(systems))
    ballots = [_ballot(mentions) for mentions in systems]
    voted = {key: mention for ballot in reversed(ballots) for key, mention in ballot.items()}
    kept: list[Candidate] = []
    for key in voted:
        score = _score([ballot[key].score if key in ballot else None for ballot in ballots], rule)
        if score is not None:
            kept.append(Candidate(*key, score))
    nested = any(map(_overlapping, ballots)) if rule.nested is None else rule.nested
    return [
        replace(voted[start, end, label], score=score, alternatives=())
        for start, end, label, score in resolve(kept, rule.strategy, nested)
    ]


def _ballot(mentions: Text) -> dict[LabelledSpan, Mention]:
    """The mentions of a system, each once, with its best score."""
    ballot: dict[LabelledSpan, Mention] = {}
    for mention in mentions:
        key = _key(mention)
        if key not in ballot or ballot[key].score < mention.score:
            ballot[key] = mention
    return ballot


def _score(scores: Sequence[float | None], rule: Rule) -> float | None:
    """The score of a mention that the systems have with these confidences, or None if it is not kept."""
    confidences = [None if score is None else min(max(score, 0.0), 1.0) for score in scores]
    if rule.method == WEIGHTED:
        weights = rule.weights or (1.0,) * len(scores)
        mean = sum(w * (c or 0.0) for w, c in zip(weights, confidences, strict=True)) / sum(weights)
        return mean if mean >= rule.threshold else None
    voters = [confidence for confidence in confidences if confidence is not None]
    if len(voters) < rule.votes_needed(len(scores)):
        return None
    return (len(voters) - 1 + sum(voters) / len(voters)) / len(scores)


def _overlapping(ballot: dict[LabelledSpan, Mention]) -> bool:
    """True if any mention begins before the one before it ends."""
    spans = sorted(ballot)
    return any(after[0] < before[1] for before, after in pairwise(spans))


@dataclass(frozen=True)
class Confidence:
    """How often mentions with a score are right: monotone, and linear between the scores that were seen."""

    scores: FloatArray
    """[B] rising."""
    shares: FloatArray
    """[B] of mentions with such scores that were right."""

    @classmethod
    def fitted(cls, found: Sequence[tuple[float, bool]]) -> Confidence:
        """Fit to the scores of mentions, and whether each is right, by isotonic regression.

        Without any mention to learn from, scores stay unchanged.
        """
        if not found:
            return cls(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
        blocks: list[tuple[float, float, int]] = []  # the sum of scores, how many are right, the size
        # Right ones come first among equal scores, so that these end up in one block.
        for score, right in sorted(found, key=lambda one: (one[0], not one[1])):
            block = (score, float(right), 1)
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
    true = [set(map(_key, mentions)) for mentions in gold]

    def found(texts: Sequence[Text]) -> list[tuple[float, bool]]:
        pairs = zip(texts, true, strict=True)
        return [(mention.score, _key(mention) in keys) for mentions, keys in pairs for mention in mentions]

    return [Confidence.fitted(found(texts)) for texts in systems]


def best_threshold(gold: Sequence[Text], systems: Sequence[Sequence[Text]], rule: Rule) -> float:
    """The threshold of weighted votes with the best F1 on annotated texts; the lowest of equals."""
    true = [set(map(_key, mentions)) for mentions in gold]

    def f1(threshold: float) -> float:
        tried = replace(rule, method=WEIGHTED, threshold=threshold)
        fused = (fuse(texts, tried) for texts in zip(*systems, strict=True))
        return score_spans(true, [set(map(_key, mentions)) for mentions in fused]).f1

    return max(THRESHOLDS, key=f1)


@dataclass(frozen=True)
class Calibration:
    """What was learned from annotated texts: the confidence of each system, and the threshold."""

    confidences: list[Confidence]
    threshold: float

    @classmethod
    def learned(cls, gold: str, paths: Sequence[str], rule: Rule, report: Report) -> Calibration:
        """Learn from what the systems found in annotated texts."""
        true, *systems = Predictions([gold, *paths], report).systems()
        fitted = cls(fit_confidences(true, systems), rule.threshold)
        if rule.method != WEIGHTED:
            return fitted
        return replace(fitted, threshold=best_threshold(true, fitted.applied(systems), rule))

    def applied(self, systems: Sequence[Sequence[Text]]) -> list[list[list[Mention]]]:
        """The mentions of each system in each text, with confidences for scores."""
        return [
            [confidence.of(mentions) for mentions in texts]
            for texts, confidence in zip(systems, self.confidences, strict=True)
        ]


def _key(mention: Mention) -> LabelledSpan:
    return mention.start, mention.end, mention.label


class Predictions:
    """What several systems found in the same texts.

    A document that a `.tab` file does not name has no mentions there; its text is not known. Other files have
    the same texts in the same order.
    """

    def __init__(self, paths: Sequence[str], report: Report, *, run: str = "fused") -> None:
        """Read files, either all of them `.tab` files or none; `run` is the id of a run to write."""
        kinds = {is_tab(path) for path in paths}
        if len(kinds) > 1:
            raise FofeError("some of the files are .tab files and others are not (convert them first)")
        self._run = run
        self._runs = [by_document(read_tab(path, report)) for path in paths] if kinds == {True} else []
        if self._runs:
            ids = sorted({id for rows in self._runs for id in rows})
            self._corpora = [
                [Document("", mentions=list(map(_as_mention, rows.get(id, ()))), id=id) for id in ids]
                for rows in self._runs
            ]
        else:
            self._corpora = [list(read_corpus(path, None, report)) for path in paths]
            for path, other in zip(paths[1:], self._corpora[1:], strict=True):
                _check_same_texts(self._corpora[0], other, paths[0], path)

    def systems(self) -> list[list[list[Mention]]]:
        """The mentions of each system in each text."""
        return [[document.mentions for document in corpus] for corpus in self._corpora]

    def fused(self, rule: Rule, calibration: Calibration | None = None) -> list[list[Mention]]:
        """The fused mentions of each text."""
        systems = self.systems()
        if calibration is not None:
            systems = calibration.applied(systems)
            rule = replace(rule, threshold=calibration.threshold)
        return [fuse(texts, rule) for texts in zip(*systems, strict=True)]

    def write(self, fused: list[list[Mention]], path: str, report: Report) -> None:
        """Write the fused mentions of each text, as `.tab` if they were read so."""
        texts = zip(self._corpora[0], fused, strict=True)
        documents = (replace(document, mentions=mentions) for document, mentions in texts)
        if self._runs:
            rows = (row for document in documents for row in self._rows(document))
            write_tab(numbered(list(rows), self._run), path)
        else:
            format = "jsonl" if path == "-" or not Path(path).suffix else None
            write_corpus(documents, path, format, report)

    def _rows(self, document: Document) -> Iterator[TabMention]:
        """The rows of a document, with the KB ids of the first run that has one."""
        links: dict[LabelledSpan, str] = {}
        for rows in self._runs:
            for row in rows.get(document.id, ()):
                if row.kb and not row.kb.startswith(NIL):
                    links.setdefault(_key(_as_mention(row)), row.kb)
        for mention in document.mentions:
            start, end, label = _key(mention)
            kb, score = links.get((start, end, label), ""), round(mention.score, 6)
            yield TabMention(document.id, start, end, mention.text, mention.type, mention.kind, kb, score)


def _as_mention(row: TabMention) -> Mention:
    return Mention(row.start, row.end, row.type, row.kind, row.score, row.text)


def _check_same_texts(
    first: Sequence[Document], other: Sequence[Document], first_path: str, path: str
) -> None:
    """Refuse predictions for other texts, or in another order."""
    remedy = "join what systems found in the same texts, in the same order"
    if len(first) != len(other):
        problem = f"has {len(other)} documents where {first_path} has {len(first)}"
        raise InputError(problem, path=path, remedy=remedy)
    for number, (one, two) in enumerate(zip(first, other, strict=True), start=1):
        if one.id and two.id and one.id != two.id:
            problem = f"document {number} is {two.id!r}, but {one.id!r} in {first_path}"
        elif one.text != two.text:
            problem = f"document {number} has another text than in {first_path}"
        else:
            continue
        raise InputError(problem, path=path, remedy=remedy)
