"""The benchmark of the code base: cycles of imports, coverage, and how it tags with two checkouts."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent

Cycles = Callable[[Path], list[set[str]]]


@pytest.fixture
def cycles(monkeypatch: pytest.MonkeyPatch) -> Cycles:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    found: Cycles = importlib.import_module("_imports").cycles
    return found


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("house")


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


@pytest.mark.parametrize(
    "back",
    [
        "import pack.top",
        "from pack import top",
        "from pack.top import a",
        "from .. import top",
        "from ..top.a import b",
        "def work():\n    from pack.top.a import b\n",
        "if TYPE_CHECKING:\n    from pack.top.a import b\n",
    ],
)
def test_every_form_of_import_closes_a_cycle(cycles: Cycles, tmp_path: Path, back: str) -> None:
    files = {
        "__init__.py": "from pack.top.a import b\n",
        "top/__init__.py": "",
        "top/a.py": "import json\nfrom pack.middle import c\nb = 1\n",
        "middle.py": "from pack.bottom.d import e\nc = 1\n",
        "bottom/d.py": "e = 1\n",
        "other/f.py": "from pack.top import a\nfrom . import g\n",
    }
    root = write(tmp_path / "pack", files)
    assert cycles(root) == []
    write(root, {"bottom/d.py": f"{back}\ne = 1\n"})
    assert cycles(root) == [{"top", "middle", "bottom"}]


def test_coverage_is_of_lines(house: Any, tmp_path: Path) -> None:
    report = tmp_path / "coverage.json"
    totals = {"covered_lines": 970, "num_statements": 1000, "percent_covered": 90.0}
    report.write_text(json.dumps({"totals": totals}), "utf-8")
    assert house._covered(report) == 97.0


def test_both_checkouts_tag_the_same_way(
    house: Any, tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The earlier checkout is this one, and the model of both is the tiny one."""
    corpus = tmp_path / "eng.testb"
    corpus.write_text(
        "-DOCSTART- O\n\nAnna NNP I-PER\nBerg NNP I-PER\nleft VBD O\n\nIt PRP O\nrained VBD O\n", "utf-8"
    )
    monkeypatch.setattr(house, "shared", lambda *parts: corpus)
    first, second = (house._tagged(house.ROOT, sys.executable, tiny_path) for _ in range(2))
    assert first[0] > 0
    assert first[1] == second[1]
