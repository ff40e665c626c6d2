"""Fitting a gate: a narrow network that learns where the mentions of the trained one can be."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import torch
from torch import Tensor, nn

from fofe.base.arrays import FloatArray, IntArray
from fofe.features.config import ModelConfig
from fofe.features.encoded import Encoder, Key, SentenceBounds
from fofe.features.fragments import Fragments, all_fragments, offsets_of
from fofe.features.word_codes import IsolatedWords
from fofe.model.engine import Engine, Scores
from fofe.model.gate import JUDGEMENTS, PREFIX, GateSettings, fragment_scores, passing
from fofe.model.storage import StoredModel
from fofe.training.annotation import Sentences
from fofe.training.config import GateConfig

SENTENCES_AT_ONCE = 64
WORDS_AT_ONCE = 4096
WINDOW = 2
REPLACED = 0.25
"""The share of words that are replaced in a varied copy of a sentence."""
COPIES = 2
"""How many varied copies of each sentence it is fitted on, besides the sentence itself."""
CHOSEN_ON = 4
"""The cut is chosen on one more varied copy of one in so many groups of sentences."""
POSITIVE_WEIGHT = 5.0
"""A rejected mention is lost; a needless fragment only costs time."""
PASSES = 4
LEAST_STEPS = 300
BATCH = 1024
RATE = 0.01
LITTLE = -4.0
"""Where the weights of units that only add start, before softplus."""


def fit_gate(
    config: ModelConfig,
    encoder: Encoder,
    weights: Mapping[str, FloatArray],
    sentences: Sentences,
    settings: GateConfig,
    seed: int,
    base: StoredModel | None = None,
) -> tuple[GateSettings | None, dict[str, FloatArray]]:
    """Fit a gate on training sentences and varied copies of them, and choose its cut on other copies.

    The gate of a model that grew from a `base` lets all through that the base's gate did: new units only add
    to its scores. Returns its settings and its weights by name; there are none for a model without views of
    words, or with a language model, beside which a gate would save nothing.
    """
    if not settings.enabled or config.encoders or all(view.lookup == "window" for view in config.views):
        return None, {}
    if base is not None and base.gate is None:
        return None, {}
    torch.manual_seed(seed)
    random = np.random.default_rng([seed, 1])
    groups = _groups(sentences, random)[: settings.sentences // SENTENCES_AT_ONCE + 1]
    reader = _Reader(config, encoder, weights)
    known = max((vocabulary.words for vocabulary in encoder.vocabularies.values()), key=len, default=[])
    known = known or [word for sentence in sentences for word in sentence.words]
    fitting = [reader.read(group) for group in groups]
    fitting += [reader.read(_varied(group, known, random)) for _ in range(COPIES) for group in groups]
    choosing = [reader.read(_varied(group, known, random)) for group in groups[::CHOSEN_ON]]
    vectors = torch.from_numpy(reader.vectors())
    network = _Gate((2 * WINDOW + 1) * vectors.shape[1], settings.width, base)
    _fit(network, vectors, fitting)
    chosen = _with_cut(network, vectors, choosing, config.max_words, settings)
    if base is not None and base.gate is not None:
        chosen = replace(chosen, width=network.width, cut=min(chosen.cut, base.gate.cut))
    return chosen, {f"{PREFIX}{name}": array for name, array in network.weights().items()}


class _Gate(nn.Module):
    """The network of a gate: new units, beside those of the gate of a base, which stay as they are."""

    def __init__(self, inputs: int, width: int, base: StoredModel | None) -> None:
        super().__init__()
        self.hidden, self.output = nn.Linear(inputs, width), nn.Linear(width, JUDGEMENTS)
        self._old: dict[str, Tensor] = {}
        self.width = width
        if base is not None and base.gate is not None:
            names = (f"layers.{number}.{part}" for number in (0, 1) for part in ("weight", "bias"))
            self._old = {name: torch.from_numpy(base.weights[PREFIX + name]) for name in names}
            self.width += base.gate.width
            nn.init.constant_(self.output.weight, LITTLE)

    def _added(self) -> Tensor:
        """[3, W] the weights of new units, which take nothing from the scores of old ones."""
        return nn.functional.softplus(self.output.weight) if self._old else self.output.weight

    def forward(self, words: Tensor) -> Tensor:
        """[N, 3] how well a mention can start at some words, end there, and contain them."""
        new = nn.functional.relu(self.hidden(words))
        if not self._old:
            scores: Tensor = self.output(new)
            return scores
        added, old = new @ self._added().T, self._old
        hidden = nn.functional.relu(nn.functional.linear(words, old["layers.0.weight"], old["layers.0.bias"]))
        return added + nn.functional.linear(hidden, old["layers.1.weight"], old["layers.1.bias"])

    def weights(self) -> dict[str, FloatArray]:
        """All weights by name, those of old units first."""
        own = {
            "layers.0.weight": self.hidden.weight,
            "layers.0.bias": self.hidden.bias,
            "layers.1.weight": self._added(),
            "layers.1.bias": self.output.bias,
        }
        joined: dict[str, Tensor] = dict(own)
        if self._old:
            joined = {
                name: torch.cat([old, own[name]], 0 if "0" in name else 1)
                for name, old in self._old.items()
                if name != "layers.1.bias"
            }
            joined["layers.1.bias"] = self._old["layers.1.bias"]
        return {name: value.detach().numpy() for name, value in joined.items()}


@dataclass(frozen=True)
class _Read:
    """Some sentences as the trained network reads them."""

    bounds: SentenceBounds
    seen: IntArray
    """[T, 2 * WINDOW + 1] the numbers of the words around each word."""
    targets: FloatArray
    """[T, 3] the probability of the likeliest mention that starts at a word, ends there, holds it."""
    positives: Fragments
    """The fragments with a label that is likelier than NONE."""


class _Reader:
    """Runs the trained network over sentences, and numbers their words."""

    def __init__(self, config: ModelConfig, encoder: Encoder, weights: Mapping[str, FloatArray]) -> None:
        self._config = config
        self._engine = Engine(config, encoder, weights)
        self._encoder = encoder
        self._isolated = IsolatedWords(config, weights)
        self._numbers: dict[Key, int] = {}

    def read(self, sentences: Sentences) -> _Read:
        words = [sentence.words for sentence in sentences]
        opens = [True, *(sentence.opens for sentence in sentences[1:])]
        scores = self._engine.score(words, opens, exact=True)
        bounds = SentenceBounds(offsets_of(words))
        # 0 stands for no word, as in a cache of words.
        keys: Iterable[Key] = self._encoder.in_words(words) or chain.from_iterable(words)
        numbers = [self._numbers.setdefault(key, len(self._numbers) + 1) for key in keys]
        seen = np.stack([bounds.beside(np.array(numbers), by) for by in range(-WINDOW, WINDOW + 1)], axis=1)
        positive = scores.probabilities[:, 1:].max(axis=1) > scores.probabilities[:, 0]
        return _Read(bounds, seen, _targets(scores), scores.fragments.take(np.flatnonzero(positive)))

    def vectors(self) -> FloatArray:
        """[U + 1, D] of the words that were numbered, zeros first.

        Some at a time: spelling out all words of a varied text at once would take gigabytes.
        """
        words = list(self._numbers)
        vectors = np.zeros((len(words) + 1, self._config.isolated_width), dtype=np.float32)
        for first in range(0, len(words), WORDS_AT_ONCE):
            some = words[first : first + WORDS_AT_ONCE]
            text = self._encoder.encode_isolated(some)
            vectors[first + 1 : first + 1 + len(some)] = self._isolated.vectors(text)
        return vectors


def _targets(scores: Scores) -> FloatArray:
    """[T, 3]"""
    fragments, mention = scores.fragments, 1 - scores.probabilities[:, 0]
    targets = np.zeros((JUDGEMENTS, scores.token_offsets[-1]), dtype=np.float32)
    starts, ends, inside = targets
    np.maximum.at(starts, fragments.firsts, mention)
    np.maximum.at(ends, fragments.lasts, mention)
    for extra in range(int((fragments.lasts - fragments.firsts).max()) + 1):
        np.maximum.at(inside, np.minimum(fragments.firsts + extra, fragments.lasts), mention)
    return np.ascontiguousarray(targets.T)


def _varied(sentences: Sentences, known: Sequence[str], random: np.random.Generator) -> Sentences:
    """The sentences with some words replaced by others that the model knows, with the same capitals.

    A model knows its training text by heart; mentions in unseen text are less clear. The varied text shows
    the gate how the network scores names and contexts that the corpus lacks.
    """
    varied = []
    for sentence in sentences:
        words = list(sentence.words)
        drawn = np.flatnonzero(random.random(len(words)) < REPLACED)
        others = random.integers(len(known), size=len(words))
        for position in drawn.tolist():
            words[position] = _with_capitals_of(words[position], known[others[position]])
        varied.append(replace(sentence, words=words))
    return varied


def _with_capitals_of(word: str, other: str) -> str:
    """Another word, capitalised as the word that it replaces; a word without letters is not replaced."""
    if word.upper() == word.lower():
        return word
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def _fit(network: nn.Module, vectors: Tensor, texts: Sequence[_Read]) -> None:
    seen = torch.from_numpy(np.concatenate([text.seen for text in texts]))
    targets = torch.from_numpy(np.concatenate([text.targets for text in texts]))
    optimiser = torch.optim.Adam(network.parameters(), RATE)
    steps = max(LEAST_STEPS, PASSES * len(seen) // BATCH)
    for step in range(steps):
        chosen = torch.randint(len(seen), (BATCH,))
        wanted = targets[chosen]
        importance = torch.where(wanted > 0.5, POSITIVE_WEIGHT, 1.0)
        outputs = network(vectors[seen[chosen]].flatten(1))
        loss = nn.functional.binary_cross_entropy_with_logits(outputs, wanted, importance)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for options in optimiser.param_groups:
            options["lr"] = RATE * (1 - step / steps)
        optimiser.step()


def _with_cut(
    network: nn.Module, vectors: Tensor, texts: Sequence[_Read], max_words: int, settings: GateConfig
) -> GateSettings:
    """Choose the highest cut that lets the wanted share of the network's positives through."""
    with torch.no_grad():
        outputs = [network(vectors[torch.from_numpy(text.seen)].flatten(1)).numpy() for text in texts]
    read = list(zip(outputs, texts, strict=True))
    scores = [fragment_scores(output, text.positives.firsts, text.positives.lasts) for output, text in read]
    wanted = np.sort(np.concatenate(scores))
    # A little below the score itself, which the tagging engine may round differently.
    cut = float(wanted[int((1 - settings.recall) * len(wanted))]) - 1e-4 if len(wanted) else 0.0
    passed = sum(len(passing(output, cut, text.bounds, max_words)) for output, text in read)
    fragments = sum(len(all_fragments(text.bounds.token_offsets, max_words)) for text in texts)
    recall = float((wanted >= cut).mean()) if len(wanted) else 1.0
    return GateSettings(settings.width, WINDOW, cut, recall, passed / fragments)


def _groups(sentences: Sentences, random: np.random.Generator) -> list[Sentences]:
    """Whole documents in random order, some sentences together; very long documents are cut."""
    documents: list[Sentences] = []
    for sentence in sentences:
        if sentence.opens or not documents or len(documents[-1]) == SENTENCES_AT_ONCE:
            documents.append([])
        documents[-1].append(sentence)
    groups: list[Sentences] = [[]]
    for number in random.permutation(len(documents)):
        if len(groups[-1]) >= SENTENCES_AT_ONCE:
            groups.append([])
        groups[-1] += documents[number]
    return groups
