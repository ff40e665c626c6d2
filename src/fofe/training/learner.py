"""The inner loop: batches in, better weights out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from fofe.base.arrays import BoolArray, FloatArray
from fofe.features.batch import Dropout, Dropping, TorchBatch, contextual_name, make_batch, positions_name
from fofe.features.encoded import Pieces
from fofe.features.language_models_torch import LanguageModel, multiplies_bfloat16
from fofe.model.network import Network
from fofe.training.batches import Batch, Sampler, prefetched
from fofe.training.config import TrainingConfig
from fofe.training.distributed import ALONE, ProcessGroup
from fofe.training.finetune import Fixed
from fofe.training.optimisation import WordTable, falling, kept, make_optimiser, rate_factor
from fofe.training.plain_text import MixedSampler

LANGUAGE_MODELS = "language_models."
"""What the names of the weights of language models that are trained begin with."""


class Learner:
    """Holds everything that changes while a network is trained."""

    def __init__(
        self,
        config: TrainingConfig,
        network: Network,
        tables: Mapping[str, WordTable],
        target_sets: BoolArray,
        device: torch.device,
        importance: FloatArray | None = None,
        language_models: Mapping[str, LanguageModel] | None = None,
        fixed: Sequence[Fixed] = (),
    ) -> None:
        """`importance` [V] weighs the words of the view that describes a text's surroundings, if any.

        `language_models` are those of encoder views, where they are trained too. `fixed` are the parts of
        parameters that stay as they are.
        """
        self.config = config
        self.group = ALONE
        self.device = device
        self.network = network.to(device)
        network.reduced = config.precision == "bfloat16" and multiplies_bfloat16(device)
        self.tables = dict(tables)
        self.table_of = {view.name: view.holder for view in network.config.views if view.has_table}
        self.take_targets(target_sets)
        self.importance = importance
        self.fixed = fixed
        self.step = 0
        self.language_models = {name: model.to(device) for name, model in (language_models or {}).items()}
        self.optimiser = make_optimiser(config, network, self.language_models.values())
        self.averages = [parameter.detach().clone() for parameter in network.parameters()]

    def take_targets(self, target_sets: BoolArray) -> None:
        """Learn other target sets [N, K] from now on."""
        self.target_sets = torch.from_numpy(target_sets).to(self.device)

    def run_epoch(
        self, sampler: Sampler | MixedSampler, epoch: int, on_step: Callable[[float], None]
    ) -> float:
        """Train on the batches of an epoch, counted from 0; returns the mean loss of its fragments.

        Random draws depend on the seed and the epoch alone: a resumed run draws the same.
        """
        config = self.config
        now = partial(falling, epoch=epoch, epochs=config.epochs, geometric=config.schedule == "geometric")
        dropping = Dropping(
            Dropout((config.seed * 1_000_003 + epoch) * self.group.size + self.group.rank),
            inputs=now(config.input_dropout, config.final_input_dropout),
            hidden=now(config.dropout, config.final_dropout),
            windows=config.window_dropout,
            contexts=config.context_dropout,
        )
        if self.importance is not None and (view := self.network.config.surroundings):
            # No gradient flows through them: an epoch sees the vectors that it begins with.
            sampler.see_surroundings(view, self.tables[view].weights.numpy(), self.importance)
        batches_expected = sampler.batches_per_epoch()
        losses, count = 0.0, 0
        for number, part in enumerate(prefetched(_prepared(sampler.epoch(epoch), self.group))):
            progress = min(1.0, (epoch + number / batches_expected) / config.epochs)
            loss = self._learn(part, epoch, progress, dropping)
            losses += loss * part.total
            count += part.total
            on_step(loss)
        return losses / max(1, count)

    def _learn(self, part: _Prepared, epoch: int, progress: float, dropping: Dropping) -> float:
        """Take one step; returns the mean loss of the whole batch."""
        factor = rate_factor(self.config, epoch, progress)
        gathered = {view: self.tables[table].gather(part.rows[view]) for view, table in self.table_of.items()}
        self.optimiser.zero_grad(set_to_none=True)
        loss = torch.zeros((), device=self.device)
        if len(part.share["targets"]):
            loss = self._loss(part, gathered, dropping)
            loss.backward()  # type: ignore[no-untyped-call]
        loss = self.group.add_up([*self.parameters().values(), *gathered.values()], loss)
        if self.config.clip:
            nn.utils.clip_grad_norm_(self.parameters().values(), self.config.clip)
        for group in self.optimiser.param_groups:
            risen = min(1.0, progress / group["warmup"]) if group.get("warmup") else 1.0
            group["lr"] = group["first_rate"] * factor * risen
        self.optimiser.step()
        for part_of_parameter in self.fixed:
            part_of_parameter.restore()
        for view, table in self.table_of.items():
            rate = self.config.word_rate * factor
            self.tables[table].update(part.rows[view], gathered[view], rate, self.step)
        if self.config.average:
            with torch.no_grad():
                parameters: list[Tensor] = list(self.network.parameters())
                torch._foreach_lerp_(self.averages, parameters, 1 - kept(self.config.average, self.step))
        self.step += 1
        return float(loss.detach())

    def _loss(self, part: _Prepared, gathered: Mapping[str, Tensor], dropping: Dropping) -> Tensor:
        """What this process adds to the mean loss of the whole batch.

        A network with annotation schemes learns every fragment both ways, conditioned on its corpus and
        unconditioned, so that the model also serves text of an unknown scheme.
        """
        batch = {name: array.to(self.device) for name, array in part.share.items()}
        tables = {name: vectors.to(self.device) for name, vectors in gathered.items()}
        for view, model in self.language_models.items():
            layers = self.network.config.view(view).layers
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.network.reduced):
                batch[contextual_name(view)] = model.read(part.pieces[view], layers).flatten(1)
        if "conditioned_targets" in batch:
            conditioned, plain = self.network.both_ways(batch, tables, dropping)
            losses = self._losses(conditioned, batch["conditioned_targets"])
            losses = (losses + self._losses(plain, batch["targets"])) / 2
        else:
            scores = self.network(batch, tables, dropping)
            losses = self._losses(scores, batch["targets"])
            if "soft_targets" in batch:
                losses = distillation_loss(losses, scores, batch["soft_targets"], self.config)
        if "weights" in batch:
            losses = losses * batch["weights"]
        return losses.mean() * (len(losses) / part.total)

    def _losses(self, scores: Tensor, targets: Tensor) -> Tensor:
        return set_loss(scores, self.target_sets[targets.long()])

    def parameters(self) -> dict[str, nn.Parameter]:
        """All that the optimiser changes, by name."""
        parameters = dict(self.network.named_parameters())
        for view, model in self.language_models.items():
            parameters |= {
                f"{LANGUAGE_MODELS}{view}.{name}": value for name, value in model.named_parameters()
            }
        return parameters

    def weights(self) -> dict[str, FloatArray]:
        """The weights to evaluate and to keep, by name: the averages, where averaging is on."""
        weights: dict[str, Tensor] = dict(self.network.named_parameters())
        if self.config.average:
            weights = dict(zip(weights, self.averages, strict=True))
        tables = {f"tables.{name}": table.averaged(self.step) for name, table in self.tables.items()}
        encoders = {
            name: value.detach().clone()
            for name, value in self.parameters().items()
            if name.startswith(LANGUAGE_MODELS)
        }
        kept = weights | tables | encoders
        return {name: value.detach().cpu().numpy() for name, value in kept.items()}


def set_loss(scores: Tensor, admissible: Tensor) -> Tensor:
    """[F] minus the log of the probability mass on each fragment's admissible labels.

    `scores` is [F, K] before the softmax, `admissible` [F, K]. Where every label is admissible the loss is 0.
    """
    wanted = scores.masked_fill(~admissible, float("-inf"))
    return torch.logsumexp(scores, 1) - torch.logsumexp(wanted, 1)


def distillation_loss(losses: Tensor, scores: Tensor, soft_targets: Tensor, config: TrainingConfig) -> Tensor:
    """[F] the losses [F] by labels mixed with the cross entropy to soft targets, which counts its weight.

    `scores` is [F, K] before the softmax, `soft_targets` [F, K] the teachers' probabilities; a fragment whose
    row is zero is learned by its label alone. Both are flattened by the temperature T; the factor T squared
    keeps the gradients as large as they were (Hinton et al. 2015).
    """
    temperature = config.temperature
    weights = config.distillation_weight * soft_targets.any(dim=1)
    if temperature != 1:
        flat = soft_targets ** (1 / temperature)
        soft_targets = flat / flat.sum(1, keepdim=True).clamp(min=1e-6)
    entropy = -(soft_targets * torch.log_softmax(scores / temperature, 1)).sum(1)
    return (1 - weights) * losses + weights * temperature**2 * entropy


@dataclass(frozen=True)
class _Prepared:
    """This process's share of a batch."""

    share: TorchBatch
    rows: dict[str, Tensor]
    """The distinct rows of the words of the whole batch, for each view with a table."""
    total: int
    """How many fragments the whole batch has."""
    pieces: Mapping[str, Pieces]
    """What language models that are trained read."""


def _prepared(batches: Iterator[Batch], group: ProcessGroup) -> Iterator[_Prepared]:
    for batch in batches:
        share = group.share_of(batch)
        tensors, rows = make_batch(share.text, share.fragments, share.arrays)
        if share is not batch:
            for name, of_batch in batch.text.rows().items():
                own, rows[name] = rows[name], torch.from_numpy(np.unique(of_batch)).long()
                positions = positions_name(name)
                tensors[positions] = torch.searchsorted(rows[name], own)[tensors[positions]]
        yield _Prepared(tensors, rows, len(batch.fragments), share.text.pieces)
