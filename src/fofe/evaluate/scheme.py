"""The labels of a corpus in those of a model: as it was trained on the corpus, or as they are given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fofe.base.errors import FofeError
from fofe.base.settings import build
from fofe.decode import Decoding
from fofe.evaluate.projection import in_labels_of_corpus, mapped
from fofe.tagging.model import Model
from fofe.text.document import NOMINAL, Document, join_label


@dataclass(frozen=True)
class Scheme:
    """How a corpus is annotated, as far as scoring goes."""

    labels: Mapping[str, Iterable[str]]
    """The model's labels that each label of the corpus stands for."""
    flat: bool = False
    """Whether only outermost mentions are annotated."""
    heads: bool = False
    """Whether its nominals are reduced to their head words."""
    bare_names: bool = False
    """Whether its names lose a determiner before them and a possessive 's behind them."""
    conventions: str | None = None
    """The corpus itself, where the model knows its conventions."""
    decoding: Decoding | None = None
    """How to decode in these labels, where that was tuned apart from the model's own."""

    @property
    def shared(self) -> dict[str, list[str]]:
        """The model's labels that several labels of the corpus stand for, with those."""
        owners: dict[str, list[str]] = {}
        for own, of_model in self.labels.items():
            for label in sorted(of_model):
                owners.setdefault(label, []).append(own)
        return {label: of_label for label, of_label in owners.items() if len(of_label) > 1}

    def applied_to(self, model: Model) -> Model:
        """The model in the labels of the corpus, by its conventions."""
        model = in_labels_of_corpus(model, self.labels).with_options(conventions=self.conventions)
        if self.decoding is None:
            return model
        return model.with_options(threshold=self.decoding.threshold, strategy=self.decoding.strategy)


def trained_scheme(model: Model, name: str) -> Scheme:
    """The scheme of a corpus that a model, or each member of an ensemble, was trained on."""
    known = trained_corpora(model)
    if name not in known:
        told = ", ".join(known) or "nothing that it tells"
        raise FofeError(f"the model knows no corpus {name!r} (it was trained on: {told})")
    first, *others = _by_member(model)
    scheme = _told_scheme(first[name])
    if any(_told_scheme(of_member[name]) != scheme for of_member in others):
        raise FofeError(
            f"the members of the ensemble do not agree how {name!r} is annotated (score them one by one)"
        )
    # Those of a calibrated model are for other scores, those of an ensemble's members for each of them alone.
    tuned = None if others or "calibration" in model.training else first[name].get("decoding")
    return replace(
        scheme,
        conventions=name if name in model.config.conventions else None,
        decoding=build(Decoding, tuned) if tuned else None,
    )


def trained_corpora(model: Model) -> list[str]:
    """The names of the corpora that a model, or each member of an ensemble, was trained on."""
    first, *others = _by_member(model)
    return [corpus for corpus in first if all(corpus in of_member for of_member in others)]


def _by_member(model: Model) -> list[Mapping[str, Any]]:
    members = model.training.get("members", [model.training])
    return [training.get("corpora", {}) for training in members]


def _told_scheme(told: Mapping[str, Any]) -> Scheme:
    labels = {label: frozenset(of_model) for label, of_model in told["labels"].items()}
    return Scheme(labels, not told["nested"], told["heads"], told.get("bare_names", False))


def given_scheme(settings: Sequence[str], gold: Iterable[Document], of_model: Collection[str]) -> Scheme:
    """The scheme of settings like `LOC=GPE,FAC`, for the labels that occur in the gold.

    A label on the right that the model lacks is an error: a slip there would only look like a low score.
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
    occurring = sorted({mention.label for document in gold for mention in document.mentions})
    return Scheme({label: mapped(label, mapping) for label in occurring})
