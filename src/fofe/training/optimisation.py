"""How weights change: learning-rate schedules, the optimiser, running averages, and the word tables.

The running average is young at first, so that short runs are averaged too: after step t it keeps
d_t = min(decay, (1 + t) / (10 + t)) of what it was.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.language_models_torch import LanguageModel
from fofe.model.network import Network
from fofe.training.config import TrainingConfig

CNN_PART = "character_cnn."
CHARACTER_PARTS = ("characters.", "initials.", "spelling.")
YOUTH = 10


def rate_factor(config: TrainingConfig, epoch: int, progress: float) -> float:
    """What the learning rates are multiplied by; `progress` goes from 0 to 1 over the whole training.

    The geometric schedule falls by the same factor after every epoch, the linear one with every step.
    """
    if config.schedule == "constant":
        return 1.0
    if config.schedule == "linear":
        return 1.0 - (1.0 - config.final_rate) * progress
    return float(config.final_rate ** (epoch / max(1, config.epochs - 1)))


def falling(first: float, last: float | None, epoch: int, epochs: int, *, geometric: bool = False) -> float:
    """A value that goes from `first` in the first epoch to `last` in the last, evenly or by a factor."""
    if last is None or epochs < 2:
        return first
    progress = epoch / (epochs - 1)
    if geometric and first and last:
        return float(first * (last / first) ** progress)
    return first + (last - first) * progress


def make_optimiser(
    config: TrainingConfig, network: Network, language_models: Iterable[LanguageModel] = ()
) -> torch.optim.Optimizer:
    """Layers and characters in two groups; the word tables take plain SGD steps of their own.

    The language models that are trained have a group for each of their layers.
    """
    character_parts = CHARACTER_PARTS if config.cnn_with_layers else (*CHARACTER_PARTS, CNN_PART)
    layers: list[Tensor] = []
    characters: list[Tensor] = []
    for name, parameter in network.named_parameters():
        (characters if name.startswith(character_parts) else layers).append(parameter)
    character_rate = config.rate if config.character_rate is None else config.character_rate
    groups: list[dict[str, Any]] = [
        {"params": layers, "first_rate": config.rate, "lr": config.rate},
        {"params": characters, "first_rate": character_rate, "lr": character_rate},
    ]
    groups = [group for group in groups if group["params"]]
    for model in language_models:
        for depth, parameters in model.by_depth().items():
            rate = config.encoder_rate * config.encoder_decay**depth
            groups.append({"params": parameters, "first_rate": rate, "lr": rate, "warmup": config.warmup})
    if config.optimiser == "adamw":
        return torch.optim.AdamW(groups, weight_decay=config.weight_decay, fused=True)
    for group in groups:
        # The projections of characters take plain steps, as those of words do.
        group["momentum"] = config.momentum if group["params"] is layers else 0.0
    return torch.optim.SGD(groups, foreach=True)


def kept(decay: float, step: int) -> float:
    """The share d_t of the average that is kept at a step, counted from 0."""
    return min(decay, (1 + step) / (YOUTH + step))


def kept_since(decay: float, settled: Tensor, step: int) -> Tensor:
    """[R] the share that is kept from steps `settled` [R] to `step`: the product of d_t over them."""
    return torch.exp(_log_product(decay, torch.tensor(step)) - _log_product(decay, settled)).to(torch.float32)


def _log_product(decay: float, steps: Tensor) -> Tensor:
    """The logarithm of d_0 * ... * d_{t-1} for each t, in closed form.

    While the average is young the product telescopes to t! 9! / (t + 9)!; then every step adds log(decay).
    """
    grown = int((YOUTH * decay - 1) / (1 - decay)) + 1 if decay * YOUTH > 1 else 0
    young = steps.clamp(max=grown).to(torch.float64)
    product = torch.lgamma(young + 1) + torch.lgamma(torch.tensor(float(YOUTH), dtype=torch.float64))
    product -= torch.lgamma(young + YOUTH)
    older = (steps - grown).clamp(min=0).to(torch.float64)
    return product + older * torch.log(torch.tensor(decay, dtype=torch.float64))


class WordTable:
    """A table [V, D] with row-wise SGD and an exact row-wise running average of its weights."""

    def __init__(self, weights: FloatArray, trained_rows: IntArray, average: float, fixed: int = 0) -> None:
        """`fixed` of the first rows stay as they are."""
        self.weights = torch.from_numpy(weights)
        self.trained_rows = torch.from_numpy(np.unique(trained_rows).astype(np.int64))
        self.fixed = fixed
        self.decay = average
        self.averages = self.weights.clone() if average else self.weights
        self.settled = torch.zeros(len(weights), dtype=torch.int64)
        """[V] the step up to which each row's average is settled."""

    def gather(self, rows: Tensor) -> Tensor:
        """The vectors [U, D] of distinct rows [U], to be differentiated."""
        return self.weights[rows].requires_grad_()

    def update(self, rows: Tensor, gathered: Tensor, rate: float, step: int) -> None:
        """Take one step of plain SGD on some rows; `step` counts the steps so far.

        Views that share the table take their steps one after another, as if their gradients were summed.
        """
        if gathered.grad is None:
            return
        self._settle(rows, gathered.detach(), step)
        self.weights[rows] -= rate * gathered.grad * (rows >= self.fixed)[:, None]

    def averaged(self, step: int) -> Tensor:
        """The running average [V, D] of the weights after `step` steps."""
        rows = self.trained_rows
        self._settle(rows, self.weights[rows], step)
        return self.averages

    def _settle(self, rows: Tensor, weights: Tensor, step: int) -> None:
        """Bring averages up to `step`: a row that stood still came nearer by what was kept since."""
        if not self.decay:
            return
        remembered = kept_since(self.decay, self.settled[rows], step)[:, None]
        self.averages[rows] = weights + (self.averages[rows] - weights) * remembered
        self.settled[rows] = step
