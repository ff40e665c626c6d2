"""Scores on annotated sentences, and the threshold and strategy that serve the dev sets best."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from statistics import fmean

from fofe.decode import Candidate, Decoding, outer_spans, outermost, resolve
from fofe.decode.agree import agreed
from fofe.decode.candidates import select
from fofe.evaluate.corpus_labels import Projection
from fofe.evaluate.scores import Counts, Evaluation, count_by, score_spans
from fofe.model.engine import Scorer
from fofe.text.labels import together
from fofe.training.annotation import Annotation, Sentences, Span, one_to_one
from fofe.training.config import DecodingConfig

SENTENCES_AT_ONCE = 128
MOST = 512


@dataclass(frozen=True)
class Tuned:
    """The best way to decode, and its scores on the dev sets, in percent: the mean over the corpora."""

    strategy: str
    threshold: float
    precision: float
    recall: float
    f1: float
    f1_by_corpus: dict[str, float] = field(default_factory=dict)
    """Where there are several."""
    agreement: float = 0.0

    def decoding(self, *, nested: bool) -> Decoding:
        """The way to decode, as a model stores it."""
        return Decoding(self.threshold, self.strategy, nested, self.agreement)


@dataclass(frozen=True)
class ScoredCorpus:
    """The sentences of a corpus and the candidates in them, both in the labels of the corpus."""

    name: str
    gold: list[set[Span]]
    candidates: list[list[Candidate]]
    flat: bool = False
    """Whether only the outermost of nested mentions count, since the corpus has no others."""
    agreed: dict[float, list[list[Candidate]]] = field(default_factory=dict)
    """The candidates if the types in nearby sentences count, by the weight of these."""

    def found(self, decoding: Decoding) -> Iterator[list[Candidate]]:
        """The mentions that are decoded in each sentence."""
        for pool in self.agreed[decoding.agreement] if decoding.agreement else self.candidates:
            least = decoding.thresholds.get
            reaching = [one for one in pool if one.score >= least(one.label, decoding.threshold)]
            kept = resolve(reaching, decoding.strategy, decoding.nested)
            yield outermost(kept) if self.flat else kept

    def counts(self, decoding: Decoding) -> Counts:
        """The counts of right, wrong and missed mentions."""
        return score_spans(self.gold, [{one[:3] for one in kept} for kept in self.found(decoding)])

    def evaluation(self, decoding: Decoding) -> Evaluation:
        """The scores of names, nominals and every label."""
        gold = {(number, *span) for number, spans in enumerate(self.gold) for span in spans}
        predicted = {(number, *one[:3]) for number, kept in enumerate(self.found(decoding)) for one in kept}
        return Evaluation.of(count_by(gold, predicted, key=lambda span: str(span[3])))


def score_corpus(
    name: str,
    engine: Scorer,
    sentences: Sentences,
    labels: Sequence[str],
    threshold: float,
    *,
    annotation: Annotation | None = None,
    nested: bool = False,
    agreements: Iterable[float] = (),
) -> ScoredCorpus:
    """Score the sentences of a corpus; the candidates are those that reach a threshold.

    What the corpus does not annotate is left out: other labels, mentions inside others where it is flat, and
    whatever is found in an unknown region and is no mention there. `nested` says whether the model's mentions
    may nest, `agreements` lists the weights that the types in nearby sentences may have.
    """
    annotation = annotation or one_to_one(labels[1:])
    own = {label: of_model for label, of_model in annotation.labels.items() if label in annotation.exhaustive}
    projection = Projection(labels, together(own))
    pools: dict[float, list[list[Candidate]]] = {0.0: [], **{weight: [] for weight in agreements}}
    for words, opens in groups(sentences):
        scores = engine.score(words, opens)
        probabilities = projection.project(scores.probabilities)
        for weight, candidates in pools.items():
            agreeing = agreed(probabilities, scores.fragments, words, opens, weight)
            where = scores.fragments, scores.token_offsets
            candidates += select(*where, agreeing, projection.labels, threshold=threshold)
    gold = gold_of(sentences, annotation)
    for candidates in pools.values():
        for sentence, wanted, pool in zip(sentences, gold, candidates, strict=True):
            for start, end in sentence.unknown:
                pool[:] = [one for one in pool if one[:3] in wanted or one.end <= start or end <= one.start]
    return ScoredCorpus(name, gold, pools.pop(0.0), nested and not annotation.nested, pools)


def gold_of(sentences: Sentences, annotation: Annotation) -> list[set[Span]]:
    """The mentions of each sentence that are scored: the outermost in flat annotation."""
    names = annotation.names
    gold = [
        {(start, end, names[own]) for start, end, own in sentence.spans if own in names}
        for sentence in sentences
    ]
    return gold if annotation.nested else list(map(without_inner, gold))


def without_inner(spans: set[Span]) -> set[Span]:
    """The outermost of some mentions; several on one span stay."""
    outer = set(outer_spans(span[:2] for span in spans))
    return {span for span in spans if span[:2] in outer}


def groups(sentences: Sentences) -> Iterator[tuple[list[list[str]], list[bool]]]:
    """Whole documents, about `SENTENCES_AT_ONCE` sentences together: their words, and which open a document.

    A very long one is cut, or its fragments would take gigabytes; no context reaches further back than that.
    """
    start = 0
    for end in range(1, len(sentences) + 1):
        size = end - start
        if end == len(sentences) or size >= MOST or (size >= SENTENCES_AT_ONCE and sentences[end].opens):
            group = sentences[start:end]
            yield [sentence.words for sentence in group], [sentence.opens for sentence in group]
            start = end


def tune(corpora: Sequence[ScoredCorpus], config: DecodingConfig) -> Tuned:
    """Try every threshold with every strategy and agreement; the first of equals wins.

    The criterion is the mean of the corpora's F1, so that a large corpus does not drown the others.
    """
    tried = [
        scores_with(corpora, Decoding(threshold, strategy, config.nested, weight))
        for weight, strategy, threshold in product(config.agreements, config.strategies, config.thresholds)
    ]
    return max(tried, key=lambda tuned: tuned.f1)


def tune_schemes(
    corpora: Sequence[ScoredCorpus], config: DecodingConfig, schemes: Collection[str]
) -> dict[str, Decoding]:
    """For each corpus among the model's annotation schemes, the decoding that serves its own dev set best."""
    tuned = {corpus.name: tune([corpus], config) for corpus in corpora if corpus.name in schemes}
    return {name: best.decoding(nested=config.nested) for name, best in tuned.items()}


def scores_with(
    corpora: Sequence[ScoredCorpus], common: Decoding, own: Mapping[str, Decoding] | None = None
) -> Tuned:
    """The scores on corpora with a way to decode, where some corpora may have their own."""
    counts = {corpus.name: corpus.counts((own or {}).get(corpus.name, common)) for corpus in corpora}
    scores = zip(*((one.precision, one.recall, one.f1) for one in counts.values()), strict=True)
    precision, recall, f1 = map(fmean, scores)
    by_corpus = {name: one.f1 for name, one in counts.items()} if len(counts) > 1 else {}
    return Tuned(common.strategy, common.threshold, precision, recall, f1, by_corpus, common.agreement)
