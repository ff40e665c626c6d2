"""The component in a spaCy pipeline."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fofe.base.errors import FofeError
from fofe.base.settings import to_toml

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


def test_names_only(tiny_path: Path, tiny_model: Model) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": str(tiny_path), "names": True})
    doc = nlp(TEXT)
    found = [span.text for span in doc.spans["fofe"]]
    assert found == [mention.text for mention in tiny_model.with_options(names=True)(TEXT).mentions]
    assert "mayor" not in found


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


def test_the_default_is_the_installed_model_of_the_language(
    install_model: Callable[[str, str], Path],
) -> None:
    install_model("en", "en")
    nlp = spacy.blank("en")
    nlp.add_pipe("fofe")
    assert nlp(TEXT).ents
    nlp = spacy.blank("fi")
    nlp.add_pipe("fofe")
    with pytest.raises(FofeError, match="no model of the language 'fi' is installed"):
        nlp(TEXT)


def test_a_model_that_does_not_exist_is_an_error_when_it_is_needed() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": "no/such/model"})
    assert nlp.get_pipe("fofe").labels == ()
    with pytest.raises(FofeError, match="no/such/model: there is no such model directory"):
        nlp(TEXT)
    with pytest.raises(FofeError, match="no/such/model"):
        nlp.to_bytes()


@pytest.mark.parametrize("overwrite", [False, True])
def test_entities_of_earlier_components(tiny_path: Path, overwrite: bool) -> None:
    nlp = spacy.blank("en")
    job = {"label": "JOB", "pattern": "the mayor of Bergen", "id": "m1"}
    patterns = [job, {"label": "DATE", "pattern": "2014"}]
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    nlp.add_pipe("fofe", config={"model": str(tiny_path), "overwrite": overwrite})
    doc = nlp(TEXT)
    ents = {(ent.text, ent.label_): ent.id_ for ent in doc.ents}
    assert ("2014", "DATE") in ents, "what nothing overlaps stays in any case"
    assert ("University of Leeds", "ORG") in ents
    assert ents.get(("the mayor of Bergen", "JOB")) == (None if overwrite else "m1")
    assert (("Bergen", "GPE") in ents) is overwrite
    assert ("Bergen", "GPE") in [(span.text, span.label_) for span in doc.spans["fofe"]]


def test_an_inner_mention_stands_for_an_outer_one_that_has_no_room(tiny_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "X", "pattern": "University of"}])
    nlp.add_pipe("fofe", config={"model": str(tiny_path)})
    found = [(ent.text, ent.label_) for ent in nlp(TEXT).ents]
    assert ("University of", "X") in found
    assert ("Leeds", "GPE") in found


def test_labels(tiny_path: Path, tiny_model: Model) -> None:
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("fofe", config={"model": str(tiny_path), "rules": ["contact"]})
    assert set(tiny_model.labels[1:]) | {"EMAIL", "IP"} <= set(pipe.labels)
    assert "NONE" not in pipe.labels
    assert nlp.pipe_labels["fofe"] == list(pipe.labels)


def test_the_pipeline_is_evaluated(tiny_path: Path) -> None:
    from spacy.training import Example

    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": str(tiny_path)})
    gold = nlp(TEXT)
    right = len(gold.ents)
    gold.ents = [*gold.ents[1:], gold.char_span(80, 84, label="DATE")]  # one is spurious, one is missed
    scores = nlp.evaluate([Example(nlp.make_doc(TEXT), gold)])
    share = pytest.approx((right - 1) / right)
    assert (scores["ents_p"], scores["ents_r"], scores["ents_f"]) == (share, share, share)
    assert scores["ents_per_type"]["DATE"]["r"] == 0
    assert scores["spans_fofe_f"] == 1
    nlp.get_pipe("fofe").ents = False
    assert "ents_f" not in nlp.evaluate([Example(nlp.make_doc(TEXT), gold)])


def found(nlp: Any, text: str) -> list[tuple[str, str, float]]:
    doc = nlp(text)  # which its spans need
    group = doc.spans["fofe"]
    return [(span.text, span.label_, score) for span, score in zip(group, group.attrs["scores"], strict=True)]


@pytest.mark.parametrize("way", ["disk", "bytes", "pickle"])
def test_a_stored_pipeline_brings_its_model_and_rules(tiny_path: Path, tmp_path: Path, way: str) -> None:
    folder = tmp_path / "made"
    shutil.copytree(tiny_path, folder / "model")
    (folder / "ships.txt").write_text("sea king\n", "utf-8")
    rule = {"name": "ships", "type": "SHIP", "file": "ships.txt", "ignore_case": True}
    (folder / "ships.toml").write_text(to_toml({"rule": [rule]}), "utf-8")
    nlp = spacy.blank("en")
    rules = [str(folder / "ships.toml"), "contact"]
    nlp.add_pipe("fofe", config={"model": str(folder / "model"), "rules": rules, "threshold": 0.3})
    text = f"{TEXT} anna@berg.no is on the Sea King."
    expected = found(nlp, text)
    assert {("Sea King", "SHIP", 1.0), ("anna@berg.no", "EMAIL", 1.0)} <= set(expected)
    if way == "disk":
        nlp.to_disk(tmp_path / "stored")
        shutil.rmtree(folder)
        again = spacy.load(tmp_path / "stored")
    elif way == "bytes":
        data, own = nlp.to_bytes(), nlp.get_pipe("fofe").to_bytes()
        shutil.rmtree(folder)
        again = spacy.blank("en")
        again.add_pipe("fofe", config={"model": "gone", "threshold": 0.3})
        again.from_bytes(data)
    else:
        data = pickle.dumps(nlp)
        shutil.rmtree(folder)
        again = pickle.loads(data)
    assert found(again, text) == expected
    if way == "bytes":
        again.to_disk(tmp_path / "stored")
        assert found(spacy.load(tmp_path / "stored"), text) == expected
        assert again.get_pipe("fofe").to_bytes() == own


def test_bytes_that_are_broken(tiny_path: Path) -> None:
    pipe = spacy.blank("en").add_pipe("fofe", config={"model": str(tiny_path)})
    with pytest.raises(FofeError, match=r"the component's bytes: is broken: .*zip"):
        pipe.from_bytes(b"nothing of the kind")


def test_several_processes(tiny_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": str(tiny_path)})
    texts = [f"{TEXT} {number}" for number in range(6)]
    one, two = (list(nlp.pipe(texts, n_process=number, batch_size=2)) for number in (1, 2))
    assert [doc.to_json() for doc in two] == [doc.to_json() for doc in one]
    assert list(two[0].spans["fofe"].attrs["scores"]) == list(one[0].spans["fofe"].attrs["scores"])


def test_an_error_goes_to_the_handler_of_the_pipeline(tiny_path: Path) -> None:
    failed = []
    nlp = spacy.blank("en")
    nlp.add_pipe("fofe", config={"model": "no/such/model"})
    nlp.set_error_handler(lambda name, _, docs, error: failed.append((name, len(docs), str(error))))
    assert list(nlp.pipe([TEXT, TEXT])) == []
    assert failed[0][:2] == ("fofe", 2)
    assert "no/such/model" in failed[0][2]
