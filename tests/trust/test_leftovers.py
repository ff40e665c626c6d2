"""What killed processes leave is deleted by the next; what a live process writes is not touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fofe.base.files import atomic_directory, lock, write_atomically
from fofe.cli import main
from fofe.training.run import LOCK

WRITE = """\
import signal, sys
from pathlib import Path
from fofe.base.files import atomic_directory, write_atomically
here = Path(sys.argv[1])
with write_atomically(here / "out.txt") as stream, atomic_directory(here / "model") as new:
    stream.write("half")
    (new / "file").write_text("half")
    print("ready", flush=True)
    signal.pause()
"""


def test_leftovers_of_the_dead_and_of_the_living(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for writer in writers:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
    dead, alive = writers
    os.kill(dead.pid, signal.SIGKILL)
    dead.communicate()
    mine = [tmp_path / ".out.txt.2024.writing", tmp_path / ".notes.20240131", tmp_path / "a.00000000.writing"]
    for file in mine:
        file.touch()
    (tmp_path / ".pipe.00000000.writing").symlink_to("out.txt")
    os.mkfifo(tmp_path / ".pipe.00000001.writing")
    assert len(list(tmp_path.iterdir())) == 4 + 5
    with write_atomically(tmp_path / "out.txt") as stream:
        stream.write("whole")
    with atomic_directory(tmp_path / "model") as new:
        (new / "file").write_text("whole")
    left = [path for path in tmp_path.iterdir() if path.name.endswith(".writing") and path not in mine]
    assert len(left) == 2 + 2, "of the living writer; neither links nor pipes"
    alive.kill()
    alive.communicate()
    assert (tmp_path / "out.txt").read_text() == "whole"
    assert (tmp_path / "model" / "file").read_text() == "whole"
    assert all(file.exists() for file in mine)


def test_names_of_any_length(tmp_path: Path) -> None:
    with write_atomically(tmp_path / ("é" * 127)) as stream:
        stream.write("x")
    assert [len(path.name) for path in tmp_path.iterdir()] == [127]


def test_a_second_trainer_is_refused(
    tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with lock(tmp_path / LOCK, wait=False):
        assert main(["train", str(tiny_config), "-o", str(tmp_path)]) == 2
    assert f"fofe: {tmp_path}: another process trains in this directory (wait" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]
