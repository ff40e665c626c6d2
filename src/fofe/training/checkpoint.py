"""The state of a run on disk, so that one killed at any moment goes on as if it had not been.

Written whole at the end of an epoch. Of the word tables only the rows of training words are kept: the
others never change.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from fofe.base.errors import ModelError
from fofe.training.learner import Learner
from fofe.training.tuning import Tuned


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
    """Write the state aside, then rename: there is always one whole checkpoint."""
    aside = path.with_suffix(".writing")
    metadata = {"progress": progress.to_json(), "fingerprint": fingerprint, "step": str(learner.step)}
    save_file(_state(learner), aside, metadata=metadata)
    os.replace(aside, path)


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
