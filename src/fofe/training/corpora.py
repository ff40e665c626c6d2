"""The corpora of a run: their labelled sentences, and how each is annotated."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.decode import outer_spans
from fofe.decode.resolve import NON_CROSSING
from fofe.formats import read_corpus
from fofe.text.document import NONE, Document, join_label, split_label
from fofe.text.labels import mapped
from fofe.text.phrases import with_bare_names, with_heads
from fofe.text.tokenise import tokeniser
from fofe.training.annotation import NEGATIVE, OFF_TOKENS, Annotation, Sentences, labelled_sentences
from fofe.training.config import START, CorpusConfig, RunConfig, load_config

HELD_OUT_SHARE = 0.05
FEW_MENTIONS = 20
"""With fewer in a dev set, each is worth more than 5 % of recall."""


@dataclass(frozen=True)
class Fold:
    """One of several ways to leave out a part of the training sentences, numbered from 0."""

    number: int
    folds: int

    def split(self, sentences: Sentences) -> tuple[list[int], list[int]]:
        """The numbers of the sentences to train on, and of those that are left out.

        Each sentence is left out by exactly one fold. Documents stay whole unless there are too few of them.
        """
        units = np.cumsum([sentence.opens for sentence in sentences])
        if len(np.unique(units)) < self.folds:
            units = np.arange(len(sentences))
        if len(units) < self.folds:
            raise InputError(f"too few sentences for {self.folds} folds: {len(sentences)}")
        order = np.random.default_rng(0).permutation(np.unique(units))
        left_out = np.isin(units, order[self.number :: self.folds])
        return np.flatnonzero(~left_out).tolist(), np.flatnonzero(left_out).tolist()


@dataclass(frozen=True)
class Corpus:
    """One corpus of a run."""

    config: CorpusConfig
    annotation: Annotation
    train: Sentences
    dev: Sentences
    test: Sentences
    held_out: Sentences = field(default_factory=list)
    """The part that the fold leaves out: only its labels are used."""

    @property
    def name(self) -> str:
        return self.config.name

    def part(self, name: str) -> Sentences:
        """The sentences of train, dev or test."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[name]

    def scheme(self) -> dict[str, Any]:
        """The annotation as a model stores it: enough to be scored on the corpus, in plain values."""
        exhaustive = sorted(self.annotation.exhaustive)
        return {
            "labels": {label: sorted(self.annotation.labels[label]) for label in exhaustive},
            "nested": self.annotation.nested,
            "heads": self.config.heads,
            "bare_names": self.config.bare_names,
        }


@dataclass(frozen=True)
class Corpora:
    """All corpora of a run."""

    parts: tuple[Corpus, ...]
    report: Report

    @property
    def train(self) -> Sentences:
        """The training sentences, corpus after corpus."""
        return [sentence for part in self.parts for sentence in part.train]

    def labels(self) -> list[str]:
        """NONE and the model's labels, in order: for training and dev sentences, those of other folds too."""
        labels: set[str] = set()
        for part in self.parts:
            labels |= part.annotation.present(_own_labels([*part.train, *part.dev, *part.held_out]))
        return [NONE, *sorted(labels - {NONE})]


def read_corpora(config: RunConfig, fold: Fold | None = None) -> Corpora:
    """Read the corpora of a configuration; what has no dev or test set holds out 5 % for each of them.

    With a fold, its part of each corpus is not trained on: it is the dev set of a corpus that has none.
    """
    tokeniser(config.model.language)  # An unknown language is an error now, not when the model is first used.
    report = Report()
    corpora = Corpora(tuple(_read(corpus, config, fold, report) for corpus in config.corpora), report)
    _note_unlearnable_labels(corpora)
    _note_trained_on(config, report)
    _note_lone_sentences(config, report)
    _note_few_mentions(corpora)
    return corpora


def start_config(train: Iterable[str], dev: str | None, settings: Mapping[str, Any]) -> RunConfig:
    """The configuration of a training that has none: the one to start from, nested if the corpora are.

    `settings` has dotted keys and the values that replace others.
    """
    files = {"data.train": list(train), "data.dev": dev}
    config = load_config(START, {**files, **settings}, folder=Path.cwd())
    if not settings.keys().isdisjoint(("decoding.nested", "decoding.strategies")):
        return config
    if not any(corpus.annotation.nested for corpus in read_corpora(config).parts):
        return config
    strategies = (*config.decoding.strategies, NON_CROSSING)
    return replace(config, decoding=replace(config.decoding, nested=True, strategies=strategies))


