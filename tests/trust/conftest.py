"""Commands in processes with a limit of memory and time, and what must be true when they refuse input."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

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

        ended = subprocess.run(
            [sys.executable, "-m", "fofe", *map(str, words)],
            capture_output=True,
            text=True,
            input="Anna Berg met Li Wei.\n",
            timeout=120,
            check=False,
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
    inputs = tmp_path_factory.mktemp("inputs")
    for part, count in (("train", 12), ("dev", 6)):
        whole = (tiny_config.parent / f"{part}.jsonl").read_text("utf-8").splitlines(keepends=True)
        (inputs / f"{part}.jsonl").write_text("".join(whole[:count]), "utf-8")
    config = (
        tiny_config.read_text("utf-8")
        .replace("epochs = 8", "epochs = 2\ntext_share = 0.5")
        .replace("batch = 64", "batch = 8")
    )
    (inputs / "tiny.toml").write_text(config.replace("evaluate_every = 2", ""), "utf-8")
    (inputs / "space.toml").write_text("[training.rate]\nvalues = [0.01]\n", "utf-8")
    (inputs / "names.tsv").write_text("Anna Berg\tPER\nLeeds\tGPE\n", "utf-8")
    vectors = [f"word{number:03} {number} {number % 7}\n" for number in range(130)]
    for name, lines in (("vectors", vectors[:120]), ("others", vectors)):
        (inputs / f"{name}.txt").write_text("".join(lines), "utf-8")
    (inputs / "plain.txt").write_text("Anna Berg met Li Wei.\nLeeds won in Porto.\n" * 3, "utf-8")
    examples = Path(__file__).resolve().parents[2] / "examples"
    return {"inputs": inputs, "model": tiny_path, "kbp": examples / "kbp", "wiki": examples / "wikipedia"}
