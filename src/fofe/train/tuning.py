"""The threshold and the strategy that serve a dev set best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fofe.decode import Candidate, resolve
from fofe.decode.select import select
from fofe.model.engine import Engine
from fofe.train.config import DecodingConfig
from fofe.train.examples import LabelledSentence

SENTENCES_AT_ONCE = 128


@dataclass(frozen=True)
class Tuned:
    """The best way to decode, and what it reaches on the dev set, in percent."""

    strategy: str
    threshold: float
    precision: float
    recall: float
    f1: float


def dev_candidates(
    engine: Engine, sentences: Sequence[LabelledSentence], labels: Sequence[str], threshold: float
) -> list[list[Candidate]]:
    """The candidates of each sentence that reach a threshold."""
    found: list[list[Candidate]] = []
    for group in _groups(sentences):
        scores = engine.score([sentence.words for sentence in group], [sentence.opens for sentence in group])
        found += select(
            scores.fragments, scores.token_offsets, scores.probabilities, labels, threshold=threshold
        )
    return found


def _groups(sentences: Sequence[LabelledSentence]) -> Iterator[Sequence[LabelledSentence]]:
    """Whole documents, about so many sentences together."""
    start = 0
    for end in range(1, len(sentences) + 1):
        if end == len(sentences) or (end - start >= SENTENCES_AT_ONCE and sentences[end].opens):
            yield sentences[start:end]
            start = end


def tune(
    candidates: Sequence[Sequence[Candidate]], sentences: Sequence[LabelledSentence], config: DecodingConfig
) -> Tuned:
    """Try every threshold with every strategy; the first of equals wins."""
    gold = [set(sentence.spans) for sentence in sentences]
    total = sum(map(len, gold))
    best: Tuned | None = None
    for strategy in config.strategies:
        for threshold in config.thresholds:
            right = found = 0
            for pool, wanted in zip(candidates, gold, strict=True):
                kept = resolve(
                    [candidate for candidate in pool if candidate.score >= threshold], strategy, config.nested
                )
                found += len(kept)
                right += sum((start, end, label) in wanted for start, end, label, _ in kept)
            tuned = _tuned(strategy, threshold, right, found, total)
            if best is None or tuned.f1 > best.f1:
                best = tuned
    assert best is not None, "strategies and thresholds are not empty"
    return best


def _tuned(strategy: str, threshold: float, right: int, found: int, total: int) -> Tuned:
    precision = 100 * right / found if found else 0.0
    recall = 100 * right / total if total else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Tuned(strategy, threshold, precision, recall, f1)
