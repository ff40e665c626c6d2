"""Tagging with the network itself, all fragments of a batch at once: for a GPU, and as a reference."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch

from fofe.base.arrays import FloatArray
from fofe.base.errors import ConfigError
from fofe.features.batch import TorchBatch, make_batch
from fofe.features.config import ModelConfig
from fofe.features.encoded import EncodedText, Encoder
from fofe.features.fragments import all_fragments
from fofe.features.gazetteer import NAMES
from fofe.features.language_models_torch import Contextual, contextual_of
from fofe.features.name_table import NameBits
from fofe.features.schemes import SCHEMES, scheme_number
from fofe.features.surroundings import importance, surroundings, weighted
from fofe.features.word_table import Table
from fofe.model.engine import Scores
from fofe.model.network import Network
from fofe.model.storage import StoredModel

FRAGMENTS_AT_ONCE = 32768


class TorchEngine:
    """Scores every fragment of tokenised sentences with PyTorch."""

    def __init__(
        self,
        config: ModelConfig,
        encoder: Encoder,
        weights: Mapping[str, FloatArray],
        device: torch.device,
        contextual: Mapping[str, Contextual] | None = None,
    ) -> None:
        """`contextual` has, for each encoder view, what gives tokens the vectors of its language model."""
        self.config = config
        self._contextual = dict(contextual or {})
        self._encoder = encoder
        self._device = device
        self._scheme = np.zeros(len(config.schemes), dtype=bool)
        alphabet_size = len(encoder.alphabet) if encoder.alphabet else 0
        label_count = len(weights[f"layers.{len(config.hidden)}.bias"])
        self._network = Network(config, alphabet_size=alphabet_size, label_count=label_count).to(device)
        with torch.no_grad():
            for name, parameter in self._network.named_parameters():
                parameter.copy_(torch.from_numpy(weights[name]))
        held = {
            view.name: torch.from_numpy(Table.from_weights(weights, view.name).whole()).to(device)
            for view in config.views
            if view.holds_table
        }
        self._tables = {view.name: held[view.holder] for view in config.views if view.has_table}
        if config.surroundings is not None:
            self._importance = importance(encoder.vocabularies[config.surroundings])

    @classmethod
    def of(cls, stored: StoredModel, device: torch.device) -> TorchEngine:
        """The engine of a stored model, with its language models."""
        return cls(
            stored.config,
            stored.encoder,
            stored.weights,
            device,
            contextual_of(stored.config.encoders, stored.encoders, device),
        )

    def fresh(self) -> TorchEngine:
        """Itself: nothing is kept from one text to the next."""
        return self

    def conditioned_on(self, scheme: str) -> TorchEngine:
        """An engine that shares this one's weights and follows the annotation scheme of a corpus."""
        other = copy.copy(self)
        other._scheme = np.arange(len(self._scheme)) == scheme_number(self.config, scheme)
        return other

    def score(
        self,
        sentences: Sequence[Sequence[str]],
        opens: Sequence[bool] | None = None,
        *,
        exact: bool = True,  # noqa: ARG002  every fragment is scored here
        names: NameBits | None = None,
    ) -> Scores:
        """Label probabilities of all fragments of some sentences, as `Engine.score` gives them.

        `names` are the names that fragments match, by default those of the model's gazetteer.
        """
        text = self._encoder.encode(sentences)
        contextual = {name: vectors(sentences) for name, vectors in self._contextual.items()}
        text = replace(text, contextual=contextual)
        if (view := self.config.surroundings) is not None:
            text = replace(text, surroundings=self._surroundings(text, opens, view))
        fragments = all_fragments(text.token_offsets, self.config.max_words)
        if names is None and self._encoder.names is not None:
            words = [word for sentence in sentences for word in sentence]
            names = self._encoder.names.look_up(words, text.token_offsets, fragments)
        # Some at a time: the features of all fragments of a long text would take gigabytes.
        probabilities = []
        for part in np.array_split(np.arange(len(fragments)), -(-len(fragments) // FRAGMENTS_AT_ONCE) or 1):
            given = {SCHEMES: np.tile(self._scheme, (len(part), 1))}
            if names is not None:
                given[NAMES] = names.take(part).of_fragments()
            probabilities.append(self._probabilities(*make_batch(text, fragments.take(part), given)))
        return Scores(fragments, text.token_offsets, np.concatenate(probabilities))

    def _probabilities(self, batch: TorchBatch, rows: Mapping[str, torch.Tensor]) -> FloatArray:
        """[F, K] those of the fragments of a batch, which needs some rows of tables."""
        with torch.no_grad():
            tables = {name: table[rows[name].to(self._device)] for name, table in self._tables.items()}
            scores = self._network({name: array.to(self._device) for name, array in batch.items()}, tables)
            probabilities: FloatArray = torch.softmax(scores, dim=1).cpu().numpy()
        return probabilities

    def _surroundings(self, text: EncodedText, opens: Sequence[bool] | None, view: str) -> FloatArray:
        """[S, 2 D] the subjects of sentences and of those around them."""
        rows = text.words[view]
        vectors = self._tables[view][torch.from_numpy(rows).to(self._device).long()].cpu().numpy()
        words = weighted(vectors, self._importance[rows])
        sums = np.add.reduceat(words, text.token_offsets[:-1], axis=0)
        return surroundings(sums, text.token_offsets, opens)


def choose_device(name: str) -> torch.device:
    """The device of that name; `auto` is CUDA where there is one, else the CPU."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"device {name!r} cannot be used: {error}", remedy='use "auto" or "cpu"') from None
    return device