def _read(corpus: CorpusConfig, config: RunConfig, fold: Fold | None, report: Report) -> Corpus:
    def sentences(path: str, unannotated: str) -> Sentences:
        documents = _documents(path, corpus, config.model.language, report)
        language = tokeniser(config.model.language).language
        return labelled_sentences(documents, report, unannotated=unannotated, language=language)

    train = [sentence for path in corpus.train for sentence in sentences(path, corpus.unannotated)]
    if corpus.scored or corpus.types is None:  # else it may say that there is nothing to find
        _not_empty(train, corpus.train[0], report)
    test = sentences(corpus.test, NEGATIVE) if corpus.test else []
    held_out: Sentences = []
    if fold is not None and corpus.scored:
        train, held_out = (_chosen(train, numbers) for numbers in fold.split(train))
    if not corpus.scored:
        dev = []
    elif corpus.dev is not None:
        dev = _not_empty(sentences(corpus.dev, NEGATIVE), corpus.dev, report)
    elif fold is not None:
        dev = held_out
    elif corpus.test:
        train, dev = _split(train, 1)
    else:
        train, dev, test = _split(train, 2)
    max_words = config.model.max_words
    what = f"training mentions of more than max_words = {max_words} words, which no fragment can match"
    for sentence in train:
        for start, end, _ in sentence.spans:
            if end - start > max_words:
                report.note(what, " ".join(sentence.words[start:end]))
    everything = [*train, *held_out, *dev, *test]
    annotation = make_annotation(corpus, everything, report, nested_model=config.decoding.nested)
    what = "that a model without decoding.nested = true does not find"
    if not annotation.nested:
        what = f"in corpus {corpus.name!r}, which has nested = false: learned, but not scored"
    for sentence in everything if not (annotation.nested and config.decoding.nested) else ():
        outer = set(outer_spans(span[:2] for span in sentence.spans))
        for start, end, _ in sentence.spans:
            if (start, end) not in outer:
                report.note(f"mentions inside others {what}", " ".join(sentence.words[start:end]))
    ignored = {label for label in _own_labels(everything) if not annotation.labels[label]}
    parts = [_without(ignored, part, report) for part in (train, dev, test, held_out)]
    return Corpus(corpus, annotation, *parts)


def make_annotation(
    corpus: CorpusConfig, sentences: Sentences, report: Report, *, nested_model: bool
) -> Annotation:
    """How a corpus is annotated: as it is configured, and for the rest as its sentences look."""
    occurring = _own_labels(sentences)
    types = {split_label(label)[0] for label in occurring}
    kinds = {split_label(label)[1] for label in occurring}
    exhaustive = {
        join_label(type, kind)
        for type in (types if corpus.types is None else corpus.types)
        for kind in (kinds if corpus.kinds is None else corpus.kinds)
    }
    for key in corpus.labels:
        if key not in occurring | types:
            report.note(f"labels in the mapping of corpus {corpus.name!r} without a mention there", key)
    nested = _any_overlap(sentences) if corpus.nested is None else corpus.nested
    labels = {label: mapped(label, corpus.labels) for label in sorted(occurring | exhaustive)}
    strict = nested or not nested_model
    inside, around = (NEGATIVE, NEGATIVE) if strict else (corpus.inside, corpus.around)
    return Annotation(labels, frozenset(exhaustive), nested, inside, around)


def _own_labels(sentences: Sentences) -> set[str]:
    return {label for sentence in sentences for _, _, label in sentence.spans}


def _any_overlap(sentences: Sentences) -> bool:
    """Whether any two mentions on different spans share a token."""
    return any(
        later < end
        for sentence in sentences
        for (_, end), (later, _) in pairwise(sorted({span[:2] for span in sentence.spans}))
    )


def _without(labels: Container[str], sentences: Sentences, report: Report) -> Sentences:
    """The sentences without the mentions of labels that stand for none of the model's."""
    kept = []
    for sentence in sentences:
        for label in (span[2] for span in sentence.spans if span[2] in labels):
            report.note(f"mentions of {label} left out because the mapping gives that no label")
        kept.append(replace(sentence, spans=[span for span in sentence.spans if span[2] not in labels]))
    return kept


