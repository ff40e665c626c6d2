"""Training by several processes at once, as `torchrun` starts them: each takes a share of every batch.

All processes draw the same batches, since these depend on the seed alone, and each computes the gradients of
its share of the sentences. The gradients are added up and all take the same step, so that all keep the same
weights: those of one process with the whole batch. Of the word tables only the rows of the batch are
exchanged. The first process evaluates and writes; the others wait for its decisions.
"""

import atexit
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, distributed

from fofe.training.batches import Batch, taken

Value = TypeVar("Value")


@dataclass(frozen=True)
class ProcessGroup:
    """The processes that train one model; this is number `rank` of `size`."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process evaluates, writes and reports for all."""
        return self.rank == 0

    def share_of(self, batch: Batch) -> Batch:
        """This process's part of a batch: whole sentences, about as many fragments as the others have."""
        if self.size == 1:
            return batch
        counts = np.bincount(batch.fragments.sentences, minlength=len(batch.text))
        done = np.cumsum(counts)
        taker = np.minimum((done - 1).clip(0) * self.size // max(1, len(batch.fragments)), self.size - 1)
        sentences = np.flatnonzero(taker == self.rank)
        own = np.flatnonzero(taker[batch.fragments.sentences] == self.rank)
        arrays = {name: values[own] for name, values in batch.arrays.items()}
        return Batch(*taken(batch.text, batch.fragments.take(own), sentences, counts[sentences]), arrays)

    def add_up(self, tensors: Sequence[Tensor], loss: Tensor) -> Tensor:
        """Make the gradients of tensors, and the loss, the sums over all processes; returns that loss.

        A gradient that no process has stays none.
        """
        if self.size == 1:
            return loss
        has_gradient = torch.tensor([tensor.grad is not None for tensor in tensors], device=loss.device)
        gradients = [torch.zeros_like(one) if one.grad is None else one.grad for one in tensors]
        parts = [gradient.reshape(-1).to(loss.device) for gradient in gradients]
        flat = torch.cat([loss.detach().reshape(1), has_gradient.to(loss.dtype), *parts])
        distributed.all_reduce(flat)
        counts = flat[1 : 1 + len(tensors)].tolist()
        sums = torch.split(flat[1 + len(tensors) :], [gradient.numel() for gradient in gradients])
        for tensor, summed, count in zip(tensors, sums, counts, strict=True):
            tensor.grad = summed.view_as(tensor).to(tensor.device) if count else None
        return flat[0]

    def agree(self, value: Value) -> Value:
        """The value of the first process, in all of them."""
        if self.size == 1:
            return value
        values = [value]
        distributed.broadcast_object_list(values, src=0)
        return values[0]

    def wait(self) -> None:
        """Wait until all processes have come here."""
        if self.size > 1:
            distributed.barrier()


ALONE = ProcessGroup()


def join(device: str) -> ProcessGroup:
    """Join the processes that torchrun started; alone without it. `device` is that of the configuration."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return ALONE
    on_gpu = device != "cpu" and torch.cuda.is_available()
    if on_gpu:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    if not distributed.is_initialized():
        distributed.init_process_group("nccl" if on_gpu else "gloo")
        atexit.register(distributed.destroy_process_group)
    return ProcessGroup(distributed.get_rank(), size)
