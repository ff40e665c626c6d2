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


def entry(
    benchmark: str, command: str, metrics: dict[str, Any], commit: Any = "0123456789ab"
) -> dict[str, Any]:
    command = f"python benchmarks/{command}"
    return {
        "benchmark": benchmark,
        "metrics": metrics,
        "command": command,
        "commit": commit,
        "date": "2026-01-31",
    }


def shown(benchmarks: Any, parts: str, results: list[dict[str, Any]], tmp_path: Path) -> str:
    """The Markdown of what the report makes of some results."""
    lines = "".join(json.dumps(result) + "\n" for result in results)
    (tmp_path / "results.jsonl").write_text(lines, "utf-8")
    made = getattr(benchmarks("report"), parts)(results)
    return "\n".join(line for part in made for line in part.markdown())


@pytest.mark.parametrize("parts", ["_summary", "_parts"])
def test_captions_depend_on_the_command(benchmarks: Any, tmp_path: Path, parts: str) -> None:
    metrics = {"seed": [1], "test_overall_f1": [59.0]}
    distilled = entry("weibo", "mentions.py weibo --teachers 5 --seed SEED", metrics)
    plain = entry("weibo", "mentions.py weibo --seed SEED", metrics)
    text = shown(benchmarks, parts, [plain], tmp_path)
    assert "five others" not in text
    assert "without teachers" in text
    text = shown(benchmarks, parts, [distilled], tmp_path)
    assert "soft targets of five others" in text
    assert "single models without teachers" not in text
    text = shown(benchmarks, parts, [plain, distilled], tmp_path)
    assert text.count("soft targets of five others") == text.count("single models without teachers") == 1


def test_commits_of_seeds_are_shown(benchmarks: Any, tmp_path: Path) -> None:
    metrics = {"seed": [1, 2, 3], "test_f1": [60.0, 61.0, 62.0]}
    several = entry("genia", "mentions.py genia --seed SEED", metrics, ["aaa", "bbb", "aaa"])
    assert "commits aaa (seed 1, 3), bbb (seed 2), 2026-01-31." in shown(
        benchmarks, "_parts", [several], tmp_path
    )
    one = entry("genia", "mentions.py genia --seed SEED", metrics, ["aaa"] * 3)
    text = shown(benchmarks, "_parts", [several, one], tmp_path)
    assert "commit aaa, 2026-01-31." in text
    assert "### genia, aaa, bbb" in text, "an earlier result"


def test_old_figures_of_gum_are_shown_as_those_of_its_dev_set(benchmarks: Any, tmp_path: Path) -> None:
    old = entry(
        "gum", "mentions.py gum --seed SEED", {"seed": [1], "test_overall_f1": [63.4], "dev_f1": [63.4]}
    )
    text = shown(benchmarks, "_parts", [old], tmp_path)
    assert "| dev_overall_f1 | 63.4 (one seed) |" in text
    assert "| GUM (dev), names and nominals, nested |  | 63.40 |" in text
    assert "| test_" not in text


def test_the_model_of_the_papers_settings_is_shown_beside_other_systems(
    benchmarks: Any, tmp_path: Path
) -> None:
    in_table1 = entry("table1", "paper.py table1", {"epochs": 12, "row14_full_f1": 87.65})
    assert "| here, configs/paper.toml (1 seed) | x | x |  |  |  | 87.65 |" in shown(
        benchmarks, "_summary", [in_table1], tmp_path
    )
    figure = benchmarks("_report_plots").comparison()
    assert "fofe, configs/paper.toml (1 seed)" in figure
    by_itself = entry("conll2003_paper", "conll2003.py", {"seed": [1, 2], "test_f1": [88.0, 89.0]})
    text = shown(benchmarks, "_summary", [in_table1, by_itself], tmp_path)
    assert "| here, configs/paper.toml (2 seeds) | x | x |  |  |  | 88.50 |" in text


def test_the_summary_has_a_line_for_each_benchmark(benchmarks: Any, tmp_path: Path) -> None:
    results = [
        entry("spark", "spark.py", {"tokens": 564_400, "tokens_per_s_1": 23_080.4}),
        entry("ddp", "ddp.py", {"max_weight_difference": 5.96e-8, "f1": 90.0}),
        entry("new", "new.py", {"answer": 42, "name": "x"}),
    ]
    text = shown(benchmarks, "_summary", results, tmp_path)
    assert "| tokens 564,400, tokens_per_s_1 23,080 |" in text
    assert "| f1 90.00, max_weight_difference 6.0e-08 |" in text
    assert "## Others" in text
    assert "| new |  | answer 42.00 |" in text


def test_seeds_are_shown_with_mean_and_deviation(benchmarks: Any, tmp_path: Path) -> None:
    metrics = {"seed": [1, 2], "test_f1": [60.0, 62.0], "recall_ceiling": [99.5, 99.5]}
    result = entry("genia", "mentions.py genia --seed SEED", metrics)
    text = shown(benchmarks, "_parts", [result], tmp_path)
    assert "| test_f1 | 61.00 ± 1.00 (60.0, 62.0) |" in text
    assert "| recall_ceiling | 99.5 (2 seeds) |" in text
    page = benchmarks("report")._page(list(benchmarks("report")._parts([result])))
    assert page.count("<table>") == page.count("</table>")
    assert page.count("<svg") == page.count("</svg>")
