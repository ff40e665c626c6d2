"""`fofe model inspect`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fofe.cli import main
from fofe.features.feature import Sizes
from fofe.model.engine import weight_shapes
from fofe.model.storage import load_model, save_model


def test_facts_for_eyes(tiny_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "inspect", str(tiny_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    facts = {line.split("  ")[0]: line.split("  ", 1)[1].strip() for line in lines}
    assert facts["language"] == "en"
    assert facts["labels"] == "GPE, ORG, ORG_NOM, PER, PER_NOM"
    assert facts["fragments"] == "up to 4 words"
    assert facts["characters"] == "FOFE, CNN"
    assert facts["hidden layers"] == "32"
    assert facts["view spelling"].startswith("spelling, 12: bag, left_including")
    assert facts["view cased"].startswith("cased, 12, ")
    assert "nested, threshold" in facts["decoding"]
    assert facts["dev"].startswith("P ")
    assert facts["seed"] == "1"


def test_facts_for_programs(tiny_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "inspect", str(tiny_path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["labels"] == ["GPE", "ORG", "ORG_NOM", "PER", "PER_NOM"]
    assert facts["weights"] > 1000
    assert facts["best epoch"] in (2, 4, 6, 8)


def test_word_initials_are_listed(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = load_model(tiny_path)
    characters = replace(model.config.characters, fofe=False, initials=True)
    config = replace(model.config, characters=characters)
    assert model.alphabet is not None
    rows = {name: len(vocabulary) for name, vocabulary in model.vocabularies.items()}
    shapes = weight_shapes(config, Sizes(rows, len(model.alphabet), len(model.labels)), model.gate)
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    save_model(replace(model, model=config, weights=weights), tmp_path / "model")
    assert main(["model", "inspect", str(tmp_path / "model"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["characters"] == ["CNN", "initials"]


def test_a_model_that_ships_has_the_scores_of_the_list_until_it_is_compressed_anew(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {
        "news": {"precision": 90.0, "recall": 87.04, "f1": 88.5},
        "novels": {"precision": 70.5, "recall": 70.0, "f1": 70.25},
    }
    model = load_model(tiny_path)
    shipped = {"licence": "free", "scores": scores, "parts": {"news": "test", "novels": "dev"}}
    save_model(replace(model, training={**model.training, "shipped": shipped}), tmp_path / "model")

    def scored(name: str) -> dict[str, str]:
        assert main(["model", "inspect", str(tmp_path / name), "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        return {name: fact for name, fact in facts.items() if str(fact).startswith("P ")}

    assert scored("model") == {
        "test news": "P 90.00 R 87.04 F1 88.50",
        "dev novels": "P 70.50 R 70.00 F1 70.25",
    }
    assert main(["model", "compress", str(tmp_path / "model"), "-o", str(tmp_path / "small")]) == 0
    capsys.readouterr()
    assert scored("small")["dev"].endswith("(before compression)")
    assert load_model(tmp_path / "small").training["shipped"] == {"licence": "free"}


def test_scores_over_several_corpora_say_how_each_is_scored(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = load_model(tiny_path)
    dev = {**model.training["dev"], "f1_by_corpus": {"news": 80.0, "novels": 70.0}}
    save_model(replace(model, training={**model.training, "dev": dev}), tmp_path / "model")
    assert main(["model", "inspect", str(tmp_path / "model")]) == 0
    assert ", the mean over news and novels, each as by fofe evaluate --as" in capsys.readouterr().out


def test_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "inspect", str(tmp_path / "none")]) == 2
    wanted = (
        f"fofe: {tmp_path / 'none'}: there is no such model directory, and no installed model has that name"
    )
    assert capsys.readouterr().err.startswith(wanted)
