"""The network in torch, as it is trained: every feature differentiable, every fragment on its own row."""

from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn

from fofe.features.batch import NOTHING_DROPPED, Dropping, TorchBatch
from fofe.features.config import ModelConfig
from fofe.features.feature import Feature
from fofe.features.registry import features_of, input_columns, input_width
from fofe.features.schemes import SCHEMES
from fofe.features.word_codes_torch import initialise

Inputs = Callable[[TorchBatch, Mapping[str, Tensor], Dropping], list[Tensor]]
"""What makes the input columns [F, D] of a feature from a batch and the rows of its tables."""


class Network(nn.Module):
    """The features of fragments through a feed-forward network to label scores.

    The embedding tables of words are not parameters here: a batch brings the rows of its distinct words, so
    that only those are looked at and updated.
    """

    def __init__(self, config: ModelConfig, *, alphabet_size: int, label_count: int) -> None:
        super().__init__()
        self.config = config
        self.reduced = False
        """Whether the products of the first layer are computed in bfloat16."""
        self._inputs: list[Inputs] = [self._twin(feature, alphabet_size) for feature in features_of(config)]
        sizes = (input_width(config), *config.hidden, label_count)
        self.layers = nn.ModuleList(nn.Linear(wide, narrow) for wide, narrow in pairwise(sizes))
        for layer in self.layers:
            initialise(layer)
        # What each scheme adds to the layers after the first; nothing yet.
        corpora = len(config.schemes)
        self.conditioned = nn.ModuleList(
            nn.Linear(wide, narrow * corpora) for wide, narrow in pairwise(sizes[1:]) if corpora
        )
        for parameter in self.conditioned.parameters():
            nn.init.zeros_(parameter)

    def _twin(self, feature: type[Feature], alphabet_size: int) -> Inputs:
        """The twin of a feature, whose modules become the network's."""
        if feature.torch_module is None:
            names = feature.columns(self.config)
            return lambda batch, tables, dropping: [batch[name] for name in names]  # noqa: ARG005
        twin = getattr(import_module(feature.torch_module), feature.__name__)(self.config, alphabet_size)
        for name, module in twin.modules.items():
            self.add_module(name, module)
        return cast(Inputs, twin)

    def forward(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping = NOTHING_DROPPED
    ) -> Tensor:
        """Label scores [F, K] (before the softmax) of the fragments of a batch.

        `tables` has, for each view with a table, the rows [U, D] that the positions in the batch point into.
        """
        features = dropping.dropout(self.inputs(batch, tables, dropping), dropping.inputs)
        return self._scores(self._first_layer(features), batch.get(SCHEMES), dropping)

    def _first_layer(self, features: Tensor) -> Tensor:
        """[F, H] the sums of the first layer, which is most of the work.

        It alone may be of reduced precision: with the others, training becomes unstable.
        """
        with torch.autocast(features.device.type, torch.bfloat16, enabled=self.reduced):
            sums: Tensor = self.layers[0](features)
        return sums.to(features.dtype)

    def both_ways(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping = NOTHING_DROPPED
    ) -> tuple[Tensor, Tensor]:
        """Label scores [F, K] twice: conditioned on the schemes of the batch, and on none.

        Everything up to the first layer, which is nearly all the work, is computed once for both.
        """
        features = dropping.dropout(self.inputs(batch, tables, dropping), dropping.inputs)
        first = cast(nn.Linear, self.layers[0])
        conditioned = self._first_layer(features)
        columns = input_columns(self.config)[SCHEMES]
        plain = conditioned - features[:, columns] @ first.weight[:, columns].T
        none = torch.zeros_like(batch[SCHEMES])
        return self._scores(conditioned, batch[SCHEMES], dropping), self._scores(plain, none, dropping)

    def _scores(self, scores: Tensor, schemes: Tensor | None, dropping: Dropping) -> Tensor:
        """Label scores [F, K] from the sums [F, H] of the first layer."""
        for number, layer in enumerate(self.layers[1:]):
            hidden = dropping.dropout(torch.relu(scores), dropping.hidden)
            scores = layer(hidden)
            if self.conditioned and schemes is not None:
                added = self.conditioned[number](hidden).view(len(hidden), schemes.shape[1], -1)
                scores = scores + torch.einsum("fcn,fc->fn", added, schemes.to(added.dtype))
        return scores

    def inputs(
        self, batch: TorchBatch, tables: Mapping[str, Tensor], dropping: Dropping = NOTHING_DROPPED
    ) -> Tensor:
        """The features [F, D] of all fragments of a batch, laid out as by `input_columns`."""
        dtype = cast(nn.Linear, self.layers[0]).weight.dtype
        parts = [part for of_feature in self._inputs for part in of_feature(batch, tables, dropping)]
        return torch.cat([part.to(dtype) for part in parts], dim=1)
