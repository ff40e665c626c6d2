"""The report on benchmarks: the paper's figures, and pages from whatever is recorded."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A module of benchmarks by its name, with a record of the test's own."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.setattr(importlib.import_module("_record"), "RESULTS", tmp_path / "results.jsonl")
    return importlib.import_module


def test_the_figures_of_the_paper_agree_with_each_other(benchmarks: Any) -> None:
    """F1 follows from precision and recall, up to their rounding: a slip in copying would show."""
    paper = benchmarks("_paper_tables")
    triples = [row.paper for row in paper.ROWS]
    triples += [scores for _, scores in paper.TRAINING_DATA.values()]
    triples += [scores for _, *both in paper.BY_LANGUAGE.values() for scores in both]
    triples += [scores for run in paper.OFFICIAL.values() for groups in run.values() for scores in groups]
    assert len(triples) == 14 + 3 + 8 + 24
    for precision, recall, f1 in triples:
        expected = 2 * precision * recall / (precision + recall) if precision else 0.0
        assert f1 == pytest.approx(expected, abs=0.12), (precision, recall, f1)


def test_the_paper_is_shown_before_anything_is_recorded(benchmarks: Any) -> None:
    parts = list(benchmarks("report")._parts([]))
    text = "\n".join(line for part in parts for line in part.markdown())
    assert text.count("Not recorded here yet") == 3
    assert "| everything | 93.29 | 88.27 | 90.71 |  |  |  |" in text


def test_seeds_are_shown_with_mean_and_deviation(benchmarks: Any, tmp_path: Path) -> None:
    entry = {
        "benchmark": "gum",
        "metrics": {"seed": [1, 2], "test_f1": [60.0, 62.0], "recall_ceiling": [99.5, 99.5]},
        "command": "python benchmarks/mentions.py gum --seed SEED",
        "commit": "0123456789ab",
        "date": "2026-01-31",
    }
    (tmp_path / "results.jsonl").write_text(json.dumps(entry) + "\n", "utf-8")
    parts = list(benchmarks("report")._parts([entry]))
    text = "\n".join(line for part in parts for line in part.markdown())
    assert "| test_f1 | 61.00 ± 1.00 (60.0, 62.0) |" in text
    assert "| recall_ceiling | 99.5 (2 seeds) |" in text
    page = "\n".join(line for part in parts for line in part.html())
    assert page.count("<table>") == page.count("</table>")
    assert page.count("<svg") == page.count("</svg>")
