"""Probabilities in the labels of a corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fofe.base.errors import FofeError
from fofe.base.report import Report
from fofe.evaluate.corpus_labels import (
    AnnotationScheme,
    Projection,
    fitting_corpora,
    flat,
    predict,
    with_labels,
)
from fofe.model.storage import load_model
from fofe.tagging.model import Model
from fofe.text.document import Document, Mention, split_label
from fofe.text.labels import together

LABELS = ("NONE", "FAC", "GPE", "ORG", "PER_NOM")
PROBABILITIES = np.array([[0.1, 0.2, 0.3, 0.25, 0.15], [0.4, 0.0, 0.1, 0.2, 0.3]], np.float32)


def test_a_label_has_the_mass_of_all_it_stands_for_and_the_rest_is_none() -> None:
    projection = Projection(LABELS, {"LOC": ["GPE", "FAC", "ELSEWHERE"], "ORG": ["ORG"], "X": ["Y"]})
    assert projection.labels == ("NONE", "LOC", "ORG")
    assert projection.project(PROBABILITIES).tolist() == [
        pytest.approx([0.25, 0.5, 0.25], abs=1e-6),
        pytest.approx([0.7, 0.1, 0.2], abs=1e-6),
    ]


def test_the_same_labels_change_nothing() -> None:
    projection = Projection(LABELS, {label: [label] for label in LABELS[1:]})
    assert projection.is_identity
    assert projection.project(PROBABILITIES) is PROBABILITIES
    turned = Projection(LABELS, {label: [label] for label in reversed(LABELS[1:])})
    assert not turned.is_identity


def test_none_is_no_label_to_stand_for() -> None:
    projection = Projection(LABELS, {"MAYBE": ["NONE", "ORG"]})
    assert projection.project(PROBABILITIES)[:, 1].tolist() == pytest.approx([0.25, 0.2])
    with pytest.raises(
        FofeError, match=r"no label of the corpus \(A\) stands for one of the model's \(FAC, "
    ):
        Projection(LABELS, {"A": ["B"]})


def test_a_model_that_speaks_the_labels_of_a_corpus(tiny_model: Model) -> None:
    model = AnnotationScheme({"THING": ["GPE", "ORG", "ORG_NOM"]}).applied_to(tiny_model)
    document = model("Anna Berg met the mayor of Bergen.")
    assert [(mention.text, mention.label) for mention in document.mentions] == [("Bergen", "THING")]
    assert model.fresh()("In Lima it rained all day.").mentions[0].label == "THING"


def test_labels_that_share_one_of_the_model_count_as_one(tiny_model: Model) -> None:
    fine = {
        "writer": ["PER"],
        "painter": ["PER"],
        "band": ["ORG"],
        "country": ["GPE"],
        "place": ["FAC", "GPE"],
    }
    assert together(fine) == {"writer": {"PER"}, "band": {"ORG"}, "country": {"FAC", "GPE"}}
    text = "Anna Berg met the mayor of Bergen."
    mentions = [Mention(0, 9, "painter"), Mention(27, 33, "place")]
    (gold,), (found,) = predict(
        tiny_model, [Document(text, mentions=mentions)], Report(), AnnotationScheme(fine), heads=False
    )
    assert [one.label for one in gold.mentions] == ["writer", "country"]
    assert [one.label for one in found.mentions] == ["writer", "country"]


def test_views_of_documents() -> None:
    nested = Document("ab c", mentions=[Mention(1, 2, "A"), Mention(0, 2, "B"), Mention(3, 4, "A", "NOM")])
    assert [(one.start, one.end) for one in flat(nested).mentions] == [(0, 2), (3, 4)]
    assert [one.label for one in with_labels(nested, {"A_NOM": "A_NOM", "B": "C"}).mentions] == ["C", "A_NOM"]


SCHEMES = {
    "novels": {"PER": ["PER"], "PER_NOM": ["PER_NOM"], "GPE": ["GPE"]},
    "tweets": {"PER": ["PER"], "LOC": ["GPE"], "ORG": ["ORG"]},
    "fine": {"writer": ["PER"], "band": ["ORG"]},
    "plain": {"LOC": ["GPE"], "ORG": ["ORG"]},
    "machine": {label: [label] for label in ("GPE", "ORG", "ORG_NOM", "PER", "PER_NOM", "EVENT")},
}


@pytest.mark.parametrize(
    ("gold", "found", "fitting"),
    [
        ("PER GPE", "PER PER_NOM GPE ORG", []),
        ("PER PER_NOM GPE", "PER PER_NOM GPE ORG", ["novels"]),
        ("PER LOC ORG MISC", "PER PER_NOM GPE ORG", ["tweets"]),
        ("writer band", "PER PER_NOM GPE ORG", ["fine"]),
        ("PERSON", "PER PER_NOM GPE ORG", []),
        ("PER ORG EVENT", "PER ORG", []),
        ("", "PER", []),
    ],
)
def test_the_corpora_that_fit_a_gold_better_than_the_model(
    gold: str, found: str, fitting: list[str], tiny_path: Path
) -> None:
    corpora = {name: {"labels": labels, "nested": True, "heads": False} for name, labels in SCHEMES.items()}
    model = Model(replace(load_model(tiny_path), training={"corpora": corpora}))

    def documents(labels: str) -> list[Document]:
        return [Document("x", mentions=[Mention(0, 1, *split_label(label)) for label in labels.split()])]

    assert fitting_corpora(model, documents(gold), documents(found)) == fitting
