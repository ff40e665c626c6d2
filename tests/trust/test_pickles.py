"""Pickles that run a command, at every path that a command reads: none of them is executed."""

from __future__ import annotations

import importlib.util
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fofe.cli import main

if TYPE_CHECKING:
    from tests.conftest import DiskStates

READING = (
    "tag {inputs}/plain.txt -m {inputs}/model --rules {inputs}/rules.toml -o {out}/x.jsonl",
    "tag {inputs}/plain.txt -m {inputs}/ensemble -o {out}/x.jsonl",
    "corpus check {inputs}/dev.jsonl",
    "corpus check {inputs}/dev.conll",
    "corpus check {inputs}/brat",
    "gazetteer show {inputs}/x.gazetteer",
    "gazetteer build {inputs}/names.tsv -o {out}/x",
    "vectors convert {inputs}/x.npz {out}/x.bin",
    "vectors convert {inputs}/x.bin {out}/x.npz",
    "fuse {inputs}/dev.jsonl {inputs}/dev.jsonl -o {out}/x.jsonl",
    "train {inputs}/tiny.toml --plan",
)
RESUMING = (
    "kbp tag {kbp}/source -m eng={model} -o {out}/x.tab --resume",
    "corpus wiki {wiki}/dump.xml -o {out}/x.jsonl",
    "vectors train {inputs}/plain.txt -o {out}/vectors --dim 4 --min-count 1 --passes 2 --views cased",
    "train {inputs}/encoder.toml -o {out}/run --resume",
    "distil {model} {inputs}/plain.txt --config {inputs}/tiny.toml -o {out}/run --resume",
    "tune {inputs}/tiny.toml -o {out}/search --space {inputs}/space.toml --sampler grid",
)
OTHERS = (
    "vectors/en.cased.4.state",
    "vectors/work/en.cased.4.state",
    "run/checkpoint.pt",
    "search/search.pkl",
)
"""Where there is nothing to read, or not any more."""

VIEWS = """\
[[model.views]]
name = "lm"
lookup = "encoder"
dimension = 4
encoder = "encoder"
"""


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return exec, (f"open({str(self.marker)!r}, 'w').close()",)


def plant(path: Path, marker: Path) -> None:
    """Put a pickle at a path, in the arrays of a NumPy file where the name is that of one."""
    payload, members = Payload(marker), ("words", "vectors", "numbers", "opens")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npz":
        planted: dict[str, Any] = {name: np.array([payload], dtype=object) for name in members}
        np.savez(path, **planted)
    elif path.suffix == ".npy":
        np.save(path, np.array([payload], dtype=object))
    else:
        path.write_bytes(pickle.dumps(payload))


@pytest.mark.parametrize("name", ["x.npz", "x.npy", "x.txt"])
def test_the_payload_works(name: str, tmp_path: Path) -> None:
    plant(tmp_path / name, tmp_path / "marker")
    loaded: Any = np.load(tmp_path / name, allow_pickle=True)
    if name == "x.npz":
        loaded["words"]
    assert (tmp_path / "marker").exists()


@pytest.fixture(scope="module")
def inputs(places: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the small inputs, with a file in each of the other formats that commands read."""
    inputs = Path(shutil.copytree(places["inputs"], tmp_path_factory.mktemp("pickles") / "inputs"))
    shutil.copytree(places["model"], inputs / "model")
    (inputs / "encoder.toml").write_text((inputs / "tiny.toml").read_text("utf-8") + VIEWS, "utf-8")
    (inputs / "rules.toml").write_text('[[rule]]\nname = "a"\ntype = "GPE"\nphrases = ["Bergen"]\n', "utf-8")
    commands = [
        "model average {0}/model {0}/model -o {0}/ensemble",
        "corpus convert {0}/dev.jsonl {0}/dev.conll --lang en",
        "corpus convert {0}/dev.jsonl {0}/brat --to brat",
        "gazetteer build {0}/names.tsv -o {0}/x.gazetteer",
        "vectors convert {0}/vectors.txt {0}/x.npz",
        "vectors convert {0}/vectors.txt {0}/x.bin",
    ]
    if importlib.util.find_spec("spacy"):
        commands.append("corpus convert {0}/dev.jsonl {0}/dev.spacy --lang en")
    for command in commands:
        assert main(command.format(inputs).split()) == 0
    return inputs


def run(command: str, places: dict[str, Path], out: Path) -> int:
    """The exit code of a command; a traceback fails the test."""
    out.mkdir(exist_ok=True)
    return main([word.format(**places, out=out) for word in command.split()])


def files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file())


@pytest.mark.parametrize("command", [*READING, "corpus check {inputs}/dev.spacy"])
def test_what_users_bring(command: str, places: dict[str, Path], inputs: Path, tmp_path: Path) -> None:
    if "spacy" in command:
        pytest.importorskip("spacy")
    here = places | {"inputs": inputs}
    assert run(command, here, tmp_path / "out") == 0
    named = [Path(word.format(**here, out="")) for word in command.split() if "{inputs}" in word]
    for file in [one for path in named for one in (files(path) if path.is_dir() else [path])]:
        kept = file.read_bytes()
        plant(file, tmp_path / "marker")
        try:
            assert run(command, here, tmp_path / "out") in (0, 1, 2)
        finally:
            file.write_bytes(kept)
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("command", RESUMING)
def test_what_killed_commands_left(
    command: str, places: dict[str, Path], inputs: Path, disk_states: DiskStates, tmp_path: Path
) -> None:
    here = places | {"inputs": inputs}
    out = tmp_path / "out"
    out.mkdir()
    states = disk_states(out, tmp_path / "copies", lambda: run(command, here, out))
    fullest = max(states, key=lambda state: len([file for file in files(state) if "model" not in file.parts]))
    for file in [*(file.relative_to(fullest) for file in files(fullest)), *map(Path, OTHERS)]:
        killed = Path(shutil.copytree(fullest, tmp_path / "killed"))
        plant(killed / file, tmp_path / "marker")
        assert run(command, here, killed) in (0, 2)
        shutil.rmtree(killed)
    assert not (tmp_path / "marker").exists()
