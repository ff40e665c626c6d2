"""The state of a run on disk, so that one killed at any moment can go on as if nothing had happened.

Files are replaced atomically: there is always one complete checkpoint. Of the word tables only the rows of
training words are stored: the others never change.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.numpy import load_file as load_arrays
from safetensors.numpy import save as pack_arrays
from safetensors.torch import save as pack
from torch import Tensor

from fofe.base.arrays import FloatArray
from fofe.base.errors import ModelError, broken_file
from fofe.base.files import write_atomically
from fofe.base.settings import build, to_table
from fofe.training.learner import Learner
from fofe.training.scoring import Tuned
from fofe.training.self_training import PseudoLabels

ANEW = "remove it and start anew"


@dataclass
class Progress:
    """How far a run has come."""

    epoch: int = 0
    """Epochs that are done."""
    best: Tuned | None = None
    best_epoch: int = 0
    evaluations_since_best: int = 0
    cpu_seconds: float = 0.0
    pseudo_labels: PseudoLabels | None = None
    """What self-training found last."""

    def evaluated(self, tuned: Tuned) -> bool:
        """Whether to keep the weights of this epoch: the best so far, or while none is right the latest."""
        reached = -1.0 if self.best is None else self.best.f1
        self.evaluations_since_best = 0 if tuned.f1 > reached else self.evaluations_since_best + 1
        if kept := tuned.f1 > reached or reached == 0:
            self.best, self.best_epoch = tuned, self.epoch
        return kept


def save_checkpoint(
    path: Path, learner: Learner, progress: Progress, fingerprint: str, settings: Mapping[str, Any]
) -> None:
    """Write the state at the end of an epoch; `settings` are the table of the run's configuration."""
    state = _network_state(learner)
    state |= {name: whole[rows] for name, (whole, rows) in _table_state(learner).items()}
    for name, parameter in learner.parameters().items():
        for key, value in learner.optimiser.state.get(parameter, {}).items():
            if isinstance(value, Tensor):
                state[f"optimiser.{name}.{key}"] = value
    done = {"progress": json.dumps(to_table(progress)), "step": str(learner.step)}
    run = {"fingerprint": fingerprint, "settings": json.dumps(settings)}
    with write_atomically(path, "wb") as stream:
        stream.write(pack(state, done | run))


def load_checkpoint(path: Path, learner: Learner, fingerprint: str, settings: Mapping[str, Any]) -> Progress:
    """Put a run back into the state that was saved."""
    with broken_file(path, ANEW), safe_open(path, framework="pt") as stored:
        metadata = stored.metadata() or {}
        if metadata.get("fingerprint") != fingerprint:
            other = ", ".join(_differences(json.loads(metadata["settings"]), settings))
            other = f"other settings: {other}" if other else "other data, or another start or version of fofe"
            remedy = "resume with the same, or choose another directory"
            raise ModelError(f"belongs to a run with {other}", path=path, remedy=remedy)
        saved = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
        learner.step = int(metadata["step"])
        for name, tensor in _network_state(learner).items():
            tensor.copy_(saved.pop(name))
        for name, (whole, rows) in _table_state(learner).items():
            whole[rows] = saved.pop(name)
        parameters = learner.parameters()
        for key, value in saved.items():
            name, what = key.removeprefix("optimiser.").rsplit(".", 1)
            kept = value if what == "step" else value.to(learner.device)
            learner.optimiser.state[parameters[name]][what] = kept
        return build(Progress, json.loads(metadata["progress"]))


def _differences(there: Any, here: Any, key: str = "") -> Iterator[str]:
    """The settings of a run that are others here."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        for name in [*there, *(name for name in here if name not in there)]:
            yield from _differences(there.get(name), here.get(name), f"{key}.{name}" if key else name)
    elif there != here:
        yield f"{key} = {json.dumps(there)}, here {json.dumps(here)}"


def _network_state(learner: Learner) -> dict[str, Tensor]:
    """The weights of the network and their averages, by name."""
    state = {f"network.{name}": value.detach() for name, value in learner.parameters().items()}
    return state | {f"average.{number}": average for number, average in enumerate(learner.averages)}


def _table_state(learner: Learner) -> dict[str, tuple[Tensor, Tensor]]:
    """The arrays [V, ...] of the word tables and the rows of them that are stored, by name."""
    return {
        f"table.{name}.{part}": (getattr(table, part), table.trained_rows)
        for name, table in learner.tables.items()
        for part in ("weights", "averages", "settled")
    }


def save_weights(path: Path, learner: Learner, weights: Mapping[str, FloatArray]) -> None:
    """Write the best weights so far, as the learner returned them."""
    changed = dict(weights)
    for name, table in learner.tables.items():
        changed[f"tables.{name}"] = weights[f"tables.{name}"][table.trained_rows.numpy()]
    with write_atomically(path, "wb") as stream:
        stream.write(pack_arrays(changed))


def load_weights(path: Path, learner: Learner) -> dict[str, FloatArray]:
    """The weights that `save_weights` wrote, with the other rows of the learner's tables."""
    with broken_file(path, ANEW):
        weights: dict[str, FloatArray] = load_arrays(path)
        for name, table in learner.tables.items():
            rows = table.averages.numpy().copy()
            rows[table.trained_rows.numpy()] = weights[f"tables.{name}"]
            weights[f"tables.{name}"] = rows
        for name, parameter in learner.parameters().items():
            if weights[name].shape != tuple(parameter.shape):
                raise ValueError(f"{name} has another shape")
    return weights
