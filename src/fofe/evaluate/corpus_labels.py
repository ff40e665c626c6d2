"""Annotation schemes: gold and predictions made comparable, in the labels of a corpus.

A label of the corpus may stand for several of the model's (`LOC` for `GPE`, `LOC` and `FAC`). Its probability
is the sum of theirs. Labels of the corpus that share one of the model's count as one: the model cannot tell
them apart (`politician` and `writer`, both `PER`). What the corpus does not annotate counts as no mention.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray
from fofe.base.errors import FofeError
from fofe.base.report import Report
from fofe.base.settings import build
from fofe.decode import Decoding, outer_spans, outermost
from fofe.tagging.model import Model, in_labels
from fofe.text.document import NOMINAL, Document, join_label, split_label
from fofe.text.labels import mapped, names_in_scores, together
from fofe.text.phrases import with_bare_names, with_heads


@dataclass(frozen=True)
class AnnotationScheme:
    """How a corpus is annotated, as far as scoring is concerned."""

    labels: Mapping[str, Iterable[str]]
    """The model's labels that each label of the corpus stands for."""
    flat: bool = False
    """Only outermost mentions are annotated."""
    heads: bool = False
    """Nominals are reduced to their head words."""
    bare_names: bool = False
    """Names lose a determiner before them and a possessive 's after them."""
    corpus: str | None = None
    """The corpus that the model is conditioned on, if it was trained so."""
    decoding: Decoding | None = None
    """How to decode in these labels, if that was tuned for this corpus."""

    def applied_to(self, model: Model) -> Model:
        """The model in the labels of the corpus, conditioned on it."""
        projection = Projection(model.labels, together(self.labels))
        model = in_labels(model, projection.labels, projection.project).with_options(scheme=self.corpus)
        if self.decoding is None:
            return model
        return model.with_options(threshold=self.decoding.threshold, strategy=self.decoding.strategy)


def trained_scheme(model: Model, name: str) -> AnnotationScheme:
    """The scheme of a corpus that a model, or each member of an ensemble, was trained on."""
    known = trained_corpora(model)
    if name not in known:
        raise FofeError(
            f"the model was not trained on a corpus {name!r} (its corpora: {', '.join(known) or 'unknown'})"
        )
    first, *others = _corpora_by_member(model)
    scheme = _stored_scheme(first[name])
    if any(_stored_scheme(of_member[name]) != scheme for of_member in others):
        raise FofeError(
            f"the members of the ensemble have different schemes for {name!r} (score them one by one)"
        )
    # A calibrated model has other scores, and an ensemble other ones than its members.
    tuned = None if others or "calibration" in model.training else first[name].get("decoding")
    decoding = build(Decoding, tuned) if tuned else None
    return replace(scheme, corpus=name if name in model.config.schemes else None, decoding=decoding)


def trained_corpora(model: Model) -> list[str]:
    """The names of the corpora that a model, or each member of an ensemble, was trained on."""
    first, *others = _corpora_by_member(model)
    return [corpus for corpus in first if all(corpus in of_member for of_member in others)]


def fitting_corpora(model: Model, gold: Sequence[Document], predicted: Sequence[Document]) -> list[str]:
    """The corpora of a model whose labels fit a gold that its own labels do not fit.

    It has at least half of the gold's, with one that the model lacks or with none found that the gold lacks.
    """
    annotated, found, own = set(_labels(gold)), set(_labels(predicted)), set(model.labels)
    fitting: dict[str, int] = {}
    for name in trained_corpora(model):
        with suppress(FofeError):  # the members of an ensemble may have different ones
            scheme = trained_scheme(model, name)
            stands_for = {label: own.intersection(of_model) for label, of_model in scheme.labels.items()}
            shared = {label for label in annotated if stands_for.get(label)}
            spurious = {label for label, of_model in stands_for.items() if of_model & found} - annotated
            helps = shared - own or (found - annotated and not spurious)
            if shared and helps and 2 * len(shared) >= len(annotated):
                fitting[name] = len(shared)
    return [name for name, shared in fitting.items() if shared == max(fitting.values())]


def _corpora_by_member(model: Model) -> list[Mapping[str, Any]]:
    members = model.training.get("members", [model.training])
    return [training.get("corpora", {}) for training in members]


def _stored_scheme(facts: Mapping[str, Any]) -> AnnotationScheme:
    labels = {label: frozenset(of_model) for label, of_model in facts["labels"].items()}
    return AnnotationScheme(labels, not facts["nested"], facts["heads"], facts.get("bare_names", False))


