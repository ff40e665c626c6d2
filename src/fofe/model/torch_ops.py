"""What torch lacks or does slowly on a CPU: the FOFE scan, range maxima, sums over windows, dropout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

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


def range_maximum(values: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
    """The maximum [R, D] of `values` [T, D] in each half-open range [R]; 0 where a range is empty."""
    lengths = (ends - starts).clamp(min=0)
    offsets = torch.zeros_like(lengths)
    offsets[1:] = lengths[:-1].cumsum(0)
    rows = torch.arange(int(lengths.sum()), device=values.device)
    rows = rows + torch.repeat_interleave(starts - offsets, lengths)
    if not len(rows):
        return values.new_zeros(len(starts), values.shape[1])
    return nn.functional.embedding_bag(rows, values, offsets, mode="max")


def window_sums(places: Tensor, symbols: Tensor) -> Tensor:
    """For each window of h symbols, the sum [C - h + 1, D] of what each symbol adds at its place.

    `places` is [A, h, D]: row a at place p; `symbols` [C] points into it.
    """
    sums: Tensor = _WindowSums.apply(places, symbols)  # type: ignore[no-untyped-call]
    return sums


class _WindowSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, places: Tensor, symbols: Tensor) -> Tensor:
        ctx.save_for_backward(symbols)
        ctx.shape = places.shape
        height = places.shape[1]
        count = max(len(symbols) - height + 1, 0)
        sums = places.new_zeros(count, places.shape[2])
        for place in range(height):
            sums += places[:, place].index_select(0, symbols[place : place + count])
        return sums

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (symbols,) = ctx.saved_tensors
        alphabet, height, width = ctx.shape
        by_place = gradient.new_zeros(height, alphabet, width)
        for place in range(height):
            by_place[place].index_add_(0, symbols[place : place + len(gradient)], gradient)
        return by_place.transpose(0, 1), None


class Dropout:
    """Drops a share of the values and scales the rest, with random bytes of its own.

    Eight choices from one 64-bit draw: several times as fast as drawing a float for each on a CPU. The
    share is rounded to 1/256.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.SFC64(seed)

    def __call__(self, values: Tensor, share: float) -> Tensor:
        dropped = min(round(share * 256), 255)
        if not dropped:
            return values
        draws = self._random.random_raw((values.numel() + 7) // 8).view(np.uint8)[: values.numel()]
        kept = torch.from_numpy(draws).view(values.shape) >= dropped
        return values * kept.to(values.device, values.dtype).mul_(256 / (256 - dropped))


@dataclass(frozen=True)
class Dropping:
    """What is dropped while training: the shares of the values at each place of the network."""

    dropout: Dropout
    inputs: float = 0.0
    """Of the input features."""
    hidden: float = 0.0
    """Of the hidden units."""
    windows: float = 0.0
    """Of the word vectors' numbers, before window views read them."""
    contexts: float = 0.0
    """Of what the context layers of window views read."""


NOTHING_DROPPED = Dropping(Dropout(0))
