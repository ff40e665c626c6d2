"""Every command that writes, killed at any file operation: its target is the old one or the new one, and the
same command, given again, ends with the same bytes as one that nobody disturbed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from fofe.cli import main
from fofe.wiki import job

if TYPE_CHECKING:
    from tests.conftest import DiskStates

COMMANDS = {
    "tag": "tag {inputs}/plain.txt -m {model} -o {out}/target",
    "corpus convert": "corpus convert {inputs}/dev.jsonl {out}/target --to conll --lang en",
    "to brat": "corpus convert {inputs}/dev.jsonl {out}/brat --to brat",
    "corpus wiki": "corpus wiki {wiki}/dump.xml --types {wiki}/classes.tsv -o {out}/target",
    "fuse": "fuse {inputs}/dev.jsonl {inputs}/dev.jsonl -o {out}/target",
    "gazetteer build": "gazetteer build {inputs}/names.tsv -o {out}/target",
    "kbp tag": "kbp tag {kbp}/source -m eng={model} -o {out}/target",
    "kbp convert": "kbp convert {kbp}/source --gold {kbp}/gold.tab -o {out}/target.jsonl",
    "model report": "model report {model} -o {out}/target",
    "model compress": "model compress {model} -o {out}/model",
    "model calibrate": "model calibrate {model} {inputs}/dev.jsonl -o {out}/model",
    "model average": "model average {model} {model} -o {out}/model",
    "vectors convert": "vectors convert {inputs}/vectors.txt {out}/target --to npz",
    "vectors add": "vectors add {inputs}/vectors.txt {inputs}/others.txt {out}/target.npz --same-language",
    "vectors train": "vectors train {inputs}/plain.txt -o {out}/vectors --dim 4 --min-count 1 --passes 2",
    "train": "train {inputs}/tiny.toml -o {out}/run",
    "train folds": "train {inputs}/tiny.toml -o {out}/run --folds 2",
    "distil": "distil {model} {inputs}/plain.txt --config {inputs}/tiny.toml -o {out}/run",
    "tune": "tune {inputs}/tiny.toml -o {out}/search --space {inputs}/space.toml --sampler grid --no-prune",
}
NEVER_REPLACE = ("model average", "model compress")
NEEDS_RESUME = ("kbp tag", "train", "train folds", "distil")
"""These ask before they go on with what is there."""
TIMES = ("cpu_seconds", "command")
TARGETS = (
    "target",
    "target.npz",
    "target.jsonl",
    "brat",
    "model",
    "run/model",
    "vectors",
    "search/best.toml",
)
SAMPLE, OF_TRAINING = 4, 2
"""So many of the states of each command are gone on from."""


def run(name: str, places: dict[str, Path], out: Path, *more: str) -> None:
    words = [word.format(**places, out=out) for word in COMMANDS[name].split()]
    assert main([*words, *more]) == 0


def contents(path: Path) -> Any:
    """What a target holds, but for the time that it took; None where it is not there."""
    if path.is_dir():
        return {str(file.relative_to(path)): contents(file) for file in _files(path)}
    if path.name == "config.json":
        table = json.loads(path.read_bytes())
        return table | {"training": {key: at for key, at in table["training"].items() if key not in TIMES}}
    return path.read_bytes() if path.exists() else None


def _files(path: Path) -> Iterator[Path]:
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name != "README.md" and "work" not in file.parts:
            yield file


def targets(out: Path) -> list[Any]:
    return [contents(out / target) for target in TARGETS]


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
        if "{out}/target " in f"{COMMANDS[name]} ":
            (folder / "target").write_text("old")
        if "{out}/model" in COMMANDS[name] and name not in NEVER_REPLACE:
            shutil.copytree(places["model"], folder / "model")
    old = targets(out)
    run(name, places, whole)
    new = targets(whole)
    states = disk_states(out, copies, lambda: run(name, places, out))
    assert targets(out) == new
    assert len(states) > 3
    if name != "vectors train":  # a directory that fills up, file by file
        assert all(targets(state) in (old, new) for state in states)
    count = OF_TRAINING if "tiny.toml" in COMMANDS[name] else SAMPLE
    for state in Random(name).sample(states, min(count, len(states))):
        if name in ("to brat", "model compress") and targets(state) == new:
            continue  # they refuse to replace what is there
        resume = name in NEEDS_RESUME and any(path.is_dir() for path in state.iterdir())
        run(name, places, state, *(["--resume"] if resume else []))
        assert targets(state) == new
        assert not list(state.rglob("*.writing"))
