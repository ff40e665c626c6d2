"""The FOFE scan in torch, with its gradient."""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from fofe.features.fofe import FORGOTTEN

SCATTERED = 4
"""With more words per fragment than this, the codes of fragments are cheaper one by one than by a scan."""


def scan_both(values: Tensor, factor: float, starts: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
    """Prefix codes [T, D], and suffix codes [T, D], read right to left, of the sequences in `values` [T, D].

    `starts` and `ends` [T] mark the first and the last position of each sequence. Both directions are one
    scan, since on a CPU its many small steps cost more than what they compute.
    """
    both = torch.cat([values, values.flip(0)])
    codes: Tensor = _Scan.apply(both, factor, torch.cat([starts, ends.flip(0)]))  # type: ignore[no-untyped-call]
    left, right = codes.tensor_split(2)
    return left, right.flip(0)


class Sums(NamedTuple):
    """F weighted sums of rows, N rows in all: codes of stretches of a sequence, each computed on its own."""

    positions: Tensor
    """[N] the rows of each sum, one sum after another."""
    weights: Tensor
    """[N] what each row is multiplied by."""
    counts: Tensor
    """[F] how many rows each sum has."""

    @classmethod
    def of_stretches(cls, factor: float, nearest: Tensor, lengths: Tensor, step: int) -> "Sums":
        """The codes of stretches of `lengths` [F] items.

        A stretch goes from the item that weighs 1, at `nearest` [F], backwards (`step` -1) or forwards (1).
        """
        counts = lengths.clamp(max=math.ceil(math.log(FORGOTTEN, factor)))
        distances = torch.arange(int(counts.sum()), device=counts.device)
        distances -= torch.repeat_interleave(counts.cumsum(0) - counts, counts)
        positions = torch.repeat_interleave(nearest, counts) + step * distances
        return cls(positions, factor ** distances.to(torch.float32), counts)

    def of(self, values: Tensor) -> Tensor:
        """[F, D] the sums of rows of `values` [T, D]."""
        offsets = self.counts.cumsum(0) - self.counts
        weights = self.weights.to(values.dtype)
        return nn.functional.embedding_bag(
            self.positions, values, offsets, mode="sum", per_sample_weights=weights
        )


def codes_both(values: Tensor, factor: float, starts: Tensor, ends: Tensor) -> list[Tensor]:
    """[F, D] twice: the codes of half-open stretches of `values` [T, D], left to right and right to left."""
    lengths = ends - starts
    return [
        Sums.of_stretches(factor, nearest, lengths, step).of(values)
        for nearest, step in ((ends - 1, -1), (starts, 1))
    ]


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
