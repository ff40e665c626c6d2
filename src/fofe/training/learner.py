"""The inner loop: batches in, better weights out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from fofe.base.arrays import BoolArray, FloatArray
from fofe.model.batch import TorchBatch, make_batch
from fofe.model.network import Network
from fofe.model.torch_ops import Dropout, Dropping
from fofe.training.averaging import kept
from fofe.training.config import TrainingConfig
from fofe.training.distributed import ALONE, Crew
from fofe.training.producer import produced
from fofe.training.sampling import Batch, Sampler
from fofe.training.schedule import falling, rate_factor
from fofe.training.tables import WordTable

CHARACTER_PARTS = ("characters.", "character_cnn.", "spelling.")


class Learner:
    """Holds everything that changes while a network is trained."""

    def __init__(
        self,
        config: TrainingConfig,
        network: Network,
        tables: Mapping[str, WordTable],
        target_sets: BoolArray,
        device: torch.device,
        crew: Crew = ALONE,
        importance: FloatArray | None = None,
    ) -> None:
        """`importance` [V] is what the words of the view count that tells what a text is about, if any."""
        self.config = config
        self.crew = crew
        self.device = device
        self.network = network.to(device)
        self.tables = dict(tables)
        self.table_of = {view.name: view.holder for view in network.config.views if view.has_table}
        self.take_targets(target_sets)
        self.importance = importance
        self.step = 0
        self.optimiser = _optimiser(config, network)
        self.averages = [parameter.detach().clone() for parameter in network.parameters()]

    def take_targets(self, target_sets: BoolArray) -> None:
        """Learn other target sets [N, K] from now on."""
        self.target_sets = torch.from_numpy(target_sets).to(self.device)

    def run_epoch(self, sampler: Sampler, epoch: int, on_step: Callable[[float], None]) -> float:
        """Train on the batches of an epoch, counted from 0; returns the mean loss of its fragments.

        What is drawn at random depends on the seed and the epoch alone: a resumed run goes the same way.
        """
        config = self.config
        dropping = Dropping(
            Dropout((config.seed * 1_000_003 + epoch) * self.crew.size + self.crew.rank),
            inputs=falling(config.input_dropout, config.final_input_dropout, epoch, config.epochs),
            hidden=falling(config.dropout, config.final_dropout, epoch, config.epochs),
            windows=config.window_dropout,
            contexts=config.context_dropout,
        )
        if self.importance is not None and (view := self.network.config.surroundings):
            # Not learned through: an epoch sees what its first step would.
            sampler.see_surroundings(view, self.tables[view].weights.numpy(), self.importance)
        batches_expected = sampler.batches_per_epoch()
        losses, count = 0.0, 0
        for number, part in enumerate(produced(_prepared(sampler.epoch(epoch), self.crew))):
            progress = min(1.0, (epoch + number / batches_expected) / config.epochs)
            factor = rate_factor(config, epoch, progress)
            loss = self._learn(part, factor, dropping)
            losses += loss * part.total
            count += part.total
            on_step(loss)
        return losses / max(1, count)

    def _learn(self, part: Prepared, factor: float, dropping: Dropping) -> float:
        """Take one step; returns the mean loss of the whole batch."""
        gathered = {view: self.tables[table].gather(part.rows[view]) for view, table in self.table_of.items()}
        self.optimiser.zero_grad(set_to_none=True)
        loss = torch.zeros((), device=self.device)
        if len(part.targets):
            loss = self._loss(part, gathered, dropping)
            loss.backward()  # type: ignore[no-untyped-call]
        loss = self.crew.add_up([*self.network.parameters(), *gathered.values()], loss)
        for group in self.optimiser.param_groups:
            group["lr"] = group["first_rate"] * factor
        self.optimiser.step()
        for view, table in self.table_of.items():
            rate = self.config.word_rate * factor
            self.tables[table].update(part.rows[view], gathered[view], rate, self.step)
        if self.config.average:
            with torch.no_grad():
                parameters: list[Tensor] = list(self.network.parameters())
                torch._foreach_lerp_(self.averages, parameters, 1 - kept(self.config.average, self.step))
        self.step += 1
        return float(loss.detach())

    def _loss(self, part: Prepared, gathered: Mapping[str, Tensor], dropping: Dropping) -> Tensor:
        """What this process adds to the mean loss of the whole batch.

        Where the conventions of corpora are known, every fragment is learned both ways, told and not, so
        that the model serves text of unknown conventions as well.
        """
        batch = part.batch.to(self.device)
        tables = {name: vectors.to(self.device) for name, vectors in gathered.items()}
        if part.told_targets is None:
            scores = self.network(batch, tables, dropping)
            losses = self._losses(scores, part.targets)
            if part.taught is not None:
                losses = taught_loss(losses, scores, part.taught.to(self.device), self.config.teacher_weight)
        else:
            told, untold = self.network.both_ways(batch, tables, dropping)
            losses = (self._losses(told, part.told_targets) + self._losses(untold, part.targets)) / 2
        if part.weights is not None:
            losses = losses * part.weights.to(self.device)
        return losses.mean() * (len(part.targets) / part.total)

    def _losses(self, scores: Tensor, targets: Tensor) -> Tensor:
        return set_loss(scores, self.target_sets[targets.to(self.device)])

    def weights(self) -> dict[str, FloatArray]:
        """The weights to evaluate and to keep, by name: the averages, where averaging is on."""
        averaged = bool(self.config.average)
        kept: dict[str, FloatArray] = {}
        for (name, parameter), average in zip(self.network.named_parameters(), self.averages, strict=True):
            kept[name] = (average if averaged else parameter.detach()).cpu().numpy()
        for name, table in self.tables.items():
            kept[f"tables.{name}"] = table.averaged(self.step).numpy()
        return kept

    def optimiser_state(self) -> dict[str, Tensor]:
        """What the optimiser remembers of each parameter, by name."""
        return {
            f"optimiser.{name}.{key}": value.clone()
            for name, parameter in self.network.named_parameters()
            for key, value in self.optimiser.state.get(parameter, {}).items()
            if isinstance(value, Tensor)
        }

    def restore_optimiser(self, saved: Mapping[str, Tensor]) -> None:
        """Give the optimiser the memory that `optimiser_state` told."""
        parameters = dict(self.network.named_parameters())
        for key, value in saved.items():
            name, what = key.removeprefix("optimiser.").rsplit(".", 1)
            kept = value if what == "step" else value.to(self.device)
            self.optimiser.state[parameters[name]][what] = kept


def set_loss(scores: Tensor, admissible: Tensor) -> Tensor:
    """[F] minus the log of the probability mass on each fragment's admissible labels.

    `scores` is [F, K] before the softmax, `admissible` [F, K]. Where every label is admissible the loss is 0.
    """
    wanted = scores.masked_fill(~admissible, float("-inf"))
    return torch.logsumexp(scores, 1) - torch.logsumexp(wanted, 1)


def taught_loss(losses: Tensor, scores: Tensor, taught: Tensor, weight: float) -> Tensor:
    """[F] the losses [F] by labels and those by what teachers say, which count `weight`.

    `scores` is [F, K] before the softmax, `taught` [F, K] the teachers' probabilities; a fragment whose row
    is zero is learned by its label alone.
    """
    weights = weight * taught.any(dim=1)
    return (1 - weights) * losses - weights * (taught * torch.log_softmax(scores, 1)).sum(1)


@dataclass(frozen=True)
class Prepared:
    """What this process sees of a batch."""

    batch: TorchBatch
    rows: dict[str, Tensor]
    """The rows of the words of the whole batch, for each view with a table."""
    targets: Tensor
    """[F] the numbers of target sets."""
    told_targets: Tensor | None
    """[F] the same where the network is told whose conventions to follow, if it ever is."""
    weights: Tensor | None
    """[F]"""
    taught: Tensor | None
    """[F, K] what teachers say, if there are any."""
    total: int
    """How many fragments the whole batch has."""


def _prepared(batches: Iterator[Batch], crew: Crew) -> Iterator[Prepared]:
    for whole in batches:
        batch = crew.share_of(whole)
        tensors, rows = make_batch(batch.text, batch.fragments, batch.names, batch.conventions)
        if batch is not whole:
            tensors, rows = _with_all_rows(tensors, rows, whole)
        yield Prepared(
            tensors,
            rows,
            torch.from_numpy(batch.targets.astype(np.int64)),
            None if batch.told_targets is None else torch.from_numpy(batch.told_targets.astype(np.int64)),
            None if batch.weights is None else torch.from_numpy(batch.weights),
            None if batch.taught is None else torch.from_numpy(batch.taught),
            len(whole.targets),
        )


def _with_all_rows(
    tensors: TorchBatch, rows: Mapping[str, Tensor], whole: Batch
) -> tuple[TorchBatch, dict[str, Tensor]]:
    """The tensors of a share with its words among those of the whole batch, and the rows of these."""
    all_rows = {
        name: torch.from_numpy(np.unique(of_view)).long() for name, of_view in whole.text.rows().items()
    }
    words = {
        name: torch.searchsorted(all_rows[name], rows[name])[places] for name, places in tensors.words.items()
    }
    return replace(tensors, words=words), all_rows


def _optimiser(config: TrainingConfig, network: Network) -> torch.optim.Optimizer:
    """Layers and characters in two groups; the word tables take plain SGD steps of their own."""
    layers: list[Tensor] = []
    characters: list[Tensor] = []
    for name, parameter in network.named_parameters():
        (characters if name.startswith(CHARACTER_PARTS) else layers).append(parameter)
    character_rate = config.rate if config.character_rate is None else config.character_rate
    groups = [
        {"params": layers, "first_rate": config.rate, "lr": config.rate},
        {"params": characters, "first_rate": character_rate, "lr": character_rate},
    ]
    groups = [group for group in groups if group["params"]]
    if config.optimiser == "adamw":
        return torch.optim.AdamW(groups, weight_decay=config.weight_decay, fused=True)
    for group in groups:
        # The projections of characters take plain steps, as those of words do.
        group["momentum"] = config.momentum if group["params"] is layers else 0.0
    return torch.optim.SGD(groups, foreach=True)
