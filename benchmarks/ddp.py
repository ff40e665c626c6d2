"""Whether two processes learn what one does: the greatest difference of their weights after ten steps.

    python benchmarks/ddp.py

The compact configuration on the beginning of CoNLL-2003, with dropout off, plain SGD, and the same batches:
once with `fofe train`, once with `torchrun --nproc-per-node 2 -m fofe train`, as a user would start them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from _conll import CONFIGS, beginning
from _record import RUNS, as_command, on_one_thread, record, shared
from _resources import with_resources
from safetensors.torch import load_file

from fofe.base.settings import to_table, to_toml
from fofe.training.config import RunConfig, load_config
from fofe.training.corpora import read_corpora
from fofe.training.setup import prepare

STEPS = 10
FOLDER = RUNS / "ddp"


def main() -> None:
    """Train both ways and compare."""
    on_one_thread()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    config = FOLDER / "config.toml"
    config.write_text(to_toml(to_table(_ten_steps(_settings()))), "utf-8")
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    _train([sys.executable], config, FOLDER / "one")
    _train(start, config, FOLDER / "two")
    one, two = (load_file(FOLDER / name / "checkpoint.safetensors") for name in ("one", "two"))
    differences = {
        name: float((value - two[name]).abs().max())
        for name, value in one.items()
        if name.startswith(("network.", "table.")) and value.is_floating_point()
    }
    metrics = {"steps": STEPS, "max_weight_difference": max(differences.values())}
    print(metrics)
    record("ddp", metrics, "python benchmarks/ddp.py")


def _settings() -> RunConfig:
    config = load_config(CONFIGS / "compact.toml")
    assert config.data is not None, "the configuration has one corpus"
    train, dev = (str(beginning(shared("data", "conll2003", f"eng.{part}"))) for part in ("train", "testa"))
    training = replace(
        config.training,
        epochs=1,
        optimiser="sgd",
        rate=0.05,
        dropout=0.0,
        input_dropout=0.0,
        window_dropout=0.0,
    )
    return replace(
        config,
        data=replace(config.data, train=(train,), dev=dev, test=None),
        model=with_resources(config.model),
        training=training,
        gate=replace(config.gate, enabled=False),
    )


def _ten_steps(config: RunConfig) -> RunConfig:
    """The configuration with batches of a tenth of the epoch."""
    sampler = prepare(config, read_corpora(config)).sampler
    drawn = sum(len(batch.arrays["targets"]) for batch in sampler.epoch(0))
    return replace(config, training=replace(config.training, batch=drawn // STEPS))


def _train(start: list[str], config: Path, folder: Path) -> None:
    command = [*start, "-m", "fofe", "train", str(config), "-o", str(folder)]
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    as_command(main)
