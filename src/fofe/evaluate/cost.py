"""The cost of a model (disk space, time to load and to tag), and its scores."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fofe.evaluate.scores import score_documents
from fofe.evaluate.tables import Section, table
from fofe.model.storage import load_model, size_on_disk
from fofe.tagging.model import Model
from fofe.text.document import Document

TRIES = 3
"""How often a model is loaded and used. The fastest counts: the first includes work that is done once."""


Cost = dict[str, Any]
"""The measurements of a model: `megabytes` of all its files; `load_seconds`, of CPU time; `words` of each
table; and `corpus`, None without one: `tokens`; `tokens_per_second` of CPU time by a freshly loaded model,
whose word cache is empty; `unknown`, the percentage of tokens that each table lacks; and the scores."""


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
    cost = {
        "megabytes": size_on_disk(path) / 1e6,
        "load_seconds": min(loading),
        "words": {name: len(vocabulary.words) for name, vocabulary in stored.vocabularies.items()},
        "corpus": None,
    }
    if gold is not None:
        words = [word for document in gold for sentence in document.sentences for word in sentence.words]
        scores = score_documents(gold, predicted).overall
        cost["corpus"] = {
            "tokens": len(words),
            "tokens_per_second": len(words) / max(min(tagging), 1e-9),
            "unknown": {
                name: 100 * sum(word not in vocabulary for word in words) / max(1, len(words))
                for name, vocabulary in stored.vocabularies.items()
            },
            **{name: getattr(scores, name) for name in ("precision", "recall", "f1")},
        }
    return cost


def costs_section(before: Cost, after: Cost) -> Section:
    """The costs of a model before and after compression, side by side."""
    new = _rows(after)
    rows = [[name, value, new[name]] for name, value in _rows(before).items()]
    return Section("compression", table(("", "before", "after"), rows), {"before": before, "after": after})


def _rows(cost: Cost) -> dict[str, str | float]:
    """The rows of the table."""
    rows: dict[str, str | float] = {
        "megabytes on disk": cost["megabytes"],
        "CPU seconds to load": f"{cost['load_seconds']:.3f}",
        **{f"words of {name}": count for name, count in cost["words"].items()},
    }
    if corpus := cost["corpus"]:
        rows |= {f"% of tokens unknown to {name}": share for name, share in corpus["unknown"].items()}
        rows["tokens a CPU second"] = f"{corpus['tokens_per_second']:.0f}"
        rows |= {"precision": corpus["precision"], "recall": corpus["recall"], "F1": corpus["f1"]}
    return rows
