"""How a model that ships decodes, and what it then reaches, in the labels that its users see.

In training, a label of a corpus that stands for several of the model's has the probability of all of them
together. Whoever uses the model sees each label by itself, with its own, lower score: the thresholds and the
strategy are chosen anew for that, on the same dev sets. How it decodes in the labels of a corpus, as `fofe
evaluate --as` asks it to, stays as training found it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fofe.base.settings import to_table
from fofe.decode import Candidate, Decoding
from fofe.decode.agree import agreed
from fofe.decode.candidates import select
from fofe.model.engine import Engine
from fofe.model.storage import StoredModel
from fofe.text.document import NAME, NOMINAL, split_label
from fofe.training.config import DecodingConfig
from fofe.training.corpora import Corpora, Corpus
from fofe.training.scoring import (
    ScoredCorpus,
    gold_of,
    groups,
    scores_with,
    tune,
    tune_schemes,
    without_inner,
)


def scored_as_used(
    model: StoredModel,
    engine: Engine,
    corpus: Corpus,
    part: str,
    threshold: float,
    agreements: Sequence[float] = (),
) -> ScoredCorpus:
    """What the model finds in a part of a corpus, label by label, in the corpus's own labels."""
    annotation = corpus.annotation
    own = {
        of_model: name for label, name in annotation.names.items() for of_model in annotation.labels[label]
    }
    sentences = corpus.part(part)
    found: dict[float, list[list[Candidate]]] = {0.0: [], **{weight: [] for weight in agreements}}
    for words, opens in groups(sentences):
        scores = engine.score(words, opens)
        for weight, candidates in found.items():
            probabilities = agreed(scores.probabilities, scores.fragments, words, opens, weight)
            pools = select(
                scores.fragments, scores.token_offsets, probabilities, model.labels, threshold=threshold
            )
            candidates += [_told(pool, own) for pool in pools]
    gold = gold_of(sentences, annotation)
    flat = model.decoding.nested and not annotation.nested
    return ScoredCorpus(corpus.name, gold, found.pop(0.0), flat, found)


def _told(pool: Sequence[Candidate], own: dict[str, str]) -> list[Candidate]:
    return [one._replace(label=own[one.label]) for one in pool if one.label in own]


def _families(corpora: Sequence[ScoredCorpus]) -> list[ScoredCorpus]:
    """The corpora, with those of a family, such as `crossner_music` and `crossner_ai`, as one."""
    families: dict[str, ScoredCorpus] = {}
    for corpus in corpora:
        name = corpus.name.partition("_")[0]
        if (other := families.get(name)) is not None:
            agreed = {weight: other.agreed[weight] + pools for weight, pools in corpus.agreed.items()}
            gold, candidates = other.gold + corpus.gold, other.candidates + corpus.candidates
            corpus = ScoredCorpus(name, gold, candidates, corpus.flat, agreed)
        families[name] = corpus
    return list(families.values())


def _tuned(
    corpora: Sequence[ScoredCorpus], options: DecodingConfig, strategy: str
) -> tuple[float, float, Decoding]:
    """The F1 of the best decoding with a strategy, its threshold for nominals, and the decoding (for names).

    Few corpora have nominals, and in these many more mentions are nominals than names.
    """
    labels = {span[2] for corpus in corpora for spans in corpus.gold for span in spans}
    nominals = [label for label in labels if split_label(label)[1] == NOMINAL]
    best = tune(corpora, replace(options, strategies=(strategy,)))
    decoding, f1 = best.decoding(nested=options.nested), best.f1
    for own in (True, False, True):
        for threshold in options.thresholds:
            for_nominals = dict.fromkeys(nominals, threshold)
            tried = (
                replace(decoding, thresholds=for_nominals) if own else replace(decoding, threshold=threshold)
            )
            if (reached := scores_with(corpora, tried).f1) > f1:
                decoding, f1 = tried, reached
    nominal = next(iter(decoding.thresholds.values()), decoding.threshold)
    return f1, nominal, replace(decoding, thresholds={})


def _names_of(corpus: ScoredCorpus) -> ScoredCorpus:
    """The outermost names of a corpus, and the candidates that are names."""
    names = ({span for span in spans if split_label(span[2])[1] == NAME} for spans in corpus.gold)
    gold = list(map(without_inner, names))
    pools = {0.0: corpus.candidates, **corpus.agreed}
    kept = {
        weight: [[one for one in pool if split_label(one.label)[1] == NAME] for pool in candidates]
        for weight, candidates in pools.items()
    }
    return ScoredCorpus(corpus.name, gold, kept.pop(0.0), flat=True, agreed=kept)


def with_decoding(model: StoredModel, corpora: Corpora, options: DecodingConfig) -> StoredModel:
    """The model with the threshold and the strategy that serve its users best on the dev sets."""
    engine = Engine(model.config, model.encoder, model.weights, model.gate)
    scored = _families(
        [
            scored_as_used(model, engine, corpus, "dev", min(options.thresholds), options.agreements)
            for corpus in corpora.parts
            if corpus.part("dev")
        ]
    )
    tuned = [_tuned(scored, options, strategy) for strategy in options.strategies]
    _, nominals, best = max(tuned, key=lambda one: one[0])
    flat = best.changed(names=True)
    of_names = replace(options, strategies=(flat.strategy,), agreements=(flat.agreement,), nested=False)
    names = tune([_names_of(corpus) for corpus in scored], of_names)
    conditioned = [
        scored_as_used(
            model,
            engine.conditioned_on(corpus.name),
            corpus,
            "dev",
            min(options.thresholds),
            options.agreements,
        )
        for corpus in corpora.parts
        if corpus.part("dev") and corpus.name in model.config.schemes
    ]
    schemes = {
        name: scheme | {"decoding": to_table(model.decodings.get(name, model.decoding))}
        for name, scheme in model.training["corpora"].items()
    }
    return replace(
        model,
        decoding=replace(
            best,
            thresholds={label: nominals for label in model.labels if split_label(label)[1] == NOMINAL},
            names_threshold=names.threshold,
        ),
        decodings=tune_schemes(conditioned, options, model.config.schemes),
        training={**model.training, "corpora": schemes},
    )
