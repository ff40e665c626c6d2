"""Votes: which of the mentions that several systems found in a text are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fofe.base.errors import FofeError
from fofe.decode import STRATEGIES, Candidate, resolve
from fofe.text.document import Mention

UNION, INTERSECTION, VOTES, WEIGHTED = METHODS = ("union", "intersection", "votes", "weighted")

Key = tuple[int, int, str]
"""Start, end and label: what systems agree or differ on."""


@dataclass(frozen=True)
class Rule:
    """When a mention is kept."""

    method: str = VOTES
    votes: int | None = None
    """Of how many systems a mention must be; more than half of them where it is not given."""
    weights: tuple[float, ...] = ()
    """What the vote of each system counts when votes are weighted; 1 where it is not given."""
    threshold: float = 0.5
    """What the weighted mean of the confidences must reach; a system without the mention counts as 0."""
    strategy: str = "highest-first"
    """How overlaps are resolved."""
    nested: bool | None = None
    """Whether mentions may lie in one another; if any system's do where it is not given."""

    def check(self, systems: int) -> None:
        """Raise an error if it makes no sense for so many systems."""
        if self.method not in METHODS:
            raise FofeError(f"unknown method {self.method!r} (choose from {', '.join(METHODS)})")
        if self.strategy not in STRATEGIES:
            raise FofeError(f"unknown strategy {self.strategy!r} (choose from {', '.join(STRATEGIES)})")
        if self.votes is not None and not 1 <= self.votes <= systems:
            raise FofeError(f"{self.votes} of {systems} votes cannot be had")
        if self.weights and (len(self.weights) != systems or min(self.weights) < 0 or not any(self.weights)):
            raise FofeError(f"{systems} systems need as many weights, none negative and not all 0")
        if not 0 <= self.threshold <= 1:
            raise FofeError(f"a threshold lies between 0 and 1, not {self.threshold}")

    def votes_needed(self, systems: int) -> int:
        if self.method == UNION:
            return 1
        if self.method == INTERSECTION:
            return systems
        return self.votes or systems // 2 + 1


def fuse(systems: Sequence[Sequence[Mention]], rule: Rule | None = None) -> list[Mention]:
    """The mentions of one text that the votes of several systems leave, in reading order.

    The score of a mention says how it was voted: with weighted votes it is the weighted mean of the
    confidences, else (votes - 1 + mean confidence of the voters) / systems, which ranks by votes first.
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
        for start, end, label, score in _resolved(kept, rule.strategy, nested)
    ]


def _ballot(mentions: Sequence[Mention]) -> dict[Key, Mention]:
    """The mentions of a system, each once, with its best score."""
    ballot: dict[Key, Mention] = {}
    for mention in mentions:
        key = (mention.start, mention.end, mention.label)
        if key not in ballot or ballot[key].score < mention.score:
            ballot[key] = mention
    return ballot


def _score(scores: Sequence[float | None], rule: Rule) -> float | None:
    """The score of a mention that the systems have with these confidences, or None if it is not kept."""
    confidences = [None if score is None else min(max(score, 0.0), 1.0) for score in scores]
    if rule.method == WEIGHTED:
        weights = rule.weights or (1.0,) * len(scores)
        mean = sum(
            weight * (confidence or 0.0) for weight, confidence in zip(weights, confidences, strict=True)
        )
        mean /= sum(weights)
        return mean if mean >= rule.threshold else None
    voters = [confidence for confidence in confidences if confidence is not None]
    if len(voters) < rule.votes_needed(len(scores)):
        return None
    return (len(voters) - 1 + sum(voters) / len(voters)) / len(scores)


def _overlapping(ballot: dict[Key, Mention]) -> bool:
    ends = [0]
    for start, end, _ in sorted(ballot):
        if start < ends[-1]:
            return True
        ends.append(end)
    return False


def _resolved(candidates: list[Candidate], strategy: str, nested: bool) -> Iterator[Candidate]:
    """What the strategy leaves of each heap of overlapping candidates, counted from where the heap begins."""
    heap: list[Candidate] = []
    end = 0
    for candidate in [*sorted(candidates), None]:
        if heap and (candidate is None or candidate.start >= end):
            first = heap[0].start
            shifted = [one._replace(start=one.start - first, end=one.end - first) for one in heap]
            for kept in resolve(shifted, strategy, nested):
                yield kept._replace(start=kept.start + first, end=kept.end + first)
            heap = []
        if candidate is not None:
            heap.append(candidate)
            end = max(end, candidate.end) if len(heap) > 1 else candidate.end
