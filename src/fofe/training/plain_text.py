"""Plain text for distillation: a teacher labels it once, and students learn from it besides their corpora.

The teacher's probabilities are kept for the fragments that may be mentions, in 16 bits; all others are NONE.
The text is cut into shards of equal size, a file each. An epoch of a student reads a few of them, so that
memory does not grow with the text.
"""

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.errors import ConfigError, InputError, broken_file
from fofe.base.files import write_atomically
from fofe.base.journal import Journal
from fofe.base.report import counted
from fofe.base.workers import in_order
from fofe.features.encoded import Encoder
from fofe.features.fragments import all_fragments, offsets_of
from fofe.features.name_table import NameBits
from fofe.model.engine import Engine, Scorer
from fofe.model.ensemble import EnsembleEngine
from fofe.model.storage import StoredModel
from fofe.model.torch_engine import TorchEngine
from fofe.text.normalise import normalise
from fofe.text.tokenise import tokeniser
from fofe.training.annotation import LabelledSentence
from fofe.training.batches import Batch, Sampler
from fofe.training.callback import Callback
from fofe.training.distillation import SoftTargets, load_teacher
from fofe.training.examples import DISJOINT, EXACT, OVERLAPPING, Examples, sharing_tokens
from fofe.training.recase import recased
from fofe.training.scoring import groups

SHARD_TOKENS = 50_000
LEAST = 0.005
"""A fragment is kept if it is a mention with at least this probability."""
SCALE = 65_535
LABELS = "labels"
"""The work directory of the teachers' labels, in that of the run."""

Shard = Mapping[str, NDArray[Any]]
"""S sentences, M fragments of them that may be mentions, and the probabilities of K labels.

words: the sentences as JSON, in bytes. opens: [S]. firsts, lengths: [M]. probabilities: [M, K] in 16 bits.
"""


@dataclass(frozen=True)
class Labelling:
    """The job of a worker: the probabilities of teachers for the fragments of some sentences."""

    teachers: tuple[str, ...]
    labels: tuple[str, ...]
    max_words: int

    def start(self) -> Any:
        teachers = [load_teacher(path) for path in self.teachers]
        engines = [EnsembleEngine(list(map(_engine, teacher.members)), teacher) for teacher in teachers]
        known = [teacher.members[0].labels for teacher in teachers]
        columns = [[own.index(label) for label in self.labels] for own in known]
        # What one of them does not read has no mean.
        longest = min(self.max_words, *(teacher.members[0].config.max_words for teacher in teachers))

        def label(sentences: list[LabelledSentence]) -> dict[str, NDArray[Any]]:
            parts: list[tuple[IntArray, IntArray, FloatArray]] = []
            before = 0
            for words, opens in groups(sentences):
                scores = [engine.score(words, opens, exact=True) for engine in engines]
                short = [one.fragments.lasts - one.fragments.firsts < longest for one in scores]
                chosen = zip(scores, short, columns, strict=True)
                means = np.mean([one.probabilities[rows][:, order] for one, rows, order in chosen], axis=0)
                matters = np.flatnonzero(1 - means[:, 0] >= LEAST)
                kept = scores[0].fragments.take(np.flatnonzero(short[0])[matters])
                parts.append((kept.firsts + before, kept.lasts - kept.firsts + 1, means[matters] * SCALE))
                before += sum(map(len, words))
            firsts, lengths, probabilities = map(np.concatenate, zip(*parts, strict=True))
            text = json.dumps([one.words for one in sentences]).encode()
            return {
                "words": np.frombuffer(text, dtype=np.uint8),
                "opens": np.array([one.opens for one in sentences]),
                "firsts": firsts.astype(np.uint32),
                "lengths": lengths.astype(np.uint8),
                "probabilities": np.round(probabilities).astype(np.uint16),
            }

        return label


def _engine(model: StoredModel) -> Scorer:
    """What scores with a teacher; models with language models need torch, the others are faster without."""
    if not model.config.encoders:
        return Engine(model.config, model.encoder, model.weights)
    torch.set_num_threads(1)
    return TorchEngine.of(model, torch.device("cpu"))


