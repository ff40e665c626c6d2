"""Files damaged at random: every reader takes them or refuses them with an error of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MUTATIONS = Path(__file__).resolve().parents[2] / "benchmarks" / "_mutations.py"


def test_a_thousand_damaged_files_for_every_reader(tiny_run: Path, tiny_config: Path) -> None:
    """In one process, with limits of memory and time."""
    command = [sys.executable, str(MUTATIONS), "--inputs", "1000"]
    command += ["--run", str(tiny_run), "--config", str(tiny_config)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    assert ended.stdout.count(": 1000 inputs, 0 kinds") >= 30
