"""The running average of weights: young at first, so that short runs are averaged too.

After step t the average keeps d_t = min(decay, (1 + t) / (10 + t)) of what it was.
"""

from __future__ import annotations

import torch
from torch import Tensor

YOUTH = 10


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
