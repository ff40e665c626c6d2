"""A directory that is replaced is there at every moment, old or new."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fofe.base.files import atomic_directory

if TYPE_CHECKING:
    from tests.conftest import DiskStates


@pytest.mark.skipif(sys.platform != "linux", reason="needs an exchange of two names in one step")
def test_a_kill_leaves_the_old_directory_or_the_new(tmp_path: Path, disk_states: DiskStates) -> None:
    folder = tmp_path / "folder"
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "file").write_text("old")

    def replace() -> None:
        with atomic_directory(folder / "model") as aside:
            (aside / "file").write_text("new")

    states = disk_states(folder, tmp_path / "copies", replace)
    found = [(state / "model" / "file").read_text() for state in states]
    assert found == sorted(found, reverse=True)
    assert set(found) == {"old", "new"}
    assert [file.name for file in folder.iterdir()] == ["model"]
