"""Distillation over plain text: a student learns what its teacher knows, and resumes to the same bits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from fofe.base.errors import FofeError
from fofe.base.journal import Journal
from fofe.cli import main
from fofe.model.engine import Engine
from fofe.model.storage import load_model, save_model
from fofe.tagging.model import load
from fofe.training import plain_text
from fofe.training.callback import Callback
from fofe.training.config import RunConfig, load_config
from fofe.training.corpora import read_corpora
from fofe.training.plain_text import SCALE, Labelling, MixedSampler, PlainText, label_text
from fofe.training.run import distil, train
from fofe.training.setup import prepare

TEXT = """\
Omar Haddad left Leeds for Osaka. Nobody came to Tampere.
Brightwater hired Grace Otieno, said its founder in Porto.
The mayor of Lima met Jan Novak. It rained in New Delhi.
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "plain.txt"
    path.write_text(TEXT * 5, "utf-8")
    return path


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "SHARD_TOKENS", 60)


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def student(tiny_config: Path, **settings: Any) -> RunConfig:
    return load_config(tiny_config, {"training.epochs": 2, "gate.enabled": False, **settings})


def distilled(config: RunConfig, teacher: Path, text: Path, folder: Path, **options: Any) -> Path:
    return distil(config, [str(teacher)], [text], lines, folder, Callback(), **options)


def test_labels_are_the_probabilities_of_the_teacher(tiny_run: Path, text: Path, tmp_path: Path) -> None:
    teacher = load_model(tiny_run / "model")
    job = Labelling((str(tiny_run / "model"),), teacher.labels, teacher.config.max_words)
    with Journal(tmp_path / "labels", "job") as journal:
        label_text(job, lines(text), "en", journal, 1, Callback())
        shards = list(PlainText(journal).of_epoch(0, 10**6, seed=1))
        assert len(shards) > 1
        engine = Engine(teacher.config, teacher.encoder, teacher.weights)
        for shard in shards:
            scores = engine.score(plain_text._sentences(shard), shard["opens"].tolist())
            expected = {
                (first, last - first + 1): probabilities
                for first, last, probabilities in zip(
                    scores.fragments.firsts, scores.fragments.lasts, scores.probabilities, strict=True
                )
                if 1 - probabilities[0] >= plain_text.LEAST
            }
            kept = zip(shard["firsts"], shard["lengths"], shard["probabilities"], strict=True)
            found = {(first, length): probabilities / SCALE for first, length, probabilities in kept}
            assert found.keys() == expected.keys()
            for fragment, probabilities in found.items():
                assert probabilities == pytest.approx(expected[fragment], abs=2e-5)


def test_several_workers_write_the_same_labels(tiny_run: Path, text: Path, tmp_path: Path) -> None:
    teacher = load_model(tiny_run / "model")
    job = Labelling((str(tiny_run / "model"),), teacher.labels, teacher.config.max_words)
    digests = []
    for workers in (1, 2):
        with Journal(tmp_path / str(workers), "job") as journal:
            label_text(job, lines(text), "en", journal, workers, Callback())
            digests.append(PlainText(journal).digest)
    assert digests[0] == digests[1]


def test_a_student_learns_from_the_text(
    tiny_run: Path, tiny_config: Path, text: Path, tmp_path: Path
) -> None:
    settings = {"training.epochs": 6, "training.temperature": 2.0}
    model = load_model(
        distilled(student(tiny_config, **settings), tiny_run / "model", text, tmp_path / "run")
    )
    assert model.training["dev"]["f1"] > 80
    alone = load_model(tiny_run / "model")
    words = [["Nobody", "came", "to", "Tampere", "."]]
    scores = [
        Engine(one.config, one.encoder, one.weights).score(words).probabilities for one in (model, alone)
    ]
    assert scores[0].argmax(axis=1).tolist() == scores[1].argmax(axis=1).tolist()


def test_a_student_of_several_corpora_follows_their_schemes(
    conditioned_path: Path, text: Path, tmp_path: Path
) -> None:
    config = student(conditioned_path.parents[1] / "conditioned.toml", **{"training.epochs": 6})
    model = load(distilled(config, conditioned_path, text, tmp_path / "run"))
    found = model("The mayor of Lima met Jan Novak.").mentions
    assert {"Lima", "mayor"} <= {one.text for one in found}
    names = model.with_options(scheme="names")("The mayor of Lima met Jan Novak.").mentions
    assert "mayor" not in {one.text for one in names}


class Interrupted(Callback):
    """Stops a run at its n-th report of one kind."""

    def __init__(self, labelled: int = -1, epochs: int = -1) -> None:
        self.labelled, self.epochs = labelled, epochs

    def say(self, line: str) -> None:
        if "labelled" in line:
            self.labelled -= 1
            if not self.labelled:
                raise KeyboardInterrupt

    def end_epoch(self, metrics: dict[str, Any]) -> None:
        self.epochs -= 1
        if not self.epochs:
            raise KeyboardInterrupt


