"""Everything that a run needs before its first step: corpora, labels, vocabularies, tables, the network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import torch

from fofe import __version__
from fofe.encode.encoded import EncodedText, Encoder
from fofe.encode.vocabulary import Alphabet, Vocabulary
from fofe.errors import InputError
from fofe.formats import read_corpus
from fofe.formats.report import Report
from fofe.model.config import ModelConfig
from fofe.model.network import Network
from fofe.model.settings import to_table
from fofe.model.storage import StoredModel
from fofe.model.table import Table
from fofe.model.torch_engine import choose_device
from fofe.resources.vectors import WordVectors, read_vectors
from fofe.text.document import Document
from fofe.text.tokenise import tokeniser
from fofe.train.config import RunConfig
from fofe.train.examples import Examples, LabelledSentence, label_list, labelled_sentences, make_examples
from fofe.train.learner import Learner
from fofe.train.sampling import LookedUp, Sampler, rare_words
from fofe.train.tables import WordTable, first_vectors, make_vocabulary

HELD_OUT_SHARE = 0.05


@dataclass(frozen=True)
class Corpora:
    """The labelled sentences of a run."""

    train: list[LabelledSentence]
    dev: list[LabelledSentence]
    test: list[LabelledSentence]
    report: Report


def read_corpora(config: RunConfig) -> Corpora:
    """Read the corpora of a configuration; what has no dev or test set holds out 5 % for each of them."""
    tokeniser(config.model.language)  # One that is not known is told now, not when the model is first used.
    data, report = config.data, Report()
    train = [sentence for path in data.train for sentence in _sentences(path, config, report)]
    _not_empty(train, data.train[0])
    test = _sentences(data.test, config, report) if data.test else []
    if data.dev is not None:
        dev = _not_empty(_sentences(data.dev, config, report), data.dev)
    elif data.test:
        train, dev = _split(train, 1)
    else:
        train, dev, test = _split(train, 2)
    _note_long_mentions(train, config.model.max_words, report)
    return Corpora(train, dev, test, report)


def _sentences(path: str, config: RunConfig, report: Report) -> list[LabelledSentence]:
    return labelled_sentences(_documents(path, config, report), report)


def _note_long_mentions(sentences: Sequence[LabelledSentence], max_words: int, report: Report) -> None:
    what = f"training mentions of more than max_words = {max_words} words, which no fragment can match"
    for sentence in sentences:
        for start, end, _ in sentence.spans:
            if end - start > max_words:
                report.note(what, " ".join(sentence.words[start:end]))


def _documents(path: str, config: RunConfig, report: Report) -> list[Document]:
    options: dict[str, Any] = {}
    if (config.data.token_column, config.data.tag_column) != (0, -1):
        options = {"token_column": config.data.token_column, "tag_column": config.data.tag_column}
    language = config.model.language
    return list(read_corpus(path, config.data.format, report, language=language, **options))


def _not_empty(sentences: list[LabelledSentence], path: str) -> list[LabelledSentence]:
    if not any(sentence.spans for sentence in sentences):
        raise InputError("has no labelled mention", path=path, remedy="check the format and the tag column")
    return sentences


def _split(sentences: list[LabelledSentence], held_out: int) -> list[list[LabelledSentence]]:
    """What is left for training, then so many parts that are held out, always the same way."""
    if len(sentences) < 20:
        raise InputError(
            f"{len(sentences)} sentences are too few to hold some out", remedy="add a dev corpus under [data]"
        )
    order = np.random.default_rng(0).permutation(len(sentences))
    size = max(1, round(HELD_OUT_SHARE * len(sentences)))
    *held, rest = np.split(order, [size * number for number in range(1, held_out + 1)])
    return [_chosen(sentences, part.tolist()) for part in (rest, *held)]


def _chosen(sentences: Sequence[LabelledSentence], numbers: list[int]) -> list[LabelledSentence]:
    """Some sentences in their order; one whose predecessor is not among them opens a context."""
    members = set(numbers)
    return [
        replace(sentences[number], opens=sentences[number].opens or number - 1 not in members)
        for number in sorted(members)
    ]


@dataclass(frozen=True)
class Setup:
    """A run that is ready to go."""

    labels: list[str]
    vocabularies: dict[str, Vocabulary]
    ranked_words: dict[str, int]
    """How many words of each vocabulary come in the order of their frequency: all but those added last."""
    alphabet: Alphabet | None
    encoder: Encoder
    sampler: Sampler
    learner: Learner
    fingerprint: str
    """Changes whenever the configuration, the data or the version does."""


def prepare(config: RunConfig, corpora: Corpora, *, start: StoredModel | None = None) -> Setup:
    """Build vocabularies, tables and the network; with `start`, from a trained model's weights."""
    words = [word for sentence in corpora.train for word in sentence.words]
    looked_up = _looked_up(config.model, corpora.train)
    labels = label_list([*corpora.train, *corpora.dev])
    if start is not None:
        labels = [*start.labels, *(label for label in labels if label not in start.labels)]
    random = np.random.default_rng(config.training.seed)
    vectors = _read_all_vectors(config, start)
    vocabularies = _vocabularies(config, looked_up, vectors, start)
    alphabet = _alphabet(config, words, start)
    encoder = Encoder.for_model(config.model, vocabularies, alphabet)
    opens = [sentence.opens for sentence in corpora.train] if config.model.sees_documents else None
    text = encoder.encode([sentence.words for sentence in corpora.train], opens)
    examples = make_examples(corpora.train, text.token_offsets, labels, config.model.max_words)
    tables = {}
    for view in config.model.views:
        if view.has_table:
            weights = first_vectors(view, vocabularies[view.name], vectors[view.name], random)
            if start is not None:
                known = Table.from_weights(start.weights, view.name).whole()
                weights[: len(known)] = known
            unknowns = np.arange(len(vocabularies[view.name].unknowns))
            trained = np.concatenate([text.words[view.name], unknowns])
            tables[view.name] = WordTable(weights, trained, config.training.average)
    torch.manual_seed(config.training.seed)
    network = Network(config.model, alphabet_size=len(alphabet) if alphabet else 0, label_count=len(labels))
    if start is not None:
        _copy_weights(network, start)
    learner = Learner(
        config.training, network, tables, examples.target_sets, choose_device(config.training.device)
    )
    return Setup(
        labels,
        vocabularies,
        _ranked_words(vocabularies, vectors, start),
        alphabet,
        encoder,
        _sampler(config, looked_up, vocabularies, text, examples),
        learner,
        _fingerprint(config, corpora, labels, start),
    )


