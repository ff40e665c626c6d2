"""Temperatures: the log-odds of each label against NONE, divided by a number of its own.

They are part of the last layer. With the scores s = W x + b of the labels, the row of a label becomes
W_NONE + (W_label - W_NONE) / T, and likewise its bias: every engine scores as calibrated, at no cost. The
same T for all labels is plain temperature scaling, which never changes what is likeliest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fofe.model.storage import StoredModel


def with_temperatures(model: StoredModel, temperatures: Mapping[str, float]) -> StoredModel:
    """The model with its labels' log-odds divided by their temperatures; labels without one stay."""
    last = len(model.config.hidden)
    divisors = np.array([temperatures.get(label, 1.0) for label in model.labels], dtype=np.float32)
    weights = dict(model.weights)
    layers = [f"layers.{last}", *([f"conditioned.{last - 1}"] if model.config.schemes else [])]
    for name in (f"{layer}.{part}" for layer in layers for part in ("weight", "bias")):
        # What a corpus adds to the last layer has a row for each label, too.
        rows = weights[name].reshape(-1, len(divisors), *weights[name].shape[1:])
        none = rows[:, :1]
        divided = (rows - none) / divisors.reshape(-1, *[1] * (rows.ndim - 2))
        weights[name] = (none + divided).reshape(weights[name].shape)
    return replace(model, weights=weights)
