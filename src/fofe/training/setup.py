"""Everything that a run needs before its first step: corpora, labels, vocabularies, tables, the network."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fofe.base.arrays import BoolArray, FloatArray
from fofe.base.errors import ConfigError
from fofe.base.report import counted
from fofe.base.settings import to_table
from fofe.base.version import __version__
from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.encoded import EncodedText, Encoder
from fofe.features.language_models_torch import CachedVectors, Contextual, LanguageModel, load_language_model
from fofe.features.name_table import NameBits
from fofe.features.surroundings import importance
from fofe.features.vocabulary import Alphabet, Vocabulary
from fofe.features.word_table import Table
from fofe.formats.vectors import WordVectors, read_vectors
from fofe.model.engine import Engine, Scorer
from fofe.model.network import Network
from fofe.model.storage import StoredModel
from fofe.model.torch_engine import TorchEngine, choose_device
from fofe.text.segment import in_words, segmenter
from fofe.training.annotation import Sentences
from fofe.training.batches import RareWords, Sampler
from fofe.training.config import RunConfig
from fofe.training.corpora import Corpora
from fofe.training.distillation import SoftTargets, soft_targets_of
from fofe.training.examples import Examples, make_examples
from fofe.training.finetune import Fixed, grow, relearned
from fofe.training.learner import Learner
from fofe.training.optimisation import WordTable
from fofe.training.plain_text import MixedSampler, PlainText
from fofe.training.recase import copies
from fofe.training.training_names import prepare_names

RANDOM_RANGE = 0.25
"""Word vectors that start at random are uniform within this range."""
RARE_SHARE = 0.2
"""Unknown words start as the mean of this share of the rarest words."""


@dataclass(frozen=True)
class Setup:
    """A run that is ready to go."""

    config: RunConfig
    """The configuration, with the types of the names that the model knows."""
    corpora: Corpora
    labels: list[str]
    ranked_words: dict[str, int]
    """How many words of each vocabulary come in the order of their frequency: all but those added last."""
    encoder: Encoder
    sampler: Sampler | MixedSampler
    learner: Learner
    encoders: dict[str, Path]
    """The directories of language models."""
    contextual: Mapping[str, Contextual]
    """What makes the vectors of each encoder view."""
    fingerprint: str
    """Changes whenever the configuration, the data or the version does."""

    def engine(self, weights: Mapping[str, FloatArray]) -> Scorer:
        """What scores fragments with some weights of the network."""
        model = self.config.model
        if not model.encoders:
            return Engine(model, self.encoder, weights)
        return TorchEngine(model, self.encoder, weights, self.learner.device, self.contextual)

    def reannotate(self, sentences: Sentences) -> None:
        """From now on learn another annotation of the same training sentences."""
        examples = _examples(self.config, self.corpora, self.labels, sentences)
        self.learner.take_targets(examples.target_sets)
        gold = self.sampler.gold if isinstance(self.sampler, MixedSampler) else self.sampler
        gold.examples = examples


def prepare(
    config: RunConfig,
    corpora: Corpora,
    *,
    start: StoredModel | None = None,
    cache: Path = Path("encoded"),
    plain_text: PlainText | None = None,
    growing: bool = False,
) -> Setup:
    """Build vocabularies, tables and the network; with `start`, from a trained model's weights.

    If the model is `growing`, these stay as they are, and the configuration is that of a wider model.
    `cache` is the directory for the vectors of language models that are not trained.
    """
    sentences, labels = corpora.train, corpora.labels()
    if start is not None:
        labels = [*start.labels, *(label for label in labels if label not in start.labels)]
    names = prepare_names(config.model.gazetteer, sentences, start)
    if names is not None and config.model.gazetteer is not None:
        gazetteer = replace(config.model.gazetteer, types=names.table.types)
        config = replace(config, model=replace(config.model, gazetteer=gazetteer))
    encoders = {view.name: Path(view.encoder or "") for view in config.model.encoders}
    encoders |= start.encoders if start else {}
    language_models = {name: load_language_model(path).eval() for name, path in encoders.items()}
    config = replace(config, model=_with_widths(config.model, language_models))
    model = config.model
    views = [view for view in model.views if view.holds_table]
    vectors = {view.name: read_vectors(view.vectors) for view in views if view.vectors and not start}
    known = {name: of_view.words for name, of_view in (start.vocabularies if start else vectors).items()}
    shown = copies(sentences, config.sampling.cases)
    words = [sentence.words for copy in shown for sentence in copy]
    looked_up = _looked_up(model, sentences)
    vocabularies = {}
    for view in views:
        if start is not None and growing:
            vocabularies[view.name] = start.vocabularies[view.name]
            continue
        seen = compress(*looked_up.get(view.name, ((), ())))
        vocabularies[view.name] = make_vocabulary(view, seen, known.get(view.name, []), digits=model.digits)
    alphabet = (start.alphabet if start else _alphabet(words)) if model.uses_characters else None
    encoder = Encoder(model, vocabularies, alphabet, names.table if names else None)
    trains_encoders = config.training.encoder_rate > 0
    contextual: dict[str, Contextual] = {
        view.name: partial(language_models[view.name].vectors, layers=view.layers)
        if trains_encoders
        else CachedVectors(language_models[view.name], view.layers, cache)
        for view in model.encoders
    }
    text = encoder.encode(words)
    if trains_encoders:
        text = replace(text, pieces={name: model.cut(words) for name, model in language_models.items()})
    else:
        text = replace(text, contextual={name: vectors(words) for name, vectors in contextual.items()})
    device = choose_device(config.training.device)
    soft_targets: SoftTargets | None = None
    if teachers := config.training.teachers:
        soft_targets = soft_targets_of(teachers, sentences, labels, model.max_words, device)
    examples = _examples(config, corpora, labels, sentences, conditioned=not growing)
    sampler = Sampler(
        text,
        examples,
        _rare_words(model, shown, vocabularies, config.sampling.replace_rare),
        config.sampling,
        config.training.batch,
        config.training.seed,
        config.training.shuffle,
        shares=_per_sentence(corpora, "share"),
        weights=_per_sentence(corpora, "weight"),
        names=NameBits.joined([names.training_bits(copy, examples.fragments) for copy in shown])
        if names
        else None,
        schemes=_schemes(corpora, model.schemes),
        documents=np.tile([sentence.opens for sentence in sentences], len(shown)),
        soft_targets=soft_targets,
    )
    tables = _word_tables(config, vocabularies, vectors, text, start, plain_text, growing=growing)
    torch.manual_seed(config.training.seed)
    network = Network(model, alphabet_size=len(alphabet) if alphabet else 0, label_count=len(labels))
    fixed: Sequence[Fixed] = ()
    if start is not None and growing:
        fixed = grow(network, start, [labels.index(label) for label in relearned(corpora, start)])
    elif start is not None:
        _copy_weights(network, start)
    ranked = {name: len(known.get(name) or vocabulary.words) for name, vocabulary in vocabularies.items()}
    subject = None if model.surroundings is None else importance(vocabularies[model.surroundings])
    arrays: list[NDArray[Any]] = [start.weights[name] for name in sorted(start.weights)] if start else []
    arrays += [names.table.keys] if names else []
    digests = [one.digest for one in (soft_targets, plain_text) if one]
    return Setup(
        config,
        corpora,
        labels,
        start.ranked_words if start else ranked,
        encoder,
        MixedSampler(sampler, plain_text, encoder, labels, model.max_words, config.training.text_share)
        if plain_text
        else sampler,
        Learner(
            config.training,
            network,
            tables,
            examples.target_sets,
            device,
            importance=subject,
            language_models=language_models if trains_encoders else {},
            fixed=fixed,
        ),
        encoders,
        contextual,
        _fingerprint(config, corpora, labels, digests, arrays),
    )


def _with_widths(model: ModelConfig, language_models: Mapping[str, LanguageModel]) -> ModelConfig:
    """The model with the sizes of its language models."""
    views = []
    for view in model.views:
        if encoder := language_models.get(view.name):
            if view.layers > encoder.layers:
                raise ConfigError(
                    f"view {view.name!r}: its encoder has only {counted(encoder.layers, 'layers')}"
                )
            view = replace(view, encoder_width=encoder.width)
        views.append(view)
    return replace(model, views=tuple(views))


def _examples(
    config: RunConfig, corpora: Corpora, labels: list[str], sentences: Sentences, *, conditioned: bool = True
) -> Examples:
    """All fragments of the training sentences, which may have got other annotation, with their targets."""
    annotations = [(part.annotation, len(part.train)) for part in corpora.parts]
    conditioned = conditioned and bool(config.model.schemes)
    return make_examples(sentences, labels, config.model.max_words, annotations, conditioned=conditioned)


def _rare_words(
    model: ModelConfig, shown: Sequence[Sentences], vocabularies: Mapping[str, Vocabulary], strength: float
) -> dict[str, RareWords]:
    """For each view that looks words up: the rare ones of the text and of its copies, each on its own."""
    parts: dict[str, list[RareWords]] = {}
    for copy in shown:
        for name, seen in _looked_up(model, copy).items():
            parts.setdefault(name, []).append(RareWords.of(*seen, vocabularies[name], strength))
    return {name: RareWords.joined(of_view) for name, of_view in parts.items()}


def _looked_up(config: ModelConfig, sentences: Sentences) -> Mapping[str, tuple[Sequence[str], BoolArray]]:
    """What views but lexicons look up: [T] a word for every token, [T] whether it begins there."""
    tokens = [token for sentence in sentences for token in sentence.words]
    looked_up = {}
    for view in config.views:
        if view.lookup == "word" and config.segmenter is not None:
            segment = segmenter(config.segmenter)
            held = [token for sentence in sentences for token in in_words(sentence.words, segment)]
            begins = np.array([token.position == 0 for token in held], dtype=bool)
            looked_up[view.name] = [token.word for token in held], begins
        elif view.has_table and view.lookup != "lexicon":
            looked_up[view.name] = tokens, np.ones(len(tokens), dtype=bool)
    return looked_up


def make_vocabulary(
    view: ViewConfig, words: Iterable[str], known: Sequence[str], *, digits: str
) -> Vocabulary:
    """The known words, then those training words that are not among them and are frequent enough."""
    vocabulary, present = Vocabulary(known, cased=view.is_cased, digits=digits), set(known)
    counts = Counter(map(vocabulary.normalise, words))
    new = [word for word, count in counts.most_common() if count >= view.min_count and word not in present]
    return Vocabulary([*known, *new], cased=vocabulary.cased, digits=digits)


def first_vectors(
    view: ViewConfig, vocabulary: Vocabulary, vectors: WordVectors | None, random: np.random.Generator
) -> FloatArray:
    """The table [V, D] that training starts from."""
    table = random.uniform(-RANDOM_RANGE, RANDOM_RANGE, (len(vocabulary), view.dimension)).astype(np.float32)
    if vectors is None:
        return table
    if vectors.dimension != view.dimension:
        problem = f"view {view.name!r} has dimension {view.dimension}, its vectors have {vectors.dimension}"
        raise ConfigError(problem, path=view.vectors, remedy=f"set dimension = {vectors.dimension}")
    unknowns = len(vocabulary.unknowns)
    known = vectors.vectors * np.float32(view.scale)
    table *= float(known.std()) / RANDOM_RANGE
    table[unknowns : unknowns + len(known)] = known
    rare = range(int(len(known) * (1 - RARE_SHARE)), len(known))
    shapes = np.array([vocabulary.unknown_row(vectors.words[row]) for row in rare], dtype=np.int64)
    for unknown in np.unique(shapes):
        table[unknown] = known[rare.start :][shapes == unknown].mean(axis=0)
    return table


def _alphabet(sentences: Iterable[Sequence[str]]) -> Alphabet:
    """The characters of the training text."""
    characters = set().union(*(word for words in sentences for word in words))
    return Alphabet(sorted(character for character in characters if not character.isspace()))


def _word_tables(
    config: RunConfig,
    vocabularies: Mapping[str, Vocabulary],
    vectors: Mapping[str, WordVectors],
    text: EncodedText,
    start: StoredModel | None,
    plain_text: PlainText | None,
    *,
    growing: bool,
) -> dict[str, WordTable]:
    """The table of each view that holds one; the words of the text and the unknown ones are trained."""
    more = sorted(plain_text.words()) if plain_text else []
    random, rows = np.random.default_rng(config.training.seed), text.rows()
    tables = {}
    for view in (view for view in config.model.views if view.holds_table):
        weights, fixed = first_vectors(view, vocabularies[view.name], vectors.get(view.name), random), 0
        if start is not None:
            known = Table.from_weights(start.weights, view.name).whole()
            weights[: len(known)] = known
            fixed = len(known) if growing else 0
        seen = [rows[other.name] for other in config.model.views if other.holder == view.name]
        vocabulary = vocabularies[view.name]
        trained = np.concatenate([*seen, vocabulary.rows(more), np.arange(len(vocabulary.unknowns))])
        tables[view.name] = WordTable(weights, trained, config.training.average, fixed)
    return tables


def _copy_weights(network: Network, start: StoredModel) -> None:
    """Take over a trained model's weights; new labels keep their random ones."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            trained = torch.from_numpy(start.weights[name])
            # The conditioned layers have the rows of one corpus behind those of the other.
            corpora = len(start.config.schemes) if name.startswith("conditioned.") else 1
            rows = trained.view(corpora, -1, *trained.shape[1:])
            parameter.view(corpora, -1, *parameter.shape[1:])[:, : rows.shape[1]] = rows