def _note_unlearnable_labels(corpora: Corpora) -> None:
    """Report the dev mentions that cannot be learned: no training mention has their label."""
    learned: set[str] = set()
    for part in corpora.parts:
        learned |= part.annotation.present(_own_labels([*part.train, *part.held_out]))
    for part in corpora.parts:
        for _, _, label in (span for sentence in part.dev for span in sentence.spans):
            if not part.annotation.labels[label] & learned:
                corpora.report.note("dev mentions with a label that no training mention has", label)


def _documents(path: str, corpus: CorpusConfig, language: str, report: Report) -> Iterable[Document]:
    options: dict[str, Any] = {"language": language, "retokenise": corpus.retokenise}
    if (corpus.token_column, corpus.tag_column) != (0, -1):
        options |= {"token_column": corpus.token_column, "tag_column": corpus.tag_column}
    if corpus.tag_names:
        options["tag_names"] = corpus.tag_names
    documents: Iterable[Document] = read_corpus(path, corpus.format, report, **options)
    if corpus.heads:
        documents = map(with_heads, documents)
    return map(with_bare_names, documents) if corpus.bare_names else documents


_LOOK = "check the format and the tag column; fofe corpus check shows what is read"
_COUNT = "offsets count code points from 0, and the end is behind the last one"


def _not_empty(sentences: Sentences, path: str, report: Report) -> Sentences:
    if any(sentence.spans for sentence in sentences):
        return sentences
    if places := report.places.get(OFF_TOKENS):
        raise InputError(f"has no mention on token borders (first: {places[0]})", path=path, remedy=_COUNT)
    raise InputError("has no labelled mention", path=path, remedy=_LOOK)


def _note_trained_on(config: RunConfig, report: Report) -> None:
    """Report the dev and test sets that are also trained on."""
    trained = {Path(path).resolve() for corpus in config.corpora for path in corpus.train}
    for corpus in config.corpora:
        for name, path in (("dev", corpus.dev), ("test", corpus.test)):
            if path and Path(path).resolve() in trained:
                report.note(f"{name} sets among the training corpora, whose scores say little", path)


def _note_lone_sentences(config: RunConfig, report: Report) -> None:
    """Report where settings that look beyond a sentence are chosen on sentences held out one by one."""
    reaching = config.model.receptive_field or any(config.decoding.agreements)
    for corpus in config.corpora:
        if reaching and corpus.scored and corpus.dev is None:
            lack = "they lack the sentences around them (name a dev set of whole documents)"
            what = f"training sets without a dev set, of which single sentences are held out: {lack}"
            report.note(what, corpus.name)


def _note_few_mentions(corpora: Corpora) -> None:
    """Report where epoch and threshold are chosen on next to nothing."""
    for part in corpora.parts:
        mentions = sum(len(sentence.spans) for sentence in part.dev)
        if part.config.scored and part.config.dev is None and mentions < FEW_MENTIONS:
            lack = f"fewer than {FEW_MENTIONS} mentions are held out, too few to tune by"
            what = f"training sets without a dev set, of which {lack} (give a dev set, or more data)"
            corpora.report.note(what, f"{part.name} with {mentions}")


def _split(sentences: Sentences, held_out: int) -> list[Sentences]:
    """The training sentences, then so many parts that are held out; the split is always the same."""
    if len(sentences) < 20:
        problem = f"too few sentences to hold some out: {len(sentences)}"
        raise InputError(problem, remedy="add a dev corpus, by --dev or under [data]")
    order = np.random.default_rng(0).permutation(len(sentences))
    size = max(1, round(HELD_OUT_SHARE * len(sentences)))
    *held, rest = np.split(order, [size * number for number in range(1, held_out + 1)])
    return [_chosen(sentences, part.tolist()) for part in (rest, *held)]


def _chosen(sentences: Sentences, numbers: list[int]) -> Sentences:
    """Some sentences in their order; one whose predecessor is not among them opens a document."""
    members = set(numbers)
    return [
        replace(sentences[number], opens=sentences[number].opens or number - 1 not in members)
        for number in sorted(members)
    ]
