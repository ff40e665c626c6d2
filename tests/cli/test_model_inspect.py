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


def test_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "inspect", str(tmp_path / "none")]) == 2
    wanted = (
        f"fofe: {tmp_path / 'none'}: there is no such model directory, and no installed model has that name"
    )
    assert capsys.readouterr().err.startswith(wanted)
