"""The threshold and the strategy that serve the dev sets best."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from fofe.decode import Candidate, resolve
from fofe.decode.select import select
from fofe.decode.view import outer_spans, outermost
from fofe.evaluate.projection import Projection
from fofe.evaluate.scores import Counts, Evaluation, count_by
from fofe.model.storage import Decoding
from fofe.model.tagger import Scorer
from fofe.train.annotation import Annotation, one_to_one
from fofe.train.config import DecodingConfig
from fofe.train.examples import LabelledSentence

SENTENCES_AT_ONCE = 128
MOST = 512


@dataclass(frozen=True)
class Tuned:
    """The best way to decode, and what it reaches on the dev sets, in percent: the mean over the corpora."""

    strategy: str
    threshold: float
    precision: float
    recall: float
    f1: float
    f1_by_corpus: dict[str, float] = field(default_factory=dict)
    """Where there are several."""


@dataclass(frozen=True)
class Judged:
    """The sentences of a corpus and the candidates in them, both in the labels of the corpus."""

    name: str
    gold: list[set[tuple[int, int, str]]]
    candidates: list[list[Candidate]]
    flat: bool = False
    """Whether only the outermost of nested mentions count, since the corpus has no others."""

    def found(self, strategy: str, threshold: float, *, nested: bool) -> Iterator[list[Candidate]]:
        """What is decoded in each sentence."""
        for pool in self.candidates:
            kept = resolve(
                [candidate for candidate in pool if candidate.score >= threshold], strategy, nested
            )
            yield outermost(kept) if self.flat else kept


def judge(
    name: str,
    engine: Scorer,
    sentences: Sequence[LabelledSentence],
    labels: Sequence[str],
    threshold: float,
    *,
    annotation: Annotation | None = None,
    nested: bool = False,
) -> Judged:
    """Score the sentences of a corpus; the candidates are those that reach a threshold.

    What the corpus does not annotate is left out: other labels, mentions inside others where it is flat, and
    all that is found in an unknown region and is no mention there. `nested` says whether the model's mentions
    may nest.
    """
    annotation = annotation or one_to_one(labels[1:])
    own = {label: of_model for label, of_model in annotation.labels.items() if label in annotation.exhaustive}
    projection = Projection.make(labels, own)
    candidates: list[list[Candidate]] = []
    for group in groups(sentences):
        scores = engine.score([sentence.words for sentence in group], [sentence.opens for sentence in group])
        candidates += select(
            scores.fragments,
            scores.token_offsets,
            projection.project(scores.probabilities),
            projection.labels,
            threshold=threshold,
        )
    gold = gold_of(sentences, own, nested=annotation.nested)
    for sentence, wanted, pool in zip(sentences, gold, candidates, strict=True):
        if sentence.unknown:
            pool[:] = [one for one in pool if one[:3] in wanted or not _in_unknown(one, sentence)]
    return Judged(name, gold, candidates, nested and not annotation.nested)


def gold_of(
    sentences: Iterable[LabelledSentence], labels: Container[str], *, nested: bool
) -> list[set[tuple[int, int, str]]]:
    """The mentions of each sentence that are scored: of some labels, in flat annotation the outermost."""
    gold = [{span for span in sentence.spans if span[2] in labels} for sentence in sentences]
    return gold if nested else [_outer(spans) for spans in gold]


def _outer(mentions: set[tuple[int, int, str]]) -> set[tuple[int, int, str]]:
    """The mentions that lie in no longer one."""
    outer = set(outer_spans(mention[:2] for mention in mentions))
    return {mention for mention in mentions if mention[:2] in outer}


def _in_unknown(candidate: Candidate, sentence: LabelledSentence) -> bool:
    return any(start < candidate.end and candidate.start < end for start, end in sentence.unknown)


def groups(sentences: Sequence[LabelledSentence]) -> Iterator[Sequence[LabelledSentence]]:
    """Whole documents, about so many sentences together.

    A very long document is cut, or its fragments would take gigabytes; of what lies further back than that,
    no context remembers anything.
    """
    start = 0
    for end in range(1, len(sentences) + 1):
        size = end - start
        if end == len(sentences) or size >= MOST or (size >= SENTENCES_AT_ONCE and sentences[end].opens):
            yield sentences[start:end]
            start = end


def tune(corpora: Sequence[Judged], config: DecodingConfig) -> Tuned:
    """Try every threshold with every strategy; the first of equals wins.

    What counts is the mean of the corpora's F1, so that a large one does not drown the others.
    """
    best: Tuned | None = None
    for strategy in config.strategies:
        for threshold in config.thresholds:
            counts = {corpus.name: _count(corpus, strategy, threshold, config.nested) for corpus in corpora}
            tuned = _mean(counts, strategy, threshold)
            if best is None or tuned.f1 > best.f1:
                best = tuned
    assert best is not None, "strategies and thresholds are not empty"
    return best


def tune_conventions(
    corpora: Sequence[Judged], config: DecodingConfig, known: Collection[str]
) -> dict[str, Decoding]:
    """For each corpus whose conventions are known, the way to decode that serves its own dev set best."""
    tuned = {corpus.name: tune([corpus], config) for corpus in corpora if corpus.name in known}
    return {name: Decoding(best.threshold, best.strategy, config.nested) for name, best in tuned.items()}


def applied(corpora: Sequence[Judged], common: Decoding, own: Mapping[str, Decoding]) -> Tuned:
    """What a way to decode reaches on corpora, some of which have one of their own."""
    counts = {}
    for corpus in corpora:
        way = own.get(corpus.name, common)
        counts[corpus.name] = _count(corpus, way.strategy, way.threshold, way.nested)
    return _mean(counts, common.strategy, common.threshold)


def _mean(counts: Mapping[str, Counts], strategy: str, threshold: float) -> Tuned:
    return Tuned(
        strategy,
        threshold,
        fmean(one.precision for one in counts.values()),
        fmean(one.recall for one in counts.values()),
        fmean(one.f1 for one in counts.values()),
        {name: one.f1 for name, one in counts.items()} if len(counts) > 1 else {},
    )


def _count(corpus: Judged, strategy: str, threshold: float, nested: bool) -> Counts:
    right = found = 0
    for kept, wanted in zip(corpus.found(strategy, threshold, nested=nested), corpus.gold, strict=True):
        found += len(kept)
        right += sum((start, end, label) in wanted for start, end, label, _ in kept)
    return Counts(right, found - right, sum(map(len, corpus.gold)) - right)


def evaluate(corpus: Judged, way: Decoding) -> Evaluation:
    """The scores of names, nominals and every label of a corpus."""
    gold = {(number, *span) for number, spans in enumerate(corpus.gold) for span in spans}
    predicted = {
        (number, *candidate[:3])
        for number, kept in enumerate(corpus.found(way.strategy, way.threshold, nested=way.nested))
        for candidate in kept
    }
    return Evaluation.of(count_by(gold, predicted, key=lambda span: str(span[3])))
