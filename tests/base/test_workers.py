"""Workers and the process that started them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fofe.base.workers import MOST_PER_CORE

HANGING = 3600
"""Seconds after which something counts as hanging; a slow machine takes far less."""

SCRIPT = """
import os, sys, time
from pathlib import Path
from fofe.base.workers import in_order

class Endless:
    def start(self):
        return self.work

    def work(self, folder):
        (Path(folder) / str(os.getpid())).touch()
        time.sleep(7200)

if __name__ == "__main__":
    import endless
    list(in_order(endless.Endless(), [sys.argv[1]] * 2, workers=2))
"""


def is_running(process: int) -> bool:
    """Whether it works: one that has ended may stay in the list if nobody asks for its exit code."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True)
    return bool(state.stdout.strip()) and not state.stdout.startswith("Z")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX processes")
def test_workers_at_work_end_with_a_killed_parent(tmp_path: Path) -> None:
    """One that trains for hours reads no pipe, and must not go on beside the command given again."""
    (tmp_path / "endless.py").write_text(SCRIPT, "utf-8")
    (tmp_path / "at_work").mkdir()
    command = [sys.executable, "endless.py", "at_work"]
    with subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}) as parent:
        while len(list((tmp_path / "at_work").iterdir())) < 2 and parent.poll() is None:
            time.sleep(0.02)
        parent.kill()
    workers = [int(path.name) for path in (tmp_path / "at_work").iterdir()]
    assert len(workers) == 2
    deadline = time.monotonic() + HANGING
    while any(map(is_running, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


COUNTING = """
import os, sys
from fofe.base.workers import in_order

class Number:
    def start(self):
        return lambda chunk: os.getpid()

if __name__ == "__main__":
    import counting
    print(len(set(in_order(counting.Number(), range(1, 400), workers=1000))))
"""


def test_a_thousand_workers_do_not_use_up_the_machine(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(COUNTING, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "counting.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert 1 <= int(found.stdout) <= MOST_PER_CORE * (os.cpu_count() or 1)
