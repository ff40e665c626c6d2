"""Conditioning on the corpus in torch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


def conditioned_layers(sizes: Sequence[int], corpora: int) -> nn.ModuleList:
    """What each scheme adds to the layers between `sizes`; nothing yet."""
    layers = nn.ModuleList(nn.Linear(wide, narrow * corpora) for wide, narrow in pairwise(sizes) if corpora)
    for parameter in layers.parameters():
        nn.init.zeros_(parameter)
    return layers


def of_scheme(added: Tensor, schemes: Tensor) -> Tensor:
    """[F, N] of what all schemes would add [F, C * N], that of the one in `schemes` [F, C], if any."""
    by_corpus = added.view(len(added), schemes.shape[1], -1)
    return torch.einsum("fcn,fc->fn", by_corpus, schemes.to(added.dtype))
