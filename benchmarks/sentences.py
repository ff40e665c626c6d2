"""What the English model finds in the three sentences of the paper, and in twenty of their kinds with gold.

    python benchmarks/sentences.py
    python benchmarks/sentences.py --model runs/joint-joint-1/model

The twenty were written before any model was run on them; none of the sentences is in any training data.
Nominals are marked by their head words.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _record import HERE, as_command, record

import fofe
from fofe.evaluate.scores import Counts, score_documents
from fofe.formats import read_corpus
from fofe.show.documents import bracketed, nesting

SHIPPED = HERE.parent / "models" / "en" / "src" / "fofe_en" / "model"
PAPER = (
    "S.E.C. chief Mary Shapiro left Washington in December.",
    "Mark and his closest friend Scarlet, a cello player, joined the same company.",
    "He used to study in University of Toronto.",
)


def main() -> None:
    """Tag, show, score, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="another model than the one that ships")
    args = parser.parse_args()
    model = fofe.load(args.model or SHIPPED)
    for document in model.tag(PAPER):
        print(bracketed(document, nesting(document)))
    gold = list(read_corpus(HERE / "sentences.jsonl"))
    found = list(model.tag(document.text for document in gold))
    print()
    for document in found:
        print(bracketed(document, nesting(document)))
    scores = score_documents(gold, found)
    metrics: dict[str, float] = {"sentences": len(gold)}
    for name, counts in (("overall", scores.overall), ("names", scores.names), ("nominals", scores.nominals)):
        metrics |= _percentages(name, counts)
    print(metrics)
    if args.model is None:
        record("sentences", metrics, "python benchmarks/sentences.py")


def _percentages(name: str, counts: Counts) -> dict[str, float]:
    return {
        f"{name}_precision": round(counts.precision, 2),
        f"{name}_recall": round(counts.recall, 2),
        f"{name}_f1": round(counts.f1, 2),
    }


if __name__ == "__main__":
    as_command(main)