def check_labels(teachers: Sequence[str], labels: Sequence[str]) -> None:
    """Refuse teachers whose labels are not those of the student."""
    for path in teachers:
        known = load_teacher(path).members[0].labels
        lacks, more = set(labels) - set(known), set(known) - set(labels)
        if lacks or more:
            differences = (("lacks", lacks), ("also has", more))
            parts = [f"{verb} {', '.join(sorted(some))}" for verb, some in differences if some]
            raise ConfigError(
                f"this teacher {' and '.join(parts)}",
                path=path,
                remedy="a student has the labels of its teacher: train a teacher on the student's corpora",
            )


def label_text(
    job: Labelling, texts: Iterable[str], language: str, journal: Journal, workers: int, callback: Callback
) -> None:
    """Let the teachers label texts; what is done stays done if this is cut off."""
    sizes: deque[tuple[int, int]] = deque()

    def open_shards() -> Iterator[list[LabelledSentence]]:
        for number, shard in enumerate(_shards(texts, language)):
            if journal.done(str(number)) is None:
                sizes.append((number, sum(map(len, shard))))
                yield shard

    with closing(in_order(job, open_shards(), workers)) as results:
        for labelled in results:
            number, tokens = sizes.popleft()
            with write_atomically(journal.file(f"{number:05}.npz"), "wb") as stream:
                np.savez_compressed(cast(IO[bytes], stream), **labelled)
            journal.add(str(number), tokens)
            callback.say(counted(sum(map(journal.done, journal.keys())), "tokens labelled", ","))


def _shards(texts: Iterable[str], language: str) -> Iterator[list[LabelledSentence]]:
    """The sentences of texts, about `SHARD_TOKENS` tokens together."""
    cut, shard, tokens = tokeniser(language), list[LabelledSentence](), 0
    for text in texts:
        for number, sentence in enumerate(cut.document(text).sentences):
            words = normalise(sentence.words, cut.language)
            shard.append(LabelledSentence(words, [], opens=number == 0))
            tokens += len(words)
        if tokens >= SHARD_TOKENS:
            yield shard
            shard, tokens = [], 0
    if shard:
        yield shard


class PlainText:
    """Labelled text, shard after shard."""

    def __init__(self, journal: Journal) -> None:
        numbers = journal.keys()
        self._files = sorted(journal.file(f"{int(number):05}.npz") for number in numbers)
        self.tokens = sum(map(journal.done, numbers))
        digest = hashlib.sha256()
        for file in self._files:
            digest.update(file.read_bytes())
        self.digest = digest.hexdigest()
        if not self._files:
            raise InputError("there is no text", remedy="give files with sentences")

    def words(self) -> set[str]:
        """The distinct words of the text."""
        return {word for file in self._files for sentence in _sentences(_read(file)) for word in sentence}

    def of_epoch(self, epoch: int, tokens: int, seed: int) -> Iterator[Shard]:
        """The next shards, about so many tokens; each pass over the text has an order of its own."""
        count = max(1, round(tokens * len(self._files) / self.tokens))
        for number in range(epoch * count, (epoch + 1) * count):
            passed, place = divmod(number, len(self._files))
            order = np.random.default_rng([seed, 7, passed]).permutation(len(self._files))
            yield _read(self._files[order[place]])


def _read(path: Path) -> Shard:
    remedy = f"remove {path.parent} to label anew"
    with broken_file(path, remedy), open(path, "rb") as stream, np.load(stream, allow_pickle=False) as shard:
        read = dict(shard)
        _sentences(read)  # an error if it has none
        return read


def _sentences(shard: Shard) -> list[list[str]]:
    sentences: list[list[str]] = json.loads(shard["words"].tobytes())
    return sentences


