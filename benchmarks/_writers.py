"""The commands of fofe that write, on small inputs: for tests and soaks that kill them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fofe.cli import main

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

COMMANDS = {
    "tag": "tag {inputs}/plain.txt -m {model} -o {out}/target",
    "corpus convert": "corpus convert {inputs}/dev.jsonl {out}/target --to conll --lang en",
    "to brat": "corpus convert {inputs}/dev.jsonl {out}/brat --to brat",
    "corpus wiki": "corpus wiki {wiki}/dump.xml --types {wiki}/classes.tsv -o {out}/target",
    "fuse": "fuse {inputs}/dev.jsonl {inputs}/dev.jsonl -o {out}/target",
    "gazetteer build": "gazetteer build {inputs}/names.tsv -o {out}/target",
    "kbp tag": "kbp tag {kbp}/source -m eng={model} -o {out}/target",
    "kbp convert": "kbp convert {kbp}/source --gold {kbp}/gold.tab -o {out}/target.jsonl",
    "model report": "model report {model} -o {out}/target.html",
    "model compress": "model compress {model} -o {out}/model",
    "model calibrate": "model calibrate {model} {inputs}/dev.jsonl -o {out}/model",
    "model average": "model average {model} {model} -o {out}/model",
    "vectors convert": "vectors convert {inputs}/vectors.txt {out}/target --to npz",
    "vectors add": "vectors add {inputs}/vectors.txt {inputs}/others.txt {out}/target.npz --same-language",
    "vectors encode": "vectors encode {inputs}/vectors.txt {inputs}/encoder {out}/target.npz",
    "vectors train": "vectors train {inputs}/plain.txt -o {out}/vectors --dim 4 --min-count 1 --passes 2",
    "train": "train {inputs}/tiny.toml -o {out}/run",
    "train folds": "train {inputs}/tiny.toml -o {out}/run --folds 2",
    "distil": "distil {model} {inputs}/plain.txt --config {inputs}/tiny.toml -o {out}/run",
    "tune": "tune {inputs}/tiny.toml -o {out}/search --space {inputs}/space.toml --sampler grid --no-prune",
}
REPLACED = ("target", "target.html")
"""Targets that are there before, and that the commands replace."""
NEVER_REPLACE = ("to brat", "model average", "model compress")
"""These refuse to replace what is there."""
NEEDS_RESUME = ("kbp tag", "train", "train folds", "distil")
"""These ask before they go on with what is there."""
FILLS_UP = ("vectors train",)
"""Its target is a directory that fills up, file by file."""
TARGETS = (
    *REPLACED,
    "target.npz",
    "target.jsonl",
    "brat",
    "model",
    "run/model",
    "vectors",
    "search/best.toml",
)
TIMES = ("cpu_seconds", "command")
LETTERS = ["", "\n", " ", *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,"]
CONFIG = """\
[data]
train = ["train.jsonl"]
dev = "dev.jsonl"

[model]
max_words = 4
hidden = [16]

[[model.views]]
name = "cased"
lookup = "cased"
dimension = 8

[[model.views]]
name = "spelling"
lookup = "spelling"
dimension = 8

[training]
epochs = 2
batch = 8
text_share = 0.5
average = 0.9
"""


def write_inputs(folder: Path, corpus: Path, model: Path) -> dict[str, Path]:
    """Write small inputs for all commands; returns the places that the commands name.

    The corpus is a folder with the train.jsonl and dev.jsonl that the model was trained on.
    """
    for part, count in (("train", 12), ("dev", 6)):
        whole = (corpus / f"{part}.jsonl").read_text("utf-8").splitlines(keepends=True)
        (folder / f"{part}.jsonl").write_text("".join(whole[:count]), "utf-8")
    (folder / "tiny.toml").write_text(CONFIG, "utf-8")
    (folder / "space.toml").write_text("[training.rate]\nvalues = [0.01]\n", "utf-8")
    (folder / "names.tsv").write_text("Anna Berg\tPER\nLeeds\tGPE\n", "utf-8")
    vectors = [f"word{number:03} {number} {number % 7}\n" for number in range(130)]
    for name, lines in (("vectors", vectors[:120]), ("others", vectors)):
        (folder / f"{name}.txt").write_text("".join(lines), "utf-8")
    (folder / "plain.txt").write_text("Anna Berg met Li Wei.\nLeeds won in Porto.\n" * 3, "utf-8")
    write_encoder(folder / "encoder")
    return {"inputs": folder, "model": model, "kbp": EXAMPLES / "kbp", "wiki": EXAMPLES / "wikipedia"}


def write_encoder(folder: Path, characters: Sequence[str] = LETTERS, size: int = 4, hidden: int = 6) -> Path:
    """Write a pair of character language models with random weights."""
    import torch
    from safetensors.torch import save_file

    from fofe.features.language_models_torch import CHARACTER_LM

    folder.mkdir()
    config = {
        "model_type": CHARACTER_LM,
        "characters": characters,
        "embedding_size": size,
        "hidden_size": hidden,
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    generator = torch.Generator().manual_seed(1)
    gates = 4 * hidden
    shapes = {
        "weight_ih_l0": (gates, size),
        "weight_hh_l0": (gates, hidden),
        "bias_ih_l0": (gates,),
        "bias_hh_l0": (gates,),
    }
    weights = {
        f"{module}.{direction}.{name}": torch.randn(shape, generator=generator)
        for direction in range(2)
        for module, some in (("lstms", shapes), ("embeddings", {"weight": (len(characters), size)}))
        for name, shape in some.items()
    }
    save_file(weights, folder / "model.safetensors")
    return folder


def write_old_target(name: str, out: Path) -> None:
    """Make the file that a command replaces, if it does."""
    for target in REPLACED:
        if f"{{out}}/{target} " in f"{COMMANDS[name]} ":
            (out / target).write_text("old", "utf-8")


def run(name: str, places: dict[str, Path], out: Path, *more: str) -> int:
    """Run a command, which writes under `out`; returns its exit code."""
    return main([*(word.format(**places, out=out) for word in COMMANDS[name].split()), *more])


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
    """What is there of all that the commands can write."""
    return [contents(out / target) for target in TARGETS]
