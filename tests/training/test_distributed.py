"""Two processes against one, as a user would start them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from fofe.cli import main
from fofe.training.config import load_config
from fofe.training.corpora import read_corpora
from fofe.training.distributed import ALONE, ProcessGroup
from fofe.training.setup import prepare

STEPS = 10
NO_DROPOUT = ("training.dropout=0.0", "training.input_dropout=0.0", "training.window_dropout=0.0")


def command_of(config: Path, folder: Path, settings: Sequence[str]) -> list[str]:
    """The words of `fofe train`, after `fofe`."""
    options = [part for setting in settings for part in ("--set", setting)]
    return ["train", str(config), "-o", str(folder), *options]


def train_together(processes: int, config: Path, folder: Path, settings: Sequence[str]) -> str:
    """Train with so many processes; returns what is printed."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), "-m", "fofe", *command_of(config, folder, settings)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ten_steps_of_two_processes_are_those_of_one(tiny_config: Path, tmp_path: Path) -> None:
    config = load_config(tiny_config)
    corpora = read_corpora(config)
    drawn = sum(len(batch.arrays["targets"]) for batch in prepare(config, corpora).sampler.epoch(0))
    settings = (
        *NO_DROPOUT,
        "training.epochs=1",
        f"training.batch={drawn // STEPS}",
        'training.optimiser="sgd"',
        "training.rate=0.05",
        "gate.enabled=false",
    )
    assert main(command_of(tiny_config, tmp_path / "one", settings)) == 0
    printed = train_together(2, tiny_config, tmp_path / "two", settings)
    assert printed == f"{tmp_path / 'two' / 'model'}\n", "one of the processes speaks"
    one, two = (load_file(tmp_path / name / "checkpoint.safetensors") for name in ("one", "two"))
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert torch.allclose(value, two[name], rtol=0, atol=1e-5), name
    lines = (tmp_path / "two" / "metrics.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 1


@pytest.mark.parametrize("size", [2, 3, 40])
def test_shares_make_up_the_batch(tiny_config: Path, size: int) -> None:
    """Every fragment is in one share, with the same words around it."""
    config = load_config(tiny_config, {"training.batch": 64})
    sampler = prepare(config, read_corpora(config)).sampler
    batch = next(iter(sampler.epoch(0)))
    numbered = np.arange(len(batch.arrays["targets"]), dtype=np.float32)
    batch = replace(batch, arrays={**batch.arrays, "weights": numbered, "soft_targets": numbered[:, None]})
    assert ALONE.share_of(batch) is batch
    shares = [ProcessGroup(rank, size).share_of(batch) for rank in range(size)]
    numbers = np.concatenate([share.arrays["weights"] for share in shares])
    assert sorted(numbers.tolist()) == list(range(len(batch.arrays["targets"])))
    for share in shares:
        assert np.array_equal(share.arrays["soft_targets"][:, 0], share.arrays["weights"])
        for place, number in enumerate(share.arrays["weights"].astype(int).tolist()):
            assert share.arrays["targets"][place] == batch.arrays["targets"][number]
            for name, rows in share.text.words.items():
                first, last = share.fragments.firsts[place], share.fragments.lasts[place]
                before, after = batch.fragments.firsts[number], batch.fragments.lasts[number]
                whole = batch.text.words[name]
                assert rows[first : last + 1].tolist() == whole[before : after + 1].tolist()
                assert share.text.starts()[first] == batch.text.starts()[before]
                assert share.text.ends()[last] == batch.text.ends()[after]
    if size == 2:
        counts = [len(share.arrays["targets"]) for share in shares]
        assert max(counts) < 0.8 * sum(counts), "the work is shared"
