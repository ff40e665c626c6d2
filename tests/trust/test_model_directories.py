"""A model directory from a stranger: it is refused in one sentence, within bounds of memory and time."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from fofe.base.errors import ModelError
from fofe.model.ensemble import load_stored

if TYPE_CHECKING:
    from tests.trust.conftest import Refusal

SPARSE = 32 << 30


def _configure(model: Path, **settings: Any) -> None:
    config = json.loads((model / "config.json").read_text("utf-8"))
    for key, value in settings.items():
        config["model"][key] = value
    (model / "config.json").write_text(json.dumps(config), "utf-8")


def test_sizes_that_no_file_backs(model_copy: Path, refusal: Refusal) -> None:
    _configure(model_copy, max_words=10**9)
    assert "max_words must be" in refusal("tag", "-m", model_copy, names="config.json")


@pytest.mark.parametrize(
    "name", ["config.json", "alphabet.json", "vocabulary.cased.txt", "model.safetensors"]
)
def test_pipes_devices_and_links(name: str, model_copy: Path, tmp_path: Path) -> None:
    file = model_copy / name
    outside = file.rename(tmp_path / "outside")
    os.mkfifo(file)
    with pytest.raises(ModelError, match=f"{name}: is not a regular file"):
        load_stored(model_copy)
    for target in ("/dev/zero", outside):
        file.unlink()
        file.symlink_to(target)
        with pytest.raises(ModelError, match=f"{name}: is a link out of the model directory .*copy"):
            load_stored(model_copy)
    file.unlink()
    (model_copy / "inside").write_bytes(outside.read_bytes())
    file.symlink_to("inside")
    load_stored(model_copy)


def test_a_card_that_is_a_link(model_copy: Path) -> None:
    (model_copy / "README.md").unlink()
    (model_copy / "README.md").symlink_to("/etc/passwd")
    with pytest.raises(ModelError, match=r"README.md: is a link out of the model directory"):
        load_stored(model_copy)


@pytest.mark.parametrize("name", ["config.json", "vocabulary.cased.txt", "model.safetensors"])
def test_sparse_files(name: str, model_copy: Path, refusal: Refusal) -> None:
    os.truncate(model_copy / name, SPARSE)
    refusal("tag", "-m", model_copy, names=name)


def test_weights_larger_than_the_configuration_wants(model_copy: Path, refusal: Refusal) -> None:
    """A header that fits the sparse file is refused before the tensors are read."""
    for name, values in (("layers.0.bias", SPARSE // 4), ("unused", SPARSE // 4)):
        header = json.dumps({name: {"dtype": "F32", "shape": [values], "data_offsets": [0, SPARSE]}}).encode()
        weights = model_copy / "model.safetensors"
        weights.write_bytes(len(header).to_bytes(8, "little") + header)
        os.truncate(weights, 8 + len(header) + SPARSE)
        refusal("tag", "-m", model_copy, names="model.safetensors")


def test_weights_that_fit_but_do_not_fit_in_memory(model_copy: Path, refusal: Refusal) -> None:
    _configure(model_copy, hidden=[1 << 15, 1 << 18])
    refusal("tag", "-m", model_copy, names="model.safetensors")


@pytest.mark.parametrize("kind", ["BF16", "F8_E4M3"])
def test_kinds_of_numbers_that_numpy_lacks(kind: str, model_copy: Path, refusal: Refusal) -> None:
    file = model_copy / "model.safetensors"
    size = {"BF16": 2, "F8_E4M3": 1}[kind]
    header, offset = {}, 0
    for name, array in load_file(file).items():
        offsets = [offset, offset := offset + array.size * size]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": offsets}
    packed = json.dumps(header).encode()
    file.write_bytes(len(packed).to_bytes(8, "little") + packed + bytes(offset))
    assert f"is {kind}, not float32" in refusal("tag", "-m", model_copy, names="model.safetensors")


def test_members_outside_of_an_ensemble(tiny_path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ensemble"
    folder.mkdir()
    shutil.copytree(tiny_path, tmp_path / "outside")
    (folder / "link").symlink_to(tmp_path / "outside")
    for member in ("../outside", str(tmp_path / "outside"), "link"):
        description = {"format": 1, "members": [member], "weights": [1.0]}
        (folder / "ensemble.json").write_text(json.dumps(description), "utf-8")
        with pytest.raises(ModelError, match=r"out of the model directory .*copy"):
            load_stored(folder)


@pytest.mark.parametrize(
    "broken",
    [
        {"keys": np.zeros((2, 2), np.uint64)},
        {"keys": np.zeros(2, np.float32)},
        {"keys": np.zeros((), np.uint64)},
        {"sets": np.array([0, 9], np.uint16)},
        {"sets": np.array([0, -1], np.int16)},
        {"members": np.zeros(2, bool)},
        {"members": np.zeros((2, 1), np.float32)},
        {"types": 5},
        {"types": [[]]},
        {"counts": 5},
        {"sources": 5},
        {"facts": "[" * 100_000},
        {"facts": "[]"},
    ],
    ids=str,
)
def test_gazetteers_whose_parts_do_not_fit(broken: dict[str, Any], tmp_path: Path, refusal: Refusal) -> None:
    facts: dict[str, Any] = {"types": ["PER"], "counts": {"PER": 1}, "sources": []}
    arrays: dict[str, Any] = {
        "keys": np.arange(2, dtype=np.uint64),
        "sets": np.array([0, 1], np.uint16),
        "members": np.array([[False], [True]]),
    }
    facts |= {key: value for key, value in broken.items() if key in facts}
    arrays |= {key: value for key, value in broken.items() if key in arrays}
    metadata = {"format": "fofe-gazetteer-1", "facts": broken.get("facts", json.dumps(facts))}
    save_file(arrays, tmp_path / "names.gazetteer", metadata)
    refusal("gazetteer", "show", tmp_path / "names.gazetteer", "Berg", names="names.gazetteer")