def given_scheme(
    settings: Sequence[str], gold: Iterable[Document], of_model: Collection[str], report: Report
) -> AnnotationScheme:
    """The scheme of settings like `LOC=GPE,FAC`, for the labels that occur in the gold.

    A label on the right that the model lacks is an error: a typo would only look like a low score. The report
    names labels on the left that the gold lacks, and labels of the model that stand for several of the gold,
    which then count as one.
    """
    mapping: dict[str, list[str]] = {}
    for setting in settings:
        label, separator, values = setting.partition("=")
        if not separator or not label.strip():
            raise FofeError(f"{setting!r} is not LABEL=LABEL,LABEL (for example LOC=GPE,LOC,FAC)")
        mapping[label.strip()] = [value.strip() for value in values.split(",") if value.strip()]
    for value in (value for values in mapping.values() for value in values):
        if not {value, join_label(value, NOMINAL)} & set(of_model):
            raise FofeError(f"--map: the model has no label {value!r} (it has: {', '.join(of_model)})")
    mentions = [mention for document in gold for mention in document.mentions]
    for label in sorted(mapping.keys() - {name for one in mentions for name in (one.label, one.type)}):
        report.found("--map names a label that no mention has", label)
    labels = {label: mapped(label, mapping) for label in sorted({mention.label for mention in mentions})}
    for label in of_model:
        owners = [own for own, of_own in labels.items() if label in of_own]
        if len(owners) > 1:
            what = "labels here that count as one, since --map gives them the same label of the model"
            report.found(what, f"{label} for {' and '.join(owners)}")
        elif not owners:
            report.found("labels of the model left out, since none here stands for them", label)
    return AnnotationScheme(labels)


class Projection:
    """From K labels of a model to K' `labels` of a corpus; NONE is the first of both."""

    def __init__(self, model_labels: Sequence[str], mapping: Mapping[str, Iterable[str]]) -> None:
        """Make it from a mapping from the corpus's labels to the model's; unknown labels are left out."""
        none, *others = model_labels
        members = {own: [label in set(of_model) for label in others] for own, of_model in mapping.items()}
        known = {own: [False, *column] for own, column in members.items() if any(column)}
        if not known:
            raise FofeError(
                f"no label of the corpus ({', '.join(mapping)}) stands for one of the model's "
                f"({', '.join(others)})"
            )
        self.labels = (none, *known)
        # [K, K' - 1] which labels of the model each of the corpus stands for.
        self._members: BoolArray = np.array(list(known.values())).T

    @property
    def is_identity(self) -> bool:
        """True if the corpus has exactly the labels of the model."""
        return np.array_equal(self._members, np.eye(len(self._members), dtype=bool)[:, 1:])

    def project(self, probabilities: FloatArray) -> FloatArray:
        """[F, K] of the model's labels as [F, K'] of the corpus's."""
        if self.is_identity:
            return probabilities
        own = probabilities @ self._members.astype(probabilities.dtype)
        annotated = self._members.any(axis=1)
        none = 1 - probabilities[:, annotated].sum(axis=1, keepdims=True)
        return np.concatenate([none, own], axis=1)


def flat(document: Document) -> Document:
    """The document with only its outermost mentions."""
    return replace(document, mentions=outermost(document.mentions))


def without_inner(document: Document) -> Document:
    """The document without the mentions inside longer ones; several on one span stay."""
    outer = set(outer_spans((mention.start, mention.end) for mention in document.mentions))
    return replace(document, mentions=[one for one in document.mentions if (one.start, one.end) in outer])


def with_labels(document: Document, names: Mapping[str, str]) -> Document:
    """The document with the mentions of some labels only, which may get other names."""
    renamed = [(one, *split_label(names[one.label])) for one in document.mentions if one.label in names]
    return replace(document, mentions=[replace(one, type=type, kind=kind) for one, type, kind in renamed])


def predict(
    model: Model, gold: Sequence[Document], report: Report, scheme: AnnotationScheme | None, *, heads: bool
) -> tuple[list[Document], list[Document]]:
    """The gold and a model's predictions for its tokens, both in the labels and by the scheme of the gold.

    The report counts the gold mentions that are left out and those of labels that only one side has: they are
    errors, which may not be intended. `heads` reduces nominals of the gold to their head
    words, whatever the scheme.
    """
    gold = list(gold)
    if heads or (scheme and scheme.heads):
        gold = list(map(with_heads, gold))
    if scheme and scheme.bare_names:
        gold = list(map(with_bare_names, gold))
    unknown, wrong = ", a label that the model does not have", ""
    names = {label: label for label in model.labels}
    if scheme:
        model = scheme.applied_to(model)
        names = {own: name for own, name in names_in_scores(scheme.labels).items() if name in model.labels}
        unknown, wrong = " left out because no label of the model stands for that", ", counted as wrong"
    for label in _labels(gold):
        if label not in names:
            report.note(f"mentions of {label}{unknown}")
    if scheme:
        gold = [with_labels(document, names) for document in gold]
    predicted = list(model.tag_documents(gold))
    annotated = set(_labels(gold))
    for label in _labels(predicted):
        if label not in annotated:
            report.note(f"predicted mentions of {label}, a label that no mention here has{wrong}")
    if scheme and scheme.flat:
        mentions = len(_labels(gold))
        gold, predicted = list(map(without_inner, gold)), list(map(flat, predicted))
        for _ in range(mentions - len(_labels(gold))):
            report.note("mentions inside others left out because the corpus is annotated flat")
    return gold, predicted


def _labels(documents: Sequence[Document]) -> list[str]:
    """The label of every mention."""
    return [mention.label for document in documents for mention in document.mentions]
