"""What a model finds in the paper's three example sentences, and in twenty of the same kinds with their gold.

    python benchmarks/joint.py --seed 1 joint          (trains the model)
    python benchmarks/sentences.py

The twenty were written before any model was run on them; none of the sentences is in any training data.
Nominals are marked by their head words.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _record import HERE, RUNS, record

import fofe
from fofe.cli._show import Painter
from fofe.evaluate.scores import Counts, score_documents
from fofe.formats import read_corpus

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
    parser.add_argument("--model", default=str(RUNS / "joint-joint-1" / "model"))
    args = parser.parse_args()
    if not Path(args.model).exists():
        raise SystemExit(f"skipped: {args.model} is not here (python benchmarks/joint.py --seed 1 joint)")
    model = fofe.load(args.model)
    painter = Painter(model.labels, colour=False)
    for document in model.tag(PAPER):
        print(painter.paint(document))
    gold = list(read_corpus(HERE / "sentences.jsonl"))
    found = list(model.tag(document.text for document in gold))
    print()
    for document in found:
        print(painter.paint(document))
    scores = score_documents(gold, found)
    metrics: dict[str, float] = {"sentences": len(gold)}
    for name, counts in (("overall", scores.overall), ("names", scores.names), ("nominals", scores.nominals)):
        metrics |= _percentages(name, counts)
    print(metrics)
    record("sentences", metrics, "python benchmarks/sentences.py")


def _percentages(name: str, counts: Counts) -> dict[str, float]:
    return {
        f"{name}_precision": round(counts.precision, 2),
        f"{name}_recall": round(counts.recall, 2),
        f"{name}_f1": round(counts.f1, 2),
    }


if __name__ == "__main__":
    main()
