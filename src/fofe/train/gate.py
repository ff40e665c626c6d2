"""Fitting a gate: a narrow network that learns which fragments the trained one calls mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fofe._arrays import BoolArray, FloatArray
from fofe.encode.encoded import Encoder
from fofe.encode.fragments import Fragments
from fofe.model.batch import make_batch
from fofe.model.config import ModelConfig
from fofe.model.engine import Engine
from fofe.model.gate import PREFIX, GateSettings, gate_config
from fofe.model.network import Network
from fofe.train.config import GateConfig
from fofe.train.examples import LabelledSentence

SENTENCES_AT_ONCE = 64
KEPT_NEGATIVES = 0.25
"""The share of plainly negative fragments that it is fitted on."""
PLAINLY_NEGATIVE = 0.01
"""What the network's probability of a mention stays below for such."""
POSITIVE_WEIGHT = 5.0
"""A mention that is turned away is lost; a fragment let through in vain only costs time."""
PASSES = 40
LEAST_STEPS = 300
MARGIN = 0.2
"""How far below the weakest wanted positive the cut lies, as a share of its distance to the median."""
RATE = 0.005


@dataclass(frozen=True)
class FittedGate:
    """A gate's settings and its weights by their names in the model."""

    settings: GateSettings
    weights: dict[str, FloatArray]


@dataclass(frozen=True)
class _Examples:
    inputs: Tensor
    """[F, D] the word features of fragments."""
    mention: Tensor
    """[F] the network's probability that each is a mention."""
    positive: BoolArray
    """[F] whether some label is likelier than NONE."""


def fit_gate(
    config: ModelConfig,
    encoder: Encoder,
    weights: Mapping[str, FloatArray],
    sentences: Sequence[LabelledSentence],
    settings: GateConfig,
    seed: int,
) -> FittedGate | None:
    """Fit a gate on one part of the training sentences and choose its cut on another; none without words."""
    narrow = gate_config(config, settings.width)
    if narrow is None or not settings.enabled:
        return None
    torch.manual_seed(seed)
    random = np.random.default_rng([seed, 1])
    groups = _groups(sentences, random)[: 2 * settings.sentences // SENTENCES_AT_ONCE + 2]
    fitting, choosing = groups[::2], groups[1::2] or groups
    alphabet_size = len(encoder.alphabet) if encoder.alphabet else 0
    gate = Network(narrow, alphabet_size=alphabet_size, label_count=1)
    _share_spelling(gate, weights)
    maker = _ExampleMaker(Engine(config, encoder, weights), encoder, gate, weights)
    _fit(gate, [maker.examples(group, random) for group in fitting], random)
    scored = [maker.examples(group, None) for group in choosing]
    return _with_cut(gate, scored, settings)


class _ExampleMaker:
    """Runs the trained network over sentences and makes the gate's inputs for the same fragments."""

    def __init__(
        self, engine: Engine, encoder: Encoder, gate: Network, weights: Mapping[str, FloatArray]
    ) -> None:
        self._engine = engine
        self._encoder = encoder
        self._gate = gate
        self._tables = {
            view.name: torch.from_numpy(weights[f"tables.{view.name}"])
            for view in gate.config.views
            if view.has_table
        }

    def examples(
        self, sentences: Sequence[LabelledSentence], random: np.random.Generator | None
    ) -> _Examples:
        """All fragments of some sentences, or those that fitting keeps where `random` is given."""
        words = [sentence.words for sentence in sentences]
        opens = [True, *(sentence.opens for sentence in sentences[1:])]
        scores = self._engine.score(words, opens, exact=True)
        probabilities = scores.probabilities
        mention = 1 - probabilities[:, 0]
        kept = np.ones(len(mention), dtype=bool)
        if random is not None:
            kept = (mention >= PLAINLY_NEGATIVE) | (random.random(len(mention)) < KEPT_NEGATIVES)
        chosen = np.flatnonzero(kept)
        fragments = Fragments(
            scores.fragments.sentences[chosen],
            scores.fragments.firsts[chosen],
            scores.fragments.lasts[chosen],
        )
        text = self._encoder.encode(words, opens if self._gate.config.sees_documents else None)
        batch, rows = make_batch(text, fragments)
        with torch.no_grad():
            inputs = self._gate.inputs(
                batch, {name: table[rows[name]] for name, table in self._tables.items()}
            )
        positive = probabilities[chosen, 1:].max(axis=1) > probabilities[chosen, 0]
        return _Examples(inputs, torch.from_numpy(mention[chosen]), positive)


def _share_spelling(gate: Network, weights: Mapping[str, FloatArray]) -> None:
    """The gate reads spellings as the model does."""
    with torch.no_grad():
        for name, parameter in gate.spelling.named_parameters():
            parameter.copy_(torch.from_numpy(weights[f"spelling.{name}"]))


def _fit(gate: Network, examples: Sequence[_Examples], random: np.random.Generator) -> None:
    optimiser = torch.optim.Adam(gate.layers.parameters(), RATE)
    steps = max(LEAST_STEPS, PASSES * len(examples))
    for step in range(steps):
        if step % len(examples) == 0:
            order = random.permutation(len(examples))
        group = examples[order[step % len(examples)]]
        importance = torch.where(group.mention > 0.5, POSITIVE_WEIGHT, 1.0)
        loss = nn.functional.binary_cross_entropy_with_logits(
            _scores(gate, group.inputs), group.mention, importance
        )
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for options in optimiser.param_groups:
            options["lr"] = RATE * (1 - step / steps)
        optimiser.step()


def _scores(gate: Network, inputs: Tensor) -> Tensor:
    """[F] the gate's scores of fragments from their inputs [F, D]."""
    first, second = gate.layers
    scores: Tensor = second(torch.relu(first(inputs)))[:, 0]
    return scores


def _with_cut(gate: Network, scored: Sequence[_Examples], settings: GateConfig) -> FittedGate:
    """Choose the highest cut that lets the wanted share of the network's positives through."""
    with torch.no_grad():
        scores = np.concatenate([_scores(gate, group.inputs).numpy() for group in scored])
    weights = {
        f"{PREFIX}{name}": parameter.detach().numpy()
        for name, parameter in gate.named_parameters()
        if name.startswith("layers.")
    }
    bias = float(weights[f"{PREFIX}layers.1.bias"][0])
    positive = np.concatenate([group.positive for group in scored])
    wanted = np.sort(scores[positive])
    lost = int((1 - settings.recall) * len(wanted))
    # Below the score itself, by a share of how far positives lie apart: unseen text holds weaker ones.
    cut = -np.inf
    if len(wanted):
        cut = float(wanted[lost] - MARGIN * (np.median(wanted) - wanted[lost])) - 1e-4
    passes = scores >= cut
    chosen = GateSettings(
        width=settings.width,
        cut=cut - bias if len(wanted) else 0.0,
        recall=float(passes[positive].mean()) if len(wanted) else 1.0,
        passed=float(passes.mean()),
    )
    return FittedGate(chosen, weights)


def _groups(
    sentences: Sequence[LabelledSentence], random: np.random.Generator
) -> list[list[LabelledSentence]]:
    """Whole documents in random order, some sentences together."""
    begins = [number for number, sentence in enumerate(sentences) if sentence.opens or not number]
    documents = [
        sentences[start:end] for start, end in zip(begins, [*begins[1:], len(sentences)], strict=True)
    ]
    groups: list[list[LabelledSentence]] = [[]]
    for number in random.permutation(len(documents)):
        if len(groups[-1]) >= SENTENCES_AT_ONCE:
            groups.append([])
        groups[-1] += documents[number]
    return groups
