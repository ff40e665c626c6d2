"""The systems of the tri-lingual benchmark: ours, our folds, and a CRF, each trained and run once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from _mention_runs import CONFIGS, configured
from _rivals import CRF_SCHEME, crf_features, trained_crf
from _trilingual_data import Language, PartFiles, in_source, sources

from fofe.base.journal import Journal
from fofe.base.report import Report
from fofe.cli._terminal import TerminalCallback
from fofe.features.config import ModelConfig
from fofe.formats import read_corpus
from fofe.kbp.convert import to_training
from fofe.kbp.entities import numbered
from fofe.kbp.source import source_files
from fofe.kbp.tab import write_tab
from fofe.kbp.tag import SourceTagging, tag_files
from fofe.text.align import Aligner, TokenSpan
from fofe.text.document import Document, Mention, split_label
from fofe.training.annotation import LabelledSentence, labelled_sentences
from fofe.training.config import RunConfig
from fofe.training.corpora import Fold
from fofe.training.run import MODEL, train

FAST_EPOCHS = {"eng": 8, "cmn": 12, "spa": 8}
FAST_TABLES = {"eng": ("glove",), "cmn": ("character", "word"), "spa": ("cased",)}
"""The word vectors of a fast system, whose network is narrow besides."""


@dataclass(frozen=True)
class Preset:
    """How long is trained."""

    seed: int
    fast: bool = False
    smoke: bool = False
    """A few epochs of a tiny model without word vectors: to see whether everything runs."""

    def config(self, language: Language, train: PartFiles, dev: PartFiles) -> RunConfig:
        """The configuration of a language, with its converted corpus."""
        config = configured(CONFIGS / f"{language.config}.toml", {"training.seed": self.seed})
        (corpus,) = config.corpus
        own = replace(corpus, train=(str(train.corpus),), dev=str(dev.corpus), test=None, format="jsonl")
        ungated = replace(config.gate, enabled=False)  # a gate makes tagging faster, not better
        config = replace(config, corpus=(own,), gate=ungated)
        if self.fast or self.smoke:
            epochs = 5 if self.smoke else FAST_EPOCHS[language.code]
            every = max(1, epochs // 3)
            config = replace(config, training=replace(config.training, epochs=epochs, evaluate_every=every))
        if self.fast:
            config = replace(config, model=_narrow(config.model, FAST_TABLES[language.code]))
        if self.smoke:
            views = tuple(
                replace(view, vectors=None, dimension=8)
                for view in config.model.views
                if view.lookup != "lexicon"  # which is made of vectors
            )
            config = replace(config, model=replace(config.model, views=views, hidden=(16,)))
            config = replace(config, training=replace(config.training, rate=0.02, batch=64))
        return config


def _narrow(model: ModelConfig, tables: Sequence[str]) -> ModelConfig:
    """The model with few word vectors, narrow windows and one narrow layer."""
    views = [
        view if view.has_table else replace(view, dimension=min(view.dimension, 64))
        for view in model.views
        if not view.has_table or view.name in tables
    ]
    return replace(model, views=tuple(views), hidden=(128,))


def train_ours(config: RunConfig, folder: Path, command: str, fold: Fold | None = None) -> Path:
    """The directory of our model, trained now or before."""
    if not (folder / MODEL).exists():
        train(config, folder, TerminalCallback(sys.stderr), command=command, resume=True, fold=fold)
    return folder / MODEL


def run_ours(language: Language, model: Path, files: PartFiles, output: Path) -> Path:
    """Tag the raw documents of a part."""
    if not output.exists():
        how = SourceTagging({language.code: str(model)})
        with Journal(output.with_suffix(".work"), how.fingerprint()) as journal:
            tagged = tag_files(how, source_files([str(files.documents)]), journal, run=output.stem)
            if tagged.bad:
                raise SystemExit("\n".join(tagged.bad))
            write_tab(tagged.mentions, output)
            journal.remove()
    return output


class Crf:
    """sklearn-crfsuite with the usual features: the other system, trained on the same converted corpus.

    It tags flat, so of nested mentions it learns the outermost. Its confidence in a mention is the lowest of
    the marginal probabilities of its tags.
    """

    def __init__(self, corpus: Path, path: Path, iterations: int = 100) -> None:
        def sentences() -> list[LabelledSentence]:
            return labelled_sentences(read_corpus(corpus, "jsonl", Report()), Report())

        self._model = trained_crf(path, sentences, iterations)

    def run(self, files: PartFiles, output: Path) -> Path:
        """Tag the raw documents of a part."""
        if not output.exists():
            rows = []
            for source in sources(files):
                rows += in_source(source, self._mentions(to_training(source, [], Report())))
            write_tab(numbered(rows, output.stem), output)
        return output

    def _mentions(self, document: Document) -> list[Mention]:
        marginals = self._model.predict_marginals(
            [crf_features(sentence.words) for sentence in document.sentences]
        )
        aligner = Aligner(document)
        found = []
        for number, rows in enumerate(marginals):
            tags = [max(row, key=row.__getitem__) for row in rows]
            for start, end, label in CRF_SCHEME.decode(tags)[0]:
                score = min(row[tag] for row, tag in zip(rows[start:end], tags[start:end], strict=True))
                place = aligner.characters_of(TokenSpan(number, start, end))
                found.append(Mention(*place, *split_label(label), score))
        return found
