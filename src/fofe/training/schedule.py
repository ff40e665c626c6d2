"""How rates and dropout change while training goes on."""

from __future__ import annotations

from fofe.training.config import TrainingConfig


def rate_factor(config: TrainingConfig, epoch: int, progress: float) -> float:
    """What the learning rates are multiplied by.

    `epoch` counts from 0, `progress` goes from 0 to 1 over the whole training. The geometric schedule
    multiplies by the same constant at the end of every epoch, the linear one falls with every step.
    """
    if config.schedule == "constant":
        return 1.0
    if config.schedule == "linear":
        return 1.0 - (1.0 - config.final_rate) * progress
    return float(config.final_rate ** (epoch / max(1, config.epochs - 1)))


def falling(first: float, last: float | None, epoch: int, epochs: int) -> float:
    """A value that goes evenly from `first` in the first epoch to `last` in the last."""
    if last is None or epochs < 2:
        return first
    return first + (last - first) * epoch / (epochs - 1)