def _per_sentence(corpora: Corpora, setting: str) -> FloatArray | None:
    """[S] a setting of its corpus for every training sentence; none where all are 1."""
    values = np.array([getattr(part.config, setting) for part in corpora.parts], dtype=np.float32)
    return None if (values == 1).all() else np.repeat(values, [len(part.train) for part in corpora.parts])


def _schemes(corpora: Corpora, schemes: Sequence[str]) -> BoolArray | None:
    """[S, C] the annotation scheme of each training sentence, one-hot; none if the model has none."""
    if not schemes:
        return None
    of_corpus = np.array([[name == part.name for name in schemes] for part in corpora.parts])
    return np.repeat(of_corpus, [len(part.train) for part in corpora.parts], axis=0)


def _fingerprint(
    config: RunConfig, corpora: Corpora, labels: list[str], digests: list[str], arrays: Iterable[Any]
) -> str:
    """A digest of all that training depends on; `arrays` are those that it starts from."""
    sentences = [
        [sentence.words, sentence.spans, sentence.unknown, sentence.negatives]
        for corpus in corpora.parts
        for sentence in (*corpus.train, *corpus.dev)
    ]
    content = [__version__, to_table(config), labels, sentences, digests]
    digest = hashlib.sha256(json.dumps(content).encode())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()
