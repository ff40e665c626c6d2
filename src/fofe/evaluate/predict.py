"""Gold and predictions made comparable: a model's output for annotated documents, by an annotation scheme."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fofe.base.report import Report
from fofe.evaluate.scheme import AnnotationScheme, flat, with_labels, without_inner
from fofe.tagging.model import Model
from fofe.text.document import Document
from fofe.text.phrases import with_bare_names, with_heads


def predict(
    model: Model, gold: Sequence[Document], report: Report, scheme: AnnotationScheme | None, *, heads: bool
) -> tuple[list[Document], list[Document]]:
    """The gold and a model's predictions for its tokens, both in the labels and by the scheme of the gold.

    The report counts the gold mentions that are left out and, without a scheme, those of labels that only one
    side has. `heads` reduces nominals of the gold to their head words, whatever the scheme.
    """
    gold = list(gold)
    if heads or (scheme and scheme.heads):
        gold = list(map(with_heads, gold))
    if scheme and scheme.bare_names:
        gold = list(map(with_bare_names, gold))
    if scheme is None:
        predicted = list(model.tag_documents(gold))
        _note_mismatch(gold, predicted, model.labels, report)
        return gold, predicted
    model = scheme.applied_to(model)
    for label in _labels(gold):
        if label not in model.labels:
            report.note(f"mentions of {label} left out because no label of the model stands for them")
    gold = [with_labels(document, model.labels) for document in gold]
    predicted = list(model.tag_documents(gold))
    if not scheme.flat:
        return gold, predicted
    outer = list(map(without_inner, gold))
    for _ in range(len(_labels(gold)) - len(_labels(outer))):
        report.note("mentions inside others left out because the corpus is annotated flat")
    return outer, list(map(flat, predicted))


def _note_mismatch(
    gold: Sequence[Document], predicted: Sequence[Document], of_model: Collection[str], report: Report
) -> None:
    """Count mentions of labels that only one side has: they are errors, which may not be intended."""
    annotated = _labels(gold)
    for label in annotated:
        if label not in of_model:
            report.note(f"mentions of {label}, a label that the model does not have")
    known = set(annotated)
    for label in _labels(predicted):
        if label not in known:
            report.note(f"predicted mentions of {label}, a label that no mention here has")


def _labels(documents: Sequence[Document]) -> list[str]:
    """The label of every mention."""
    return [mention.label for document in documents for mention in document.mentions]
