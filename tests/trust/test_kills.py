"""Every command that writes, killed at any file operation: its target is the old one or the new one, and the
same command, given again, ends with the same bytes as one that nobody disturbed."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from _writers import COMMANDS, FILLS_UP, NEEDS_RESUME, NEVER_REPLACE, run, targets, write_old_target

from fofe.wiki import job

if TYPE_CHECKING:
    from tests.conftest import DiskStates

SAMPLE, OF_TRAINING = 4, 2
"""So many of the states of each command are gone on from."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command(
    name: str,
    places: dict[str, Path],
    disk_states: DiskStates,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job, "PAGES_IN_A_PART", 5)
    whole, out, copies = tmp_path / "whole", tmp_path / "out", tmp_path / "copies"
    for folder in (whole, out):
        folder.mkdir()
        write_old_target(name, folder)
        if "{out}/model" in COMMANDS[name] and name not in NEVER_REPLACE:
            shutil.copytree(places["model"], folder / "model")
    old = targets(out)
    assert run(name, places, whole) == 0
    new = targets(whole)
    states = disk_states(out, copies, lambda: run(name, places, out))
    assert targets(out) == new
    assert len(states) > 3
    if name not in FILLS_UP:
        assert all(targets(state) in (old, new) for state in states)
    count = OF_TRAINING if "tiny.toml" in COMMANDS[name] else SAMPLE
    for state in Random(name).sample(states, min(count, len(states))):
        if name in NEVER_REPLACE and targets(state) == new:
            continue
        resume = name in NEEDS_RESUME and any(path.is_dir() for path in state.iterdir())
        assert run(name, places, state, *(["--resume"] if resume else [])) == 0
        assert targets(state) == new
        assert not list(state.rglob("*.writing"))
