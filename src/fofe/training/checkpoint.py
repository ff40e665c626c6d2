"""The state of a run on disk, so that one killed at any moment can go on as if nothing had happened.

A file is written under another name and then renamed: there is always one complete checkpoint. Of the word
tables only the rows of training words are stored: the others never change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file as load_arrays
from safetensors.numpy import save_file as save_arrays
from safetensors.torch import save_file
from torch import Tensor

from fofe.base.arrays import FloatArray
from fofe.base.errors import ModelError
from fofe.training.decoding import Tuned
from fofe.training.learner import Learner


@dataclass
class Progress:
    """How far a run has come."""

    epoch: int = 0
    """Epochs that are done."""
    best: Tuned | None = None
    best_epoch: int = 0
    evaluations_since_best: int = 0
    cpu_seconds: float = 0.0

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Progress:
        fields: dict[str, Any] = json.loads(text)
        best = fields.pop("best")
        return cls(best=Tuned(**best) if best else None, **fields)


def save_checkpoint(path: Path, learner: Learner, progress: Progress, fingerprint: str) -> None:
    """Write the state at the end of an epoch."""
    metadata = {"progress": progress.to_json(), "fingerprint": fingerprint, "step": str(learner.step)}
    save_file(_state(learner), _aside(path), metadata=metadata)
    os.replace(_aside(path), path)


def load_checkpoint(path: Path, learner: Learner, fingerprint: str) -> Progress:
    """Put a run back into the state that was saved."""
    try:
        with safe_open(path, framework="pt") as stored:
            metadata = stored.metadata() or {}
            if metadata.get("fingerprint") != fingerprint:
                raise ModelError(
                    "belongs to a run with another configuration, other data or another version",
                    path=path,
                    remedy="resume with the same configuration, or start anew without --resume",
                )
            saved = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ModelError(f"is broken: {error}", path=path, remedy="start anew without --resume") from None
    learner.step = int(metadata["step"])
    learner.restore_optimiser({name: value for name, value in saved.items() if name.startswith("optimiser.")})
    with torch.no_grad():
        for name, parameter in learner.network.named_parameters():
            parameter.copy_(saved[f"network.{name}"])
        for number, average in enumerate(learner.averages):
            average.copy_(saved[f"average.{number}"])
    for name, table in learner.tables.items():
        rows = table.trained_rows
        table.weights[rows] = saved[f"table.{name}.weights"]
        table.settled[rows] = saved[f"table.{name}.settled"]
        if table.decay:
            table.averages[rows] = saved[f"table.{name}.averages"]
    return Progress.from_json(metadata["progress"])


def _state(learner: Learner) -> dict[str, Tensor]:
    state = {f"network.{name}": value.detach().clone() for name, value in learner.network.named_parameters()}
    state |= {f"average.{number}": average.clone() for number, average in enumerate(learner.averages)}
    state |= learner.optimiser_state()
    for name, table in learner.tables.items():
        rows = table.trained_rows
        state[f"table.{name}.weights"] = table.weights[rows]
        state[f"table.{name}.settled"] = table.settled[rows]
        if table.decay:
            state[f"table.{name}.averages"] = table.averages[rows]
    return state


def save_weights(path: Path, learner: Learner, weights: Mapping[str, FloatArray]) -> None:
    """Write the best weights so far, as the learner returned them."""
    changed = dict(weights)
    for name, table in learner.tables.items():
        changed[f"tables.{name}"] = weights[f"tables.{name}"][table.trained_rows.numpy()]
    save_arrays(changed, _aside(path))
    os.replace(_aside(path), path)


def load_weights(path: Path, learner: Learner) -> dict[str, FloatArray]:
    """The weights that `save_weights` wrote, with the other rows of the learner's tables."""
    weights: dict[str, FloatArray] = load_arrays(path)
    for name, table in learner.tables.items():
        rows = table.averages.numpy().copy()
        rows[table.trained_rows.numpy()] = weights[f"tables.{name}"]
        weights[f"tables.{name}"] = rows
    return weights


def _aside(path: Path) -> Path:
    return path.with_suffix(".writing")
