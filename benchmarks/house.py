"""Measure the code base: its size, its tests, its imports and, beside an earlier checkout, its speed.

    python benchmarks/house.py --before ../before --before-python ../before/.venv/bin/python
    python benchmarks/house.py --coverage coverage.json

`src_lines` and `src_files` count the Python files under src/ that git knows; `docs_words` counts the words of
README.md and docs/**/*.md. `package_cycles` counts the groups of sub-packages that import one another,
imports in functions included. `line_coverage` is the percentage of lines that the tests run: they are run for
that, or their report is given with --coverage (`coverage json` writes it). `speed_ratio` is the CPU time of
tagging the test set of CoNLL-2003, over the time that the earlier checkout takes, both with the English model
of the earlier one: each on one thread, in turns, the least of several runs. `same_mentions` is 1 if both find
the same. Without --before these two are left out and nothing is recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from _imports import cycles
from _record import ROOT, as_command, record, shared

TURNS = 5
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TAG = """
import hashlib, sys, time
import fofe

model, corpus = sys.argv[1:]
documents, words = [], []
for line in [*open(corpus, encoding="utf-8"), ""]:
    word = line.split(" ")[0].strip()
    if word and word != "-DOCSTART-":
        words.append(word)
    elif words:
        documents.append(fofe.Document.from_words([words]))
        words = []
least = float("inf")
for _ in range(8):
    tagger = fofe.load(model)
    begun = time.process_time()
    found = list(tagger.tag_documents(documents))
    least = min(least, time.process_time() - begun)
mentions = [(m.start, m.end, m.label) for document in found for m in document.mentions]
print(least, hashlib.sha256(repr(mentions).encode()).hexdigest())
"""
"""Tags a corpus with what both checkouts have in common: the public API."""


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--coverage", metavar="FILE", help="the report of the tests, instead of running them")
    parser.add_argument("--before", metavar="DIR", help="an earlier checkout, to compare the speed with")
    parser.add_argument("--before-python", metavar="PYTHON", help="its interpreter (default: this one)")
    args = parser.parse_args()
    sources = _git_files("src/*.py")
    metrics: dict[str, Any] = {
        "src_lines": sum(len(file.read_bytes().splitlines()) for file in sources),
        "src_files": len(sources),
        "package_cycles": len(cycles(ROOT / "src" / "fofe")),
        "docs_words": sum(
            len(file.read_text("utf-8").split()) for file in _git_files("README.md", "docs/*.md")
        ),
        "line_coverage": _covered(Path(args.coverage)) if args.coverage else _tested(),
    }
    if args.before:
        metrics |= _speed(Path(args.before).resolve(), args.before_python or sys.executable)
    print(json.dumps(metrics, indent=2))
    if args.before:
        record("house", metrics, shlex.join(["python", "benchmarks/house.py", *sys.argv[1:]]))


def _git_files(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def _tested() -> float:
    """Run the tests and return the percentage of lines that they run."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "--cov"]
        environment = os.environ | {"COVERAGE_FILE": str(Path(folder) / "coverage")}
        subprocess.run([*command, f"--cov-report=json:{report}"], cwd=ROOT, env=environment, check=True)
        return _covered(report)


def _covered(report: Path) -> float:
    """The percentage of lines in the report of `coverage json`."""
    totals: dict[str, int] = json.loads(report.read_text("utf-8"))["totals"]
    return round(100 * totals["covered_lines"] / totals["num_statements"], 2)


def _speed(before: Path, before_python: str) -> dict[str, Any]:
    """Tag with both checkouts in turns, so that a busy machine slows both."""
    interpreters = {before: before_python, ROOT: sys.executable}
    seconds: dict[Path, list[float]] = {checkout: [] for checkout in interpreters}
    found: set[str] = set()
    model = before / "models" / "en" / "src" / "fofe_en" / "model"
    for _ in range(TURNS):
        for checkout, python in interpreters.items():
            taken, digest = _tagged(checkout, python, model)
            seconds[checkout].append(taken)
            found.add(digest)
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=before, capture_output=True, text=True, check=True
    )
    return {
        "speed_ratio": round(min(seconds[ROOT]) / min(seconds[before]), 3),
        "same_mentions": int(len(found) == 1),
        "before": commit.stdout.strip(),
    }


def _tagged(checkout: Path, python: str, model: Path) -> tuple[float, str]:
    """The CPU seconds that a checkout takes for the test set, and a digest of the mentions."""
    environment = os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": str(checkout / "src")}
    corpus = shared("data", "conll2003", "eng.testb")
    command = [python, "-c", TAG, str(model), str(corpus)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    taken, digest = printed.split()
    return float(taken), digest


if __name__ == "__main__":
    as_command(main)
