"""Names of a gazetteer and of the training mentions, and what of them training leaves out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.features.config import GazetteerConfig
from fofe.features.fragments import all_fragments
from fofe.features.gazetteer import build_gazetteer, save_gazetteer
from fofe.features.name_table import KINDS
from fofe.model.storage import load_model
from fofe.tagging.model import load
from fofe.training.annotation import LabelledSentence
from fofe.training.config import load_config
from fofe.training.run import train
from fofe.training.training_names import ENOUGH_DOCUMENTS, NEIGHBOURS, prepare_names

WORDS = ("Anna", "Berg", "anna", "Oslo", "x")


@st.composite
def labelled(draw: st.DrawFn) -> LabelledSentence:
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
    starts = draw(st.lists(st.integers(0, len(words) - 1), max_size=2, unique=True))
    spans = [
        (start, min(len(words), start + draw(st.integers(1, 2))), draw(st.sampled_from(["PER", "LOC"])))
        for start in starts
    ]
    return LabelledSentence(words, spans, draw(st.booleans()))


def expected(
    words: list[str], own: int, groups: list[int], sentences: list[LabelledSentence]
) -> set[tuple[str, str]]:
    """What a fragment of one group matches among the mentions of the other groups."""
    found = set()
    text = "".join(words)
    for sentence, group in zip(sentences, groups, strict=True):
        for start, end, label in sentence.spans if group != own else ():
            mention, type = sentence.words[start:end], f"{label} in training"
            if text == "".join(mention):
                found.add(("exact", type))
            if text.lower() == "".join(mention).lower():
                found.add(("folded", type))
            if len(words) == 1 and len(mention) > 1 and words[0] == mention[-1]:
                found.add(("last", type))
    return found


@given(st.lists(labelled(), min_size=1, max_size=30))
def test_training_names_count_only_outside_their_own_document(sentences: list[LabelledSentence]) -> None:
    documents = np.cumsum([sentence.opens for sentence in sentences]).tolist()
    if documents[-1] < ENOUGH_DOCUMENTS:
        together = min(NEIGHBOURS, -(-len(sentences) // ENOUGH_DOCUMENTS))
        documents = [number // together for number in range(len(sentences))]
    if not any(sentence.spans for sentence in sentences):
        return
    names = prepare_names(GazetteerConfig(training_names=True), sentences)
    assert names is not None
    offsets = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    fragments = all_fragments(offsets, 3)
    bits = names.training_bits(sentences, fragments).of_fragments()
    columns = [(kind, type) for kind in KINDS for type in names.table.types]
    words = [word for sentence in sentences for word in sentence.words]
    for number, row in enumerate(bits):
        matched = {column for column, bit in zip(columns, row, strict=True) if bit}
        text = words[fragments.firsts[number] : fragments.lasts[number] + 1]
        own = documents[fragments.sentences[number]]
        assert matched == expected(text, own, documents, sentences)


@pytest.fixture
def gazetteer(tmp_path: Path) -> Path:
    path = tmp_path / "names.gazetteer"
    save_gazetteer(build_gazetteer([("Anna Berg", "person"), ("Bergen", "city")], Report()), path)
    return path


def test_names_of_a_gazetteer_are_never_left_out(gazetteer: Path) -> None:
    sentences = [LabelledSentence(["Bergen"], [(0, 1, "LOC")])]
    names = prepare_names(GazetteerConfig(str(gazetteer), training_names=True), sentences)
    assert names is not None
    assert names.table.types == ("city", "person", "LOC in training")
    bits = names.training_bits(sentences, all_fragments(np.array([0, 1]), 1)).of_fragments()
    assert bits.tolist() == [[True, False, False, True, False, False, False, False, False]]


def test_a_model_learns_from_names_and_takes_them_along(
    gazetteer: Path, tiny_config: Path, tmp_path: Path
) -> None:
    overrides = {
        "model.gazetteer": {"file": str(gazetteer), "training_names": True},
        "training.epochs": 3,
        "gate.sentences": 20,
    }
    folder = train(load_config(tiny_config, overrides), tmp_path / "run", command="test")
    stored = load_model(folder)
    assert stored.names is not None
    assert stored.config.gazetteer is not None
    assert stored.config.gazetteer.types[:2] == ("city", "person")
    assert "PER in training" in stored.config.gazetteer.types
    gazetteer.unlink()
    sentences = [["Anna", "Berg", "left", "Bergen", "."]]
    numpy, torch = (
        next(load(folder, engine=engine).with_options(exact=True, threshold=0).tag_tokens(sentences))
        for engine in ("numpy", "torch")
    )
    assert [mention.label for mention in numpy.mentions] == [mention.label for mention in torch.mentions]
    for one, other in zip(numpy.mentions, torch.mentions, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-5)
    again = train(
        load_config(tiny_config, {"training.epochs": 1}),
        tmp_path / "again",
        command="test",
        start=folder,
    )
    assert np.array_equal(load_model(again).names.keys, stored.names.keys)  # type: ignore[union-attr]


def test_a_gazetteer_that_is_not_there_is_told(tiny_config: Path, tmp_path: Path) -> None:
    config = load_config(tiny_config, {"model.gazetteer.file": "none.gazetteer"})
    with pytest.raises(InputError, match="no such gazetteer"):
        train(config, tmp_path / "run", command="test")
