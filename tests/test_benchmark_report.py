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
    assert text.count("Not recorded here yet") == 5
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
    report = benchmarks("report")
    made = report._summary() if parts == "_summary" else report._parts(results)
    return "\n".join(line for part in made for line in part.markdown())


def test_captions_depend_on_the_command(benchmarks: Any, tmp_path: Path) -> None:
    metrics = {"seed": [1], "test_overall_f1": [59.0]}
    distilled = entry("weibo", "mentions.py weibo --teachers 5 --seed SEED", metrics)
    plain = entry("weibo", "mentions.py weibo --seed SEED", metrics)
    text = shown(benchmarks, "_parts", [plain], tmp_path)
    assert "five others" not in text
    assert "without teachers" in text
    text = shown(benchmarks, "_parts", [distilled], tmp_path)
    assert "soft targets of five others" in text
    assert "single models without teachers" not in text
    text = shown(benchmarks, "_parts", [plain, distilled], tmp_path)
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


def test_every_benchmark_is_on_the_full_page(benchmarks: Any, tmp_path: Path) -> None:
    results = [
        entry("spark", "spark.py", {"tokens": 564_400, "tokens_per_s_1": 23_080.4}),
        entry("new", "new.py", {"answer": 42, "name": "x"}),
    ]
    text = shown(benchmarks, "_parts", results, tmp_path)
    assert "| tokens_per_s_1 | 23080.4 |" in text
    assert "## Others" in text
    assert "### new\n" in text
    assert "| name | x |" in text


def test_the_summary_has_the_f1_of_tables_1_and_2_and_refers_to_the_full_page(
    benchmarks: Any, tmp_path: Path
) -> None:
    metrics = {"epochs": 12, "row14_p": 89.57, "row14_r": 85.59, "row14_f1": 87.53, "row14_full_f1": 87.65}
    results = [entry("table1", "paper.py table1", metrics), entry("table3", "paper.py table3", {})]
    text = shown(benchmarks, "_summary", results, tmp_path)
    assert "| features | paper F1 | here F1 | here, in full, F1 |" in text
    assert "| everything | 90.71 | 87.53 | 87.65 |" in text
    assert "| Xu and Jiang (2016), the paper | x | x |  |  |  | 90.71 |" in text
    assert "KBP2015 |" not in text
    assert "](benchmarks.html)" in text


@pytest.mark.parametrize("is_recorded", [False, True])
def test_the_readme_gets_the_comparison_once_it_is_recorded(
    benchmarks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_recorded: bool
) -> None:
    report = benchmarks("report")
    before = "Intro.\n\n<!-- comparison -->\nold\n<!-- /comparison -->\n\nRest.\n"
    (tmp_path / "README.md").write_text(before, "utf-8")
    (tmp_path / "benchmarks.md").write_text("<!-- results -->\n<!-- /results -->\n", "utf-8")
    for name, file in {
        "README": "README.md",
        "PAGE": "benchmarks.md",
        "HTML": "b.html",
        "FIGURE": "i/f.svg",
    }.items():
        monkeypatch.setattr(report, name, tmp_path / file)
    speeds = {"en_tokens_per_cpu_s": 31_415, "spacy_tokens_per_cpu_s": 2_718}
    results = [
        entry("abroad", "abroad.py", {"en_mean_f1": 60.0, "spacy_mean_f1": 59.0, **speeds}),
        entry("install", "install.py", {"en_install_mb": 50.0, "spacy_install_mb": 300.0}),
        entry("models", "models.py", {"en_news_f1_conll2003": 88.6}),
        entry("conll2003", "conll2003.py", {"seed": [1], "test_f1": [90.9]}),
    ]
    lines = [json.dumps(result) + "\n" for result in results if is_recorded]
    (tmp_path / "results.jsonl").write_text("".join(lines), "utf-8")
    for _ in range(2):  # the second time replaces what the first has written
        report.main()
    text = (tmp_path / "README.md").read_text("utf-8")
    assert "At a glance" in (tmp_path / "benchmarks.md").read_text("utf-8")
    if not is_recorded:
        assert text == before
        return
    assert text.startswith("Intro.\n\n<!-- comparison -->\n\n| ")
    assert "| **fofe** `en` | 60.0 | 90.9 (t) | 31,400 | 50 MB |" in text
    assert text.count("fofe** `en`") == 1
    assert "old" not in text
    assert text.endswith("\n\n<!-- /comparison -->\n\nRest.\n")


def test_seeds_are_shown_with_mean_and_deviation(benchmarks: Any, tmp_path: Path) -> None:
    metrics = {"seed": [1, 2], "test_f1": [60.0, 62.0], "recall_ceiling": [99.5, 99.5]}
    result = entry("genia", "mentions.py genia --seed SEED", metrics)
    text = shown(benchmarks, "_parts", [result], tmp_path)
    assert "| test_f1 | 61.00 ± 1.00 (60.0, 62.0) |" in text
    assert "| recall_ceiling | 99.5 (2 seeds) |" in text
    page = benchmarks("report")._page(list(benchmarks("report")._parts([result])))
    assert page.count("<table>") == page.count("</table>")
    assert page.count("<svg") == page.count("</svg>")


def test_the_steps_of_the_recipe_show_what_each_adds(benchmarks: Any, tmp_path: Path) -> None:
    scores = {"before": 84.0, "cnn": 85.0, "batches": 85.5, "vocabulary": 85.25, "coverage": 86.0}
    metrics = {f"{step}_f1": f1 for step, f1 in (scores | {"initials": 86.5, "seen": 89.0}).items()}
    recorded = entry("steps", "paper.py steps", {"epochs": 32, **metrics})
    text = shown(benchmarks, "_summary", [recorded], tmp_path)
    assert "no space between words, momentum | 85.00 | +1.00 |" in text
    assert "| FOFE of initials, in this row alone | 86.50 | +0.50 |" in text
    assert "| vectors that have seen the text | 89.00 | +3.00 |" in text
