"""The cost of a model (disk space, time to load and to tag), and its scores."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fofe.evaluate.scores import score_documents
from fofe.evaluate.tables import Section, table
from fofe.features.vocabulary import Vocabulary
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
    return Cost(
        megabytes=size_on_disk(path) / 1e6,
        load_seconds=min(loading),
        words={name: len(vocabulary.words) for name, vocabulary in stored.vocabularies.items()},
        corpus=None if gold is None else _on_corpus(stored.vocabularies, gold, predicted, min(tagging)),
    )


def _on_corpus(
    vocabularies: Mapping[str, Vocabulary],
    gold: Sequence[Document],
    predicted: Sequence[Document],
    seconds: float,
) -> CorpusCost:
    words = [word for document in gold for sentence in document.sentences for word in sentence.words]
    scores = score_documents(gold, predicted).overall
    return CorpusCost(
        tokens=len(words),
        tokens_per_second=len(words) / max(seconds, 1e-9),
        unknown={
            name: 100 * sum(word not in vocabulary for word in words) / max(1, len(words))
            for name, vocabulary in vocabularies.items()
        },
        precision=scores.precision,
        recall=scores.recall,
        f1=scores.f1,
    )


def costs_section(before: Cost, after: Cost) -> Section:
    """The costs of a model before and after compression, side by side."""
    rows = [
        [name, f"{old:{form}}", f"{new:{form}}"]
        for (name, form, old), (_, _, new) in zip(_lines(before), _lines(after), strict=True)
    ]
    return Section(
        "compression",
        table(("", "before", "after"), rows),
        {"before": asdict(before), "after": asdict(after)},
    )


def _lines(cost: Cost) -> list[tuple[str, str, Any]]:
    """The rows of the table: name, number format and value."""
    lines: list[tuple[str, str, Any]] = [
        ("megabytes on disk", ".2f", cost.megabytes),
        ("CPU seconds to load", ".3f", cost.load_seconds),
        *((f"words of {name}", "d", count) for name, count in cost.words.items()),
    ]
    if cost.corpus is not None:
        found = cost.corpus
        lines += [
            *((f"% of tokens unknown to {name}", ".2f", share) for name, share in found.unknown.items()),
            ("tokens a CPU second", ".0f", found.tokens_per_second),
            ("precision", ".2f", found.precision),
            ("recall", ".2f", found.recall),
            ("F1", ".2f", found.f1),
        ]
    return lines