def _read_all_vectors(config: RunConfig, start: StoredModel | None) -> dict[str, WordVectors | None]:
    """The vectors of each view; none are read when a trained model is the start."""
    return {
        view.name: read_vectors(view.vectors) if view.vectors and start is None else None
        for view in config.model.views
        if view.has_table
    }


def _looked_up(config: ModelConfig, sentences: Sequence[LabelledSentence]) -> dict[str, LookedUp]:
    """What each view with a table looks up in the training sentences."""
    reader = Encoder.for_model(config, {}, None)
    words = [sentence.words for sentence in sentences]
    tokens, held = list(chain.from_iterable(words)), reader.in_words(words)
    return {
        view.name: LookedUp.of_words(held) if view.lookup == "word" else LookedUp(tokens)
        for view in config.views
        if view.has_table
    }


def _vocabularies(
    config: RunConfig,
    looked_up: Mapping[str, LookedUp],
    vectors: dict[str, WordVectors | None],
    start: StoredModel | None,
) -> dict[str, Vocabulary]:
    made: dict[str, Vocabulary] = {}
    for view in config.model.views:
        if not view.has_table:
            continue
        known = vectors[view.name]
        base = start.vocabularies[view.name].words if start else known.words if known else []
        made[view.name] = make_vocabulary(
            view, looked_up[view.name].occurrences(), base, digits=config.model.digits
        )
    return made


def _ranked_words(
    vocabularies: dict[str, Vocabulary], vectors: dict[str, WordVectors | None], start: StoredModel | None
) -> dict[str, int]:
    if start is not None:
        return start.ranked_words
    return {name: len((vectors[name] or vocabulary).words) for name, vocabulary in vocabularies.items()}


def _alphabet(config: RunConfig, words: Sequence[str], start: StoredModel | None) -> Alphabet | None:
    if not config.model.uses_characters:
        return None
    if start is not None:
        return start.alphabet
    return Alphabet(sorted({character for word in words for character in word if not character.isspace()}))


def _copy_weights(network: Network, start: StoredModel) -> None:
    """Take over a trained model's weights; new labels keep their random ones."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            trained = torch.from_numpy(start.weights[name])
            parameter[: len(trained)] = trained


def _sampler(
    config: RunConfig,
    looked_up: Mapping[str, LookedUp],
    vocabularies: dict[str, Vocabulary],
    text: EncodedText,
    examples: Examples,
) -> Sampler:
    return Sampler(
        text,
        examples,
        rare_words(looked_up, vocabularies, config.sampling.replace_rare),
        config.sampling,
        batch_size=config.training.batch,
        seed=config.training.seed,
    )


def _fingerprint(
    config: RunConfig, corpora: Corpora, labels: Sequence[str], start: StoredModel | None
) -> str:
    digest = hashlib.sha256(json.dumps([__version__, to_table(config), list(labels)]).encode())
    for part in (corpora.train, corpora.dev):
        for sentence in part:
            digest.update(json.dumps([sentence.words, sentence.spans]).encode())
    weights = {} if start is None else start.weights
    for name in sorted(weights):
        digest.update(weights[name].tobytes())
    return digest.hexdigest()