@pytest.mark.parametrize("interrupted", [Interrupted(labelled=2), Interrupted(epochs=1)])
def test_a_killed_distillation_ends_with_the_same_weights(
    interrupted: Interrupted, tiny_run: Path, tiny_config: Path, text: Path, tmp_path: Path
) -> None:
    config, teacher = student(tiny_config), tiny_run / "model"
    whole = load_file(distilled(config, teacher, text, tmp_path / "whole") / "model.safetensors")
    with pytest.raises(KeyboardInterrupt):
        distil(config, [str(teacher)], [text], lines, tmp_path / "killed", interrupted)
    with pytest.raises(FofeError, match="--resume"):
        distilled(config, teacher, text, tmp_path / "killed")
    resumed = load_file(
        distilled(config, teacher, text, tmp_path / "killed", resume=True) / "model.safetensors"
    )
    assert all(np.array_equal(whole[name], resumed[name]) for name in whole)


def test_teachers_that_read_less_than_the_student(tiny_config: Path, text: Path, tmp_path: Path) -> None:
    teachers = []
    for words in (2, 3):
        quick = {"training.epochs": 1, "model.max_words": words, "gate.enabled": False}
        teachers.append(str(train(load_config(tiny_config, quick), tmp_path / str(words))))
    distil(student(tiny_config), teachers, [text], lines, tmp_path / "run", Callback())
    for path in (tmp_path / "run" / "labels").glob("*.npz"):
        assert plain_text._read(path)["lengths"].max() <= 2


def test_a_label_that_the_corpora_never_have_alone(
    tiny_run: Path, tiny_config: Path, text: Path, tmp_path: Path
) -> None:
    """What is GPE in the student's corpora may be FAC too; its teacher knows both apart."""
    teacher = Path(shutil.copytree(tiny_run / "model", tmp_path / "teacher"))
    stored = load_model(teacher)
    labels = tuple("FAC" if label == "ORG_NOM" else label for label in stored.labels)
    save_model(replace(stored, labels=labels), teacher)
    corpus = '[[corpus]]\nname = "tiny"\nlabels.GPE = ["GPE", "FAC"]\nlabels.ORG_NOM = []'
    table = tiny_config.read_text("utf-8").replace("[data]", corpus)
    tiny_config.with_name("both.toml").write_text(table, "utf-8")
    config = load_config(tiny_config.with_name("both.toml"), {"training.epochs": 1, "gate.enabled": False})
    distilled(config, teacher, text, tmp_path / "run")


def test_an_epoch_sees_the_surroundings_that_it_begins_with(
    tiny_run: Path, tiny_config: Path, text: Path, tmp_path: Path
) -> None:
    """Training changes the table while a thread makes the batches."""
    config = student(tiny_config, **{"model.surroundings": "cased"})
    teacher = load_model(tiny_run / "model")
    job = Labelling((str(tiny_run / "model"),), teacher.labels, teacher.config.max_words)
    with Journal(tmp_path / "labels", "job") as journal:
        label_text(job, lines(text), "en", journal, 1, Callback())
        sampler = prepare(config, read_corpora(config), plain_text=PlainText(journal)).sampler
        assert isinstance(sampler, MixedSampler)
        table = np.ones((len(sampler.encoder.vocabularies["cased"]), 12), dtype=np.float32)
        sampler.see_surroundings("cased", table, np.ones(len(table), dtype=np.float32))
        made = []
        for _ in range(2):
            made.append([batch.text.surroundings for batch in sampler._text_batches(0)])
            table[:] = 2
    assert any(np.any(one) for one in made[0])
    assert all(np.array_equal(*pair) for pair in zip(*made, strict=True))


def test_teachers_must_have_the_students_labels(
    tiny_run: Path, tiny_config: Path, text: Path, tmp_path: Path
) -> None:
    corpus = '[[corpus]]\nname = "tiny"\nlabels.GPE = "PLACE"'
    table = tiny_config.read_text("utf-8").replace("[data]", corpus)
    other = tiny_config.with_name("other.toml")
    other.write_text(table, "utf-8")
    config = load_config(other)
    with pytest.raises(FofeError, match=r"lacks PLACE.* and also has GPE"):
        distilled(config, tiny_run / "model", text, tmp_path / "run")


def test_the_command_distils(
    tiny_run: Path, tiny_config: Path, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["distil", str(tiny_run / "model"), str(text), "--config", str(tiny_config)]
    settings = ["--set", "training.epochs=1", "--set", "gate.enabled=false"]
    assert main([*command, "-o", str(tmp_path / "run"), *settings]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "run" / "model")
    (tmp_path / "empty.txt").write_text("\n", "utf-8")
    empty = ["distil", str(tiny_run / "model"), str(tmp_path / "empty.txt"), "--config", str(tiny_config)]
    assert main([*empty, "-o", str(tmp_path / "other")]) == 2
    assert "there is no text" in capsys.readouterr().err
