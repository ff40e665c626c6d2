"""The component in a spaCy pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fofe.base.errors import FofeError

if TYPE_CHECKING:
    from fofe.tagging.model import Model

spacy = pytest.importorskip("spacy", reason="the component needs fofe[spacy]")

TEXT = "Anna Berg met the mayor of Bergen. The University of Leeds hired Omar Haddad in 2014."


def test_the_entry_point_is_found_and_spans_have_scores(tiny_path: Path, tiny_model: Model) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": str(tiny_path)})
    doc = nlp(TEXT)
    expected = tiny_model(TEXT).mentions
    assert [(s.start_char, s.end_char, s.label_) for s in doc.spans["fofe"]] == [
        (m.start, m.end, m.label) for m in expected
    ]
    assert list(doc.spans["fofe"].attrs["scores"]) == pytest.approx([m.score for m in expected])
    ents = [(span.text, span.label_) for span in doc.ents]
    assert ("University of Leeds", "ORG") in ents
    assert ("Leeds", "GPE") not in ents


def test_options(tiny_path: Path) -> None:
    nlp = spacy.blank("en")
    options = {"model": str(tiny_path), "spans_key": "found", "ents": False, "threshold": 1.0}
    nlp.add_pipe("fofe", config=options)
    doc = nlp(TEXT)
    assert len(doc.spans["found"]) == 0
    assert not doc.ents


def test_rules_that_end_inside_a_token_take_it_whole(tiny_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": str(tiny_path), "rules": ["contact"]})
    doc = nlp("Server 10.0.0.1/24 answers anna@berg.no.")
    found = [(span.text, span.label_) for span in doc.spans["fofe"]]
    assert ("10.0.0.1/24", "IP") in found
    assert ("anna@berg.no", "EMAIL") in found


def test_a_pipeline_keeps_its_own_tokens_sentences_and_order(tiny_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("fofe", config={"model": str(tiny_path)})
    texts = [f"{TEXT} {number}" for number in range(5)] + ["", "  \n "]
    docs = list(nlp.pipe(texts, batch_size=2))
    assert [doc.text for doc in docs] == texts
    assert [len(doc.spans["fofe"]) for doc in docs[5:]] == [0, 0]
    assert all(len(doc.spans["fofe"]) > 3 for doc in docs[:5])
    assert list(docs[0].spans["fofe"].attrs["scores"]) == pytest.approx(
        list(nlp(texts[0]).spans["fofe"].attrs["scores"])
    )


def test_a_doc_with_mentions_is_stored_by_spacy(tiny_path: Path) -> None:
    from spacy.tokens import Doc

    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": str(tiny_path)})
    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert list(again.spans["fofe"].attrs["scores"]) == list(doc.spans["fofe"].attrs["scores"])


def test_without_a_model_it_says_what_to_do() -> None:
    with pytest.raises(FofeError, match="say which model"):
        spacy.blank("en").add_pipe("fofe")
