"""Requests made from the server's own description of itself: schemathesis finds nothing wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OPTIONS = ("--max-examples=10", "--seed=1", "--no-color")


def test_schemathesis_finds_nothing(tiny_path: Path, running: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("schemathesis", reason="the API is tested with schemathesis")
    with running("--model", str(tiny_path)) as (address, _):
        done = subprocess.run(
            [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "schemathesis.cli",
                "run",
                *OPTIONS,
                f"{address}openapi.json",
            ],
            cwd=tmp_path,
            env={**os.environ, "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout
