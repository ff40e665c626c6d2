"""`fofe model inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fofe.cli import main


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


def test_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "inspect", str(tmp_path / "none")]) == 2
    wanted = (
        f"fofe: {tmp_path / 'none'}: there is no such model directory, and no installed model has that name"
    )
    assert capsys.readouterr().err.startswith(wanted)
