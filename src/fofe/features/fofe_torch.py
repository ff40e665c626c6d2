"""The FOFE scan in torch, with its gradient."""

from typing import Any

import torch
from torch import Tensor

from fofe.features.fofe import FORGOTTEN


def scan(values: Tensor, factor: float, starts: Tensor) -> Tensor:
    """Prefix codes [T, D] of the sequences in `values` [T, D]; `starts` [T] marks where one begins."""
    codes: Tensor = _Scan.apply(values, factor, starts)  # type: ignore[no-untyped-call]
    return codes


def scan_both(values: Tensor, factor: float, starts: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
    """Prefix codes [T, D], and suffix codes [T, D], read right to left, of the sequences in `values` [T, D].

    `starts` and `ends` [T] mark the first and the last position of each sequence. Both directions are one
    scan, since on a CPU its many small steps cost more than what they compute.
    """
    codes = scan(torch.cat([values, values.flip(0)]), factor, torch.cat([starts, ends.flip(0)]))
    left, right = codes.tensor_split(2)
    return left, right.flip(0)


def _scan(values: Tensor, factor: float, starts: Tensor) -> Tensor:
    """Doubling steps, as in `fofe.features.fofe.scan`."""
    codes = values.clone()
    carry = torch.where(starts, 0.0, factor).to(values.dtype)
    step = 1
    while step < len(codes) and float(carry.max()) >= FORGOTTEN:
        # Not `codes[step:] += ...`, which would copy the slice onto itself once more.
        codes[step:].add_(carry[step:, None] * codes[:-step])
        carry[step:].mul_(carry[:-step].clone())
        step *= 2
    return codes


class _Scan(torch.autograd.Function):
    """The gradient of a scan is the same scan in the other direction."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, factor: float, starts: Tensor) -> Tensor:
        ctx.factor = factor
        ctx.save_for_backward(starts)
        return _scan(values, factor, starts)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (starts,) = ctx.saved_tensors
        ends = starts.roll(-1, 0)
        return _scan(gradient.flip(0), ctx.factor, ends.flip(0)).flip(0), None, None
