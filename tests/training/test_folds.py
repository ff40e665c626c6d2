from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fofe
from fofe.base.errors import InputError
from fofe.cli import main
from fofe.model.storage import load_model
from fofe.training.config import load_config
from fofe.training.corpora import read_corpora
from fofe.training.examples import LabelledSentence
from fofe.training.fold import Fold


@given(st.lists(st.booleans(), min_size=5, max_size=60), st.integers(2, 5))
def test_each_sentence_is_left_out_once(opens: list[bool], folds: int) -> None:
    sentences = [LabelledSentence(["a"], [], opens=is_first) for is_first in opens]
    splits = [Fold(number, folds).split(sentences) for number in range(folds)]
    for train, left_out in splits:
        assert sorted(train + left_out) == list(range(len(opens)))
        assert train
        assert left_out
    assert sorted(number for _, left_out in splits for number in left_out) == list(range(len(opens)))


def test_documents_stay_whole() -> None:
    sentences = [LabelledSentence(["a"], [], opens=number % 3 == 0) for number in range(30)]
    for number in range(5):
        _, left_out = Fold(number, 5).split(sentences)
        assert {place // 3 for place in left_out} == {place // 3 for place in left_out if place % 3 == 0}
        assert len(left_out) == 6


def test_too_few_sentences() -> None:
    with pytest.raises(InputError, match="3 sentences are too few for 4 folds"):
        Fold(0, 4).split([LabelledSentence(["a"], [])] * 3)


def test_the_part_that_is_left_out_is_the_dev_set_where_there_is_none(tiny_config: Path) -> None:
    with_dev = load_config(tiny_config)
    whole = read_corpora(with_dev)
    part = read_corpora(with_dev, Fold(0, 3))
    assert len(part.train) == len(whole.train) - len(part.parts[0].held_out)
    assert part.dev == whole.dev
    assert part.labels() == whole.labels()
    text = tiny_config.read_text("utf-8").replace('dev = "dev.jsonl"\n', "")
    alone = tiny_config.with_name("alone.toml")
    alone.write_text(text, encoding="utf-8")
    without = read_corpora(load_config(alone), Fold(0, 3))
    assert without.dev == without.parts[0].held_out
    assert without.test == []
    assert len(without.train) + len(without.dev) == len(whole.train)


def test_an_ensemble_is_trained_and_resumed(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run"
    quick = ["--set", "training.epochs=2", "--set", "gate.enabled=false"]
    command = ["train", str(tiny_config), "-o", str(output), "--folds", "2", *quick]
    assert main(command) == 0
    assert capsys.readouterr().out == f"{output / 'model'}\n"
    first, second = (load_model(output / f"fold-{number}" / "model") for number in (1, 2))
    assert (first.weights["layers.0.weight"] != second.weights["layers.0.weight"]).any()
    model = fofe.load(output / "model")
    assert model.labels == first.labels
    assert main(command) == 2
    before = (output / "fold-1" / "model" / "config.json").stat().st_mtime_ns
    assert main([*command, "--resume"]) == 0
    assert (output / "fold-1" / "model" / "config.json").stat().st_mtime_ns == before
    assert main([*command[:4], "--folds", "1"]) == 2
