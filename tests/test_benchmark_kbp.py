"""benchmarks/kbp.py from releases in every layout to the paper's tables, with one command."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HAS_CRF = importlib.util.find_spec("sklearn_crfsuite") is not None


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks" / "kbp.py"), *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=False)


def rows(tables: str, *begins: str) -> list[list[str]]:
    """The cells of the rows that begin with these cells."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in tables.splitlines()]
    return [row for row in cells if row[: len(begins)] == list(begins)]


def test_releases_of_every_layout_become_the_papers_tables(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("rjieba")
    wiki, second = ROOT / "examples" / "wikipedia" / "dump.xml", ROOT / "examples" / "corpus" / "train.jsonl"
    arguments = ["--smoke", "--output", tmp_path, "--wiki", wiki, "--second", second]
    arguments += [] if HAS_CRF else ["--no-crf"]
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert "eng-test.jsonl: 4 documents, 68 of 69 gold mentions kept" in done.stdout
    assert "cmn-test.jsonl: 4 documents, 60 of 60 gold mentions kept" in done.stdout
    tables = (tmp_path / "tables.md").read_text("utf-8")
    for language in ("Trilingual", "English", "Chinese", "Spanish"):
        (row,) = rows(tables, language)
        assert float(row[-1]) > 0
    for data in ("KBP2015", "KBP2015 + WIKI", "KBP2015 + iFLYTEK"):
        (row,) = rows(tables, data)
        assert float(row[-1]) > 0
    for name in ("RUN1", *(["RUN3"] if HAS_CRF else [])):
        for language in ("ENG", "CMN", "SPA", "ALL"):
            (row,) = rows(tables, name, language, "here")
            assert float(row[-1]) > 0

    again = run(*arguments)
    assert "epoch" not in again.stderr
    assert (tmp_path / "tables.md").read_text("utf-8") == tables


def test_a_directory_without_gold_is_told(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "a.xml").write_text('<doc id="ENG_1">Hi</doc>', "utf-8")
    arguments = ["--train2015", tmp_path, "--eval2016", tmp_path, "--output", tmp_path / "out", "--no-crf"]
    done = run(*arguments)
    assert done.returncode == 2
    assert "there is no .tab file of gold mentions" in done.stderr
