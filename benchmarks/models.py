"""Score the shipped models on their test sets as they are now, and measure their size and speed.

    python benchmarks/models.py
    python benchmarks/models.py es

A model tags each test set of its recipe by the public API and is scored in that corpus's own types: on whole
documents as the corpus has them, and with each sentence as a document. `en_f1` is the mean over the test
sets, `en_f1_CORPUS` the figure of one; `en_f1_sentences` and `en_f1_sentences_CORPUS` are those of sentences.
CoNLL-2002 has no borders of documents: there the test set is one document. `en_mb` is the size of the model
directory in megabytes, `en_tokens_per_second` the tokens tagged per second of CPU time on one thread. The
same for `en-news`, `es` and `zh`. With names of models, these alone are measured and nothing is recorded.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

from _mention_runs import with_shared_corpora
from _record import ROOT, as_command, on_one_thread, record

MODELS = ROOT / "models"
sys.path.insert(0, str(MODELS))

from _recipe import read_recipe
from _scores import documents, scores

import fofe
from fofe.evaluate.cost import measure
from fofe.training.corpora import read_corpora

NAMES = ("en", "en-news", "es", "zh")


def main() -> None:
    """Measure, print, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="these alone; nothing is recorded")
    args = parser.parse_args()
    on_one_thread()
    metrics: dict[str, Any] = {}
    for name in args.models or NAMES:
        metrics |= {f"{name.replace('-', '_')}_{key}": value for key, value in _metrics(name).items()}
    print(json.dumps(metrics, indent=2))
    if not args.models:
        record("models", metrics, "python benchmarks/models.py")


def _metrics(name: str) -> dict[str, float]:
    recipe = read_recipe(MODELS / "recipes" / f"{name}.toml")
    folder = MODELS / name / "src" / recipe.module / "model"
    corpora = read_corpora(with_shared_corpora(Path(recipe.config), {}))
    tested = [(one, recipe.tests[one.name]) for one in corpora.parts if one.name in recipe.tests]
    model = fofe.load(folder)
    found = {corpus.name: scores(model, corpus, part) for corpus, part in tested}
    cost = measure(folder, [one for corpus, part in tested for one in documents(corpus.part(part))])
    return {
        "f1": _mean(found, "f1"),
        "f1_sentences": _mean(found, "sentences_f1"),
        **{f"f1_{corpus}": of["f1"] for corpus, of in found.items()},
        **{f"f1_sentences_{corpus}": of["sentences_f1"] for corpus, of in found.items()},
        "mb": round(cost["megabytes"], 2),
        "tokens_per_second": round(cost["corpus"]["tokens_per_second"]),
    }


def _mean(found: dict[str, dict[str, float]], metric: str) -> float:
    return round(fmean(of[metric] for of in found.values()), 2)


if __name__ == "__main__":
    as_command(main)
