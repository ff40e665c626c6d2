"""The configurations of the tri-lingual benchmark: full, fast, or just to see whether everything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from _discovery import PartFiles
from _mention_runs import CONFIGS, configured
from _trilingual_data import Language

from fofe.features.config import ModelConfig
from fofe.training.config import RunConfig

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
