"""Commands in processes with a limit of memory and time, and what must be true when they refuse input."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest
from _writers import write_inputs

MEMORY = 2 << 30
"""Bytes of address space: the libraries take half of them."""


class Refusal(Protocol):
    def __call__(
        self, *words: str | Path, names: str | Path, file_size: int = resource.RLIM_INFINITY
    ) -> str: ...


@pytest.fixture(scope="session")
def refusal() -> Refusal:
    """The message of a command that must end with exit code 2 and one line, which names a file."""

    def refuse(*words: str | Path, names: str | Path, file_size: int = resource.RLIM_INFINITY) -> str:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

        # A process whose coverage is measured writes a file for that, which such a limit would hit.
        full = file_size != resource.RLIM_INFINITY
        unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
        ended = subprocess.run(
            [sys.executable, "-m", "fofe", *map(str, words)],
            capture_output=True,
            text=True,
            input="Anna Berg met Li Wei.\n",
            timeout=120,
            check=False,
            env=unmeasured if full else None,
            preexec_fn=limit,
        )
        assert ended.returncode == 2, ended.stderr[-2000:]
        *notes, message = ended.stderr.splitlines()
        assert message.startswith("fofe: ")
        assert str(names) in message
        assert not any(note.startswith("Traceback") for note in notes)
        return message

    return refuse


@pytest.fixture
def model_copy(tiny_path: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model that a test may damage."""
    return Path(shutil.copytree(tiny_path, tmp_path / "model"))


@pytest.fixture(scope="session")
def places(tiny_config: Path, tiny_path: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small inputs for all commands."""
    return write_inputs(tmp_path_factory.mktemp("inputs"), tiny_config.parent, tiny_path)
