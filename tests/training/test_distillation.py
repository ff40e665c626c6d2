"""Networks that learn from what other models say of the training text."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from fofe.cli import main
from fofe.features.config import GazetteerConfig
from fofe.features.fragments import all_fragments
from fofe.features.name_table import NameTable
from fofe.model.engine import Engine
from fofe.model.storage import load_model
from fofe.tagging.model import load
from fofe.text.document import NONE
from fofe.training.annotation import LabelledSentence
from fofe.training.config import TrainingConfig, load_config
from fofe.training.corpora import read_corpora
from fofe.training.distillation import soft_targets_of
from fofe.training.learner import distillation_loss
from fofe.training.training_names import prepare_names, without_own_names

CPU = torch.device("cpu")


def test_soft_targets_are_the_mean_over_teachers(tiny_config: Path, tiny_path: Path, tmp_path: Path) -> None:
    """In the labels of the one who learns; on fragments that are too long for a teacher there are none."""
    other = tmp_path / "other"
    settings = ["--set", "training.seed=2", "--set", "training.epochs=2", "--set", "model.max_words=3"]
    settings += ["--set", "gate.enabled=false"]
    assert main(["train", str(tiny_config), "-o", str(other), *settings]) == 0
    sentences = read_corpora(load_config(tiny_config)).train[:30]
    models = [load_model(tiny_path), load_model(other / "model")]
    labels = [NONE, "NEW", *sorted(models[0].labels[1:], reverse=True)]
    soft_targets = soft_targets_of([str(tiny_path), str(other / "model")], sentences, labels, 4, CPU)
    probabilities = soft_targets.probabilities
    assert soft_targets.known.tolist() == [label != "NEW" for label in labels]
    offsets = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    fragments = all_fragments(offsets, 4)
    assert probabilities.shape == (len(fragments), len(labels))
    said = []
    for model in models:
        scores = Engine(model.config, model.encoder, model.weights).score([one.words for one in sentences])
        places = zip(scores.fragments.firsts.tolist(), scores.fragments.lasts.tolist(), strict=True)
        said.append(dict(zip(places, scores.probabilities, strict=True)))
    order = [models[0].labels.index(label) for label in labels if label != "NEW"]
    for first, last, row in zip(fragments.firsts, fragments.lasts, probabilities, strict=True):
        if last - first + 1 > 3:
            assert not row.any()
            continue
        mean = np.mean([of_model[first, last] for of_model in said], axis=0)[order]
        assert np.delete(row, 1) == pytest.approx(mean, abs=2e-3)
        assert row[1] == 0, "nobody knows it"


def test_an_ensemble_teaches_as_one(tiny_config: Path, tiny_path: Path, tmp_path: Path) -> None:
    sentences = read_corpora(load_config(tiny_config)).train[:5]
    labels = load_model(tiny_path).labels
    together, warm = tmp_path / "together", tmp_path / "warm"
    assert (
        main(["model", "average", str(tiny_path), str(tiny_path), "-o", str(together), "--weights", "3,1"])
        == 0
    )
    shutil.copytree(together, warm)
    table = json.loads((warm / "ensemble.json").read_text("utf-8"))
    (warm / "ensemble.json").write_text(json.dumps(table | {"temperatures": {"PER": 5.0}}), "utf-8")
    alone, as_one, warmed = (
        soft_targets_of([str(path)], sentences, labels, 4, CPU) for path in (tiny_path, together, warm)
    )
    assert as_one.probabilities == pytest.approx(alone.probabilities, abs=2e-3)
    person = list(labels).index("PER")
    assert alone.probabilities[:, person].max() > warmed.probabilities[:, person].max() + 0.01
    assert len({soft_targets.digest for soft_targets in (alone, as_one, warmed)}) == 3


def test_a_teacher_sees_the_names_that_it_saw_in_training() -> None:
    """Not those of the document that it reads, which would tell it the answer."""
    people = ["Anna", "Omar", "Li", "Grace", "Jan", "Petra", "Sam", "Ida", "Ole", "Tor", "Anna"]
    sentences = [LabelledSentence([person, "sang"], [(0, 1, "PER")]) for person in people]
    names = prepare_names(GazetteerConfig(training_names=True), sentences)
    assert names is not None
    fragments = all_fragments(np.arange(0, 2 * len(people) + 1, 2), 1)
    bits = without_own_names(names.table, sentences).training_bits(sentences, fragments).of_fragments()
    assert [bool(row.any()) for row in bits[::2]] == [people.count(person) > 1 for person in people]
    assert np.array_equal(bits, names.training_bits(sentences, fragments).of_fragments())
    others = NameTable.from_pairs(("city",), np.zeros(0, np.uint64), np.zeros(0, np.int64))
    assert not without_own_names(others, sentences).training_bits(sentences, fragments).of_fragments().any()


def test_a_long_text_is_read_in_chunks_with_its_names(
    tiny_config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ["--set", "training.epochs=2", "--set", "model.gazetteer.training_names=true"]
    assert main(["train", str(tiny_config), "-o", str(tmp_path / "run"), *settings]) == 0
    path = tmp_path / "run" / "model"
    sentences, labels = read_corpora(load_config(tiny_config)).train[:60], load_model(path).labels
    at_once = soft_targets_of([str(path)], sentences, labels, 4, CPU)
    monkeypatch.setattr("fofe.training.scoring.SENTENCES_AT_ONCE", 7)
    in_pieces = soft_targets_of([str(path)], sentences, labels, 4, CPU)
    assert in_pieces.probabilities == pytest.approx(at_once.probabilities, abs=2e-3)


def test_the_loss_is_that_of_labels_and_soft_targets() -> None:
    scores = torch.tensor([[1.0, 2.0, 0.5], [0.0, 1.0, 3.0]])
    by_label = torch.tensor([0.4, 0.9])
    soft = torch.tensor([[0.2, 0.7, 0.1], [0.0, 0.0, 0.0]])
    logs = torch.log(torch.softmax(scores, 1))[0]
    wanted = 0.25 * 0.4 + 0.75 * -(0.2 * logs[0] + 0.7 * logs[1] + 0.1 * logs[2])
    losses = distillation_loss(by_label, scores, soft, TrainingConfig(distillation_weight=0.75))
    assert losses.tolist() == pytest.approx([float(wanted), 0.9]), "only the label counts"


def test_what_labels_lack_is_learned_from_a_teacher(
    tiny_config: Path, tiny_path: Path, tmp_path: Path
) -> None:
    """From text with few of its people and places annotated, a model finds those that its teacher knows."""
    lines = (tiny_config.parent / "train.jsonl").read_text("utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    for document in documents[6:]:
        document["mentions"] = [one for one in document["mentions"] if one["type"] not in ("PER", "GPE")]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, documents)), "utf-8")
    settings = [
        f'data.train=["{tmp_path / "train.jsonl"}"]',
        "gate.enabled=false",
        "training.distillation_weight=1.0",
        "sampling.disjoint=1.0",
    ]
    options = [part for setting in settings for part in ("--set", setting)]
    f1 = {}
    for name, teaching in (("alone", []), ("distilled", ["--teacher", str(tiny_path)])):
        assert main(["train", str(tiny_config), "-o", str(tmp_path / name), *options, *teaching]) == 0
        f1[name] = load_model(tmp_path / name / "model").training["dev"]["f1"]
    assert f1["alone"] < 80
    assert f1["distilled"] > 90


def test_a_type_that_a_teacher_does_not_know_is_learned_from_labels(
    tiny_config: Path, tiny_path: Path, tmp_path: Path
) -> None:
    """Going on from a model that teaches, too: what it knows is kept, and a new type is added."""
    lines = (tiny_config.parent / "train.jsonl").read_text("utf-8").splitlines()
    documents = [json.loads(line) for line in lines[:30]]
    for number in range(30):
        mention = {"start": 4, "end": 8, "type": "SHIP"}
        documents.append({"id": f"s{number}", "text": "The Fram left the quay.", "mentions": [mention]})
    corpus = tmp_path / "ships.jsonl"
    corpus.write_text("\n".join(map(json.dumps, documents)), "utf-8")
    settings = [f'data.train=["{corpus}"]', f'data.dev="{corpus}"', "training.epochs=6", "gate.enabled=false"]
    options = [part for setting in settings for part in ("--set", setting)]
    run = ["train", str(tiny_config), "-o", str(tmp_path / "run"), "--from", str(tiny_path)]
    assert main([*run, "--teacher", str(tiny_path), *options]) == 0
    found = load(tmp_path / "run" / "model")("The Fram left the quay.").mentions
    assert [(mention.text, mention.type) for mention in found] == [("Fram", "SHIP")]


def test_a_distilled_run_goes_on_as_if_it_had_not_been_cut_off(
    tiny_config: Path, tiny_path: Path, tmp_path: Path
) -> None:
    command = ["train", str(tiny_config), "--teacher", str(tiny_path), "--set", "training.epochs=4"]
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    with pytest.MonkeyPatch.context() as patch:
        from fofe.training.run import Run

        end = Run._end_epoch

        def cut_off(run: Run, loss: float) -> None:
            end(run, loss)
            if run.progress.epoch == 2:
                raise KeyboardInterrupt

        patch.setattr(Run, "_end_epoch", cut_off)
        assert main([*command, "-o", str(tmp_path / "cut")]) == 130
    assert main([*command, "-o", str(tmp_path / "cut"), "--resume"]) == 0
    whole, cut = (load_model(tmp_path / name / "model").weights for name in ("whole", "cut"))
    for name, weights in whole.items():
        assert np.array_equal(weights, cut[name]), name


def test_teachers_that_cannot_teach_are_refused(
    tiny_config: Path, tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "other.jsonl"
    mention = {"start": 0, "end": 4, "type": "SHIP"}
    corpus.write_text(json.dumps({"id": "1", "text": "Fram sails.", "mentions": [mention]}) + "\n", "utf-8")
    settings = ["--set", f'data.train=["{corpus}"]', "--set", f'data.dev="{corpus}"']
    run = ["train", str(tiny_config), "-o", str(tmp_path / "run")]
    assert main([*run, *settings, "--teacher", str(tiny_path)]) == 2
    assert "this teacher knows labels that the corpora have not: GPE" in capsys.readouterr().err
    assert main([*run, "--teacher", str(tmp_path / "nowhere")]) == 2
    assert "nowhere: there is no such model directory" in capsys.readouterr().err
    assert main([*run, "--set", 'training.teachers=["nobody"]']) == 2
    assert "no installed model has that name" in capsys.readouterr().err
    assert main([*run, "--set", 'training.teachers=["no/body"]']) == 2
    assert f"{tiny_config.parent / 'no/body'}: there is no such" in capsys.readouterr().err
    assert main([*run, "--teacher", str(tiny_path), "--set", "training.distillation_weight=0"]) == 2
    assert "distillation_weight is a share above 0 and at most 1" in capsys.readouterr().err
    assert main([*run, "--teacher", str(tiny_path), "--set", 'model.schemes=["data"]']) == 2
    assert "distillation does not know annotation schemes" in capsys.readouterr().err
