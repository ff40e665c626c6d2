"""The labels of a corpus in those of a model: as it was trained on the corpus, or as they are given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fofe.errors import FofeError
from fofe.evaluate.projection import in_labels_of_corpus, mapped
from fofe.model.storage import StoredModel
from fofe.model.tagger import Model
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
    conventions: str | None = None
    """The corpus itself, where the model knows its conventions."""

    def model(self, stored: StoredModel) -> Model:
        """The model in the labels of the corpus, by its conventions."""
        return in_labels_of_corpus(stored, self.labels).with_options(conventions=self.conventions)


def trained_scheme(stored: StoredModel, name: str) -> Scheme:
    """The scheme of a corpus that a model was trained on."""
    known = stored.training.get("corpora", {})
    if name not in known:
        told = ", ".join(known) or "nothing that it tells"
        raise FofeError(f"the model knows no corpus {name!r} (it was trained on: {told})")
    scheme = known[name]
    conventions = name if name in stored.config.conventions else None
    return Scheme(scheme["labels"], not scheme["nested"], scheme["heads"], conventions)


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
