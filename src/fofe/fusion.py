"""Joining what several systems found: `fuse` for the mentions of one text, `Predictions` for files.

The scores of different systems cannot be compared. On annotated texts `learn` finds how often each score of a
system was right, a `Confidence`, and the best threshold of weighted votes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import FofeError, InputError
from fofe.base.report import Report, counted
from fofe.decode import Candidate, resolve
from fofe.decode.decoding import Decoding
from fofe.decode.resolve import HIGHEST_FIRST, NON_CROSSING
from fofe.evaluate.scores import score_spans
from fofe.formats import read_corpus, write_corpus
from fofe.kbp.entities import numbered
from fofe.kbp.tab import NIL, TabMention, is_tab, read_tab, write_tab
from fofe.text.document import Document, Mention, join_label

UNION, INTERSECTION, VOTES, WEIGHTED = METHODS = ("union", "intersection", "votes", "weighted")

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
LOWER_WEIGHTS = (0.5, 0.25, 0.1)
"""What is tried as the weight of a system, besides 1."""

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
    strategy: str | None = None
    """How overlaps are resolved: by default, non-crossing if mentions may nest, else highest-first."""
    nested: bool | None = None
    """Whether mentions may lie in one another; by default if those of any system do."""

    def check(self, systems: int) -> None:
        """Raise an error if the rule cannot be applied to this number of systems."""
        if self.method not in METHODS:
            raise FofeError(f"unknown method {self.method!r} (choose from {', '.join(METHODS)})")
        if self.votes is not None and not 1 <= self.votes <= systems:
            raise FofeError(f"impossible number of votes: {self.votes} of {counted(systems, 'systems')}")
        if self.weights and (len(self.weights) != systems or min(self.weights) < 0 or not any(self.weights)):
            raise FofeError(
                f"give {counted(systems, 'weights')}, one per system, none negative and not all 0"
            )
        Decoding().changed(threshold=self.threshold, strategy=self.strategy)


def fuse(systems: Sequence[Text], rule: Rule | None = None) -> list[Mention]:
    """The mentions of one text that several systems vote for, in reading order.

    The score of a mention is the weighted mean of the confidences if votes are weighted, else (votes - 1 +
    mean confidence of the voters) / systems, which ranks by votes first.
    """
    rule = rule or Rule()
    rule.check(len(systems))
    # Each mention of a system once, with its best score.
    ballots = [
        {_key(one): one for one in sorted(mentions, key=lambda one: one.score)} for mentions in systems
    ]
    voted = {key: mention for ballot in reversed(ballots) for key, mention in ballot.items()}
    kept: list[Candidate] = []
    for key in voted:
        score = _score([ballot[key].score if key in ballot else None for ballot in ballots], rule)
        if score is not None:
            kept.append(Candidate(*key, score))
    nested = any(map(_overlapping, ballots)) if rule.nested is None else rule.nested
    strategy = rule.strategy or (NON_CROSSING if nested else HIGHEST_FIRST)
    return [
        replace(voted[start, end, label], score=score, alternatives=())
        for start, end, label, score in resolve(kept, strategy, nested)
    ]


def _score(scores: Sequence[float | None], rule: Rule) -> float | None:
    """The score of a mention that the systems have with these confidences, or None if it is not kept."""
    confidences = [None if score is None else min(max(score, 0.0), 1.0) for score in scores]
    if rule.method == WEIGHTED:
        weights = rule.weights or (1.0,) * len(scores)
        mean = sum(w * (c or 0.0) for w, c in zip(weights, confidences, strict=True)) / sum(weights)
        return mean if mean >= rule.threshold else None
    voters = [confidence for confidence in confidences if confidence is not None]
    needed = {UNION: 1, INTERSECTION: len(scores)}.get(rule.method, rule.votes or len(scores) // 2 + 1)
    if len(voters) < needed:
        return None
    return (len(voters) - 1 + sum(voters) / len(voters)) / len(scores)


def _overlapping(spans: Iterable[LabelledSpan]) -> bool:
    """True if any begins before the one before it ends."""
    return any(after[0] < before[1] for before, after in pairwise(sorted(spans)))


@dataclass(frozen=True)
class Confidence:
    """How often mentions with a score are right: monotone, and linear between the scores that were seen."""

    scores: FloatArray
    """[B] rising."""
    shares: FloatArray
    """[B] of mentions with such scores that were right."""

    @classmethod
    def fitted(cls, found: Sequence[tuple[float, bool]]) -> Confidence:
        """Fit by isotonic regression to scores and whether each is right; without any, scores stay."""
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


def learn(
    gold: Sequence[Text], systems: Sequence[Sequence[Text]], rule: Rule
) -> tuple[list[Confidence], Rule]:
    """The confidence of each system and, if votes are weighted, the weights and threshold with the best F1.

    All are learnt from what the systems found in annotated texts. Weights that the rule gives stay; otherwise
    one system after another tries lower ones. Equal weights and low thresholds are preferred among equals.
    """
    true = [set(map(_key, mentions)) for mentions in gold]
    confidences = []
    for texts in systems:
        pairs = zip(texts, true, strict=True)
        found = [(one.score, _key(one) in keys) for mentions, keys in pairs for one in mentions]
        confidences.append(Confidence.fitted(found))
    if rule.method != WEIGHTED:
        return confidences, rule
    calibrated = _calibrated(systems, confidences)

    def f1(tried: Rule) -> float:
        fused = (fuse(texts, tried) for texts in zip(*calibrated, strict=True))
        return score_spans(true, [set(map(_key, mentions)) for mentions in fused]).f1

    def at_thresholds(rule: Rule) -> list[Rule]:
        return [replace(rule, threshold=threshold) for threshold in THRESHOLDS]

    if rule.weights:
        return confidences, max(at_thresholds(rule), key=f1)
    best = max(at_thresholds(replace(rule, weights=(1.0,) * len(systems))), key=f1)
    for number in range(len(systems)):
        first, last = best.weights[:number], best.weights[number + 1 :]
        lower = [replace(best, weights=(*first, weight, *last)) for weight in LOWER_WEIGHTS]
        best = max([best, *(tried for one in lower for tried in at_thresholds(one))], key=f1)
    return confidences, best


def _calibrated(systems: Sequence[Sequence[Text]], confidences: Sequence[Confidence]) -> list[list[Text]]:
    """The mentions of each system in each text, with confidences for scores."""
    pairs = zip(systems, confidences, strict=True)
    return [[confidence.of(mentions) for mentions in texts] for texts, confidence in pairs]


def _key(mention: Mention | TabMention) -> LabelledSpan:
    return mention.start, mention.end, join_label(mention.type, mention.kind)


class Predictions:
    """What several systems found in the same texts.

    A document that a `.tab` file does not name has no mentions there; its text is not known. Other files have
    the same texts in the same order.
    """

    def __init__(self, paths: Sequence[str], report: Report) -> None:
        """Read files, either all of them `.tab` files or none."""
        self._are_tabs = is_tab(paths[0])
        self._links: dict[tuple[str, LabelledSpan], str] = {}
        if any(is_tab(path) != self._are_tabs for path in paths):
            raise FofeError("some of the files are .tab files and others are not (convert them first)")
        if self._are_tabs:
            self._corpora = self._read_tabs([read_tab(path, report) for path in paths])
        else:
            self._corpora = [list(read_corpus(path, None, report)) for path in paths]
            for path, other in zip(paths[1:], self._corpora[1:], strict=True):
                if problem := _difference(self._corpora[0], other, paths[0]):
                    remedy = "join what systems found in the same texts, in the same order"
                    raise InputError(problem, path=path, remedy=remedy)

    def _read_tabs(self, runs: list[list[TabMention]]) -> list[list[Document]]:
        """The documents of each run; a mention is linked as in the first run that has a KB id for it."""
        for row in chain.from_iterable(runs):
            if row.kb and not row.kb.startswith(NIL):
                self._links.setdefault((row.document, _key(row)), row.kb)
        ids = sorted({row.document for row in chain.from_iterable(runs)})
        corpora = []
        for rows in runs:
            documents = {id: Document("", id=id) for id in ids}
            for row in rows:
                mention = Mention(row.start, row.end, row.type, row.kind, row.score, row.text)
                documents[row.document].mentions.append(mention)
            corpora.append(list(documents.values()))
        return corpora

    def systems(self) -> list[list[list[Mention]]]:
        """The mentions of each system in each text."""
        return [[document.mentions for document in corpus] for corpus in self._corpora]

    def fused(self, rule: Rule, confidences: Sequence[Confidence] | None = None) -> list[list[Mention]]:
        """The fused mentions of each text."""
        systems = self.systems() if confidences is None else _calibrated(self.systems(), confidences)
        return [fuse(texts, rule) for texts in zip(*systems, strict=True)]

    def write(self, fused: list[list[Mention]], path: str, report: Report, *, run: str = "fused") -> None:
        """Write the fused mentions of each text, as a `.tab` file with that run id if they were read so."""
        texts = zip(self._corpora[0], fused, strict=True)
        if self._are_tabs:
            rows = (self._row(document.id, mention) for document, mentions in texts for mention in mentions)
            write_tab(numbered(rows, run), path)
        else:
            format = "jsonl" if path == "-" or not Path(path).suffix else None
            documents = (replace(document, mentions=mentions) for document, mentions in texts)
            write_corpus(documents, path, format, report)

    def _row(self, id: str, mention: Mention) -> TabMention:
        start, end, text, score = mention.start, mention.end, mention.text, round(mention.score, 6)
        kb = self._links.get((id, _key(mention)), "")
        return TabMention(id, start, end, text, mention.type, mention.kind, kb, score)


def _difference(first: Sequence[Document], other: Sequence[Document], first_path: str) -> str | None:
    """Where predictions are for other texts than the first, or in another order."""
    if len(first) != len(other):
        return f"has {counted(len(other), 'documents')} where {first_path} has {len(first)}"
    for number, (one, two) in enumerate(zip(first, other, strict=True), start=1):
        if one.id and two.id and one.id != two.id:
            return f"document {number} is {two.id!r}, but {one.id!r} in {first_path}"
        if one.text != two.text:
            return f"document {number} has another text than in {first_path}"
    return None
