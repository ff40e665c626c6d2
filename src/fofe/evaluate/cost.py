"""The cost of a model (disk space, time to load and to tag), and its scores."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fofe.evaluate.scores import score_documents
from fofe.evaluate.tables import Section, table
from fofe.model.storage import load_model, size_on_disk
from fofe.tagging.model import Model
from fofe.text.document import Document

TRIES = 3
"""How often a model is loaded and used. The fastest counts: the first includes work that is done once."""


@dataclass(frozen=True)
class CorpusCost:
    """The speed and the scores of a model on an annotated corpus."""

    tokens: int
    tokens_per_second: float
    """Of CPU time, by a freshly loaded model, whose word cache is empty."""
    unknown: dict[str, float]
    """The percentage of tokens that each table lacks."""
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Cost:
    """The measurements of a model."""

    megabytes: float
    """Of all its files."""
    load_seconds: float
    """Of CPU time."""
    words: dict[str, int]
    """Of each table."""
    corpus: CorpusCost | None = None


def measure(path: str | Path, gold: Sequence[Document] | None = None) -> Cost:
    """Measure loading a model and, with a corpus, tagging it."""
    loading, tagging = [], []
    for _ in range(TRIES):
        began = time.process_time()
        stored = load_model(path)
        model = Model(stored, path=Path(path))
        loading.append(time.process_time() - began)
        if gold is not None:
            began = time.process_time()
            predicted = list(model.tag_documents(gold))
            tagging.append(time.process_time() - began)
    cost = Cost(
        megabytes=size_on_disk(path) / 1e6,
        load_seconds=min(loading),
        words={name: len(vocabulary.words) for name, vocabulary in stored.vocabularies.items()},
    )
    if gold is None:
        return cost
    words = [word for document in gold for sentence in document.sentences for word in sentence.words]
    scores = score_documents(gold, predicted).overall
    corpus = CorpusCost(
        tokens=len(words),
        tokens_per_second=len(words) / max(min(tagging), 1e-9),
        unknown={
            name: 100 * sum(word not in vocabulary for word in words) / max(1, len(words))
            for name, vocabulary in stored.vocabularies.items()
        },
        precision=scores.precision,
        recall=scores.recall,
        f1=scores.f1,
    )
    return replace(cost, corpus=corpus)


def costs_section(before: Cost, after: Cost) -> Section:
    """The costs of a model before and after compression, side by side."""
    new = _rows(after)
    rows = [[name, value, new[name]] for name, value in _rows(before).items()]
    data = {"before": asdict(before), "after": asdict(after)}
    return Section("compression", table(("", "before", "after"), rows), data)


def _rows(cost: Cost) -> dict[str, str | float]:
    """The rows of the table."""
    rows: dict[str, str | float] = {
        "megabytes on disk": cost.megabytes,
        "CPU seconds to load": f"{cost.load_seconds:.3f}",
        **{f"words of {name}": count for name, count in cost.words.items()},
    }
    if cost.corpus is not None:
        rows |= {f"% of tokens unknown to {name}": share for name, share in cost.corpus.unknown.items()}
        rows["tokens a CPU second"] = f"{cost.corpus.tokens_per_second:.0f}"
        rows |= {"precision": cost.corpus.precision, "recall": cost.corpus.recall, "F1": cost.corpus.f1}
    return rows