@dataclass
class MixedSampler:
    """Batches of labelled corpora and of plain text, in random order."""

    gold: Sampler
    text: PlainText
    encoder: Encoder
    labels: Sequence[str]
    max_words: int
    share: float
    """The share of an epoch's batches that are plain text."""
    seen: tuple[str, FloatArray, FloatArray] | None = None
    """What the surroundings of sentences are made of, if the network sees them."""

    def see_surroundings(self, view: str, table: FloatArray, importance: FloatArray) -> None:
        """As `Sampler.see_surroundings`, for the plain text too."""
        self.gold.see_surroundings(view, table, importance)
        # A thread reads it while training changes the table.
        self.seen = (view, table.copy(), importance)

    def batches_per_epoch(self) -> int:
        """About how many batches an epoch has."""
        return round(self.gold.batches_per_epoch() / (1 - self.share))

    def epoch(self, number: int) -> Iterator[Batch]:
        """The batches of an epoch; they depend on the seed and the number of the epoch alone."""
        random = np.random.default_rng([self.gold.seed, number, 7])
        sources = [self.gold.epoch(number), self._text_batches(number)]
        while sources:
            chosen = sources[int(random.random() < self.share)] if len(sources) > 1 else sources[0]
            batch = next(chosen, None)
            if batch is None:
                sources.remove(chosen)
            else:
                yield batch

    def _text_batches(self, number: int) -> Iterator[Batch]:
        copies = 1 + len(self.gold.config.cases)
        tokens = round(self.gold.text.token_count // copies * self.share / (1 - self.share))
        for shard in self.text.of_epoch(number, tokens, self.gold.seed):
            yield from self._sampler(shard).epoch(number)

    def _sampler(self, shard: Shard) -> Sampler:
        """The sampler of a shard, whose mentions are what the teachers found likeliest."""
        words = _sentences(shard)
        offsets = offsets_of(words)
        fragments = all_fragments(offsets, self.max_words)
        soft = np.zeros((len(fragments), len(self.labels)), dtype=np.float16)
        soft[:, 0] = 1
        width = self.max_words + 1
        numbers = np.searchsorted(
            fragments.firsts * width + fragments.lasts - fragments.firsts,
            shard["firsts"].astype(np.int64) * width + shard["lengths"] - 1,
        )
        soft[numbers] = shard["probabilities"] / np.float32(SCALE)
        best = shard["probabilities"].argmax(axis=1)
        numbers, best = numbers[best > 0], best[best > 0]
        touching = sharing_tokens(fragments, fragments.take(numbers), int(offsets[-1]))
        categories = np.where(touching, OVERLAPPING, DISJOINT).astype(np.int8)
        targets = np.zeros(len(fragments), dtype=np.int16)
        categories[numbers], targets[numbers] = EXACT, self._target_numbers(best)
        examples = Examples(fragments, categories, targets, self.gold.examples.target_sets)
        cases = self.gold.config.cases
        shown = [words, *([recased(one, case) for one in words] for case in cases)]
        names = None
        if (known := self.encoder.names) is not None:
            flat = ([word for one in copy for word in one] for copy in shown)
            names = NameBits.joined([known.look_up(copy, offsets, fragments) for copy in flat])
        schemes = self.gold.schemes
        sampler = replace(
            self.gold,
            # The text follows no annotation scheme but that of the teacher.
            schemes=None if schemes is None else np.zeros((len(words), schemes.shape[1]), dtype=bool),
            text=self.encoder.encode([one for copy in shown for one in copy]),
            examples=examples,
            rare={},
            shares=None,
            weights=None,
            names=names,
            documents=np.tile(shard["opens"], len(shown)),
            soft_targets=SoftTargets(soft, np.ones(len(self.labels), dtype=bool), ""),
        )
        if self.seen is not None:
            sampler.see_surroundings(*self.seen)
        return sampler

    def _target_numbers(self, labels: IntArray) -> list[int]:
        """[M] the numbers of the target sets of the corpora that hold one label each, for labels [M]."""
        known = {row.tobytes(): number for number, row in enumerate(self.gold.examples.target_sets)}
        alone = np.eye(len(self.labels), dtype=bool)
        numbers = {label: known[alone[label].tobytes()] for label in np.unique(labels).tolist()}
        return [numbers[label] for label in labels.tolist()]
