"""How much the way of resolving overlaps matters: every strategy on CoNLL-2003's dev set, one model.

python benchmarks/conll2003.py --seed 1 --config configs/compact.toml     (trains the model)
python benchmarks/strategies.py
"""

from __future__ import annotations

import argparse
from pathlib import Path

from _record import RUNS, as_command, record, shared
from _resources import trained_model

import fofe
from fofe.decode import STRATEGIES
from fofe.evaluate.scores import score_documents
from fofe.formats import read_corpus

USUAL = RUNS / "conll2003-compact-1" / "model"


def main() -> None:
    """Score each strategy at the model's own threshold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="another model than the one above; nothing is recorded")
    args = parser.parse_args()
    model_path = args.model or trained_model(
        USUAL, "python benchmarks/conll2003.py --seed 1 --config configs/compact.toml"
    )
    gold = list(read_corpus(shared("data", "conll2003", "eng.testa"), "conll"))
    model = fofe.load(model_path)
    metrics: dict[str, float] = {}
    for exact in (False, True):
        for strategy in STRATEGIES:
            tagger = model.with_options(strategy=strategy, exact=exact)
            f1 = score_documents(gold, tagger.tag_documents(gold)).overall.f1
            name = strategy.replace("-", "_") + ("_exact" if exact else "")
            metrics[f"dev_f1_{name}"] = round(f1, 3)
            print(f"{strategy:24} {'exact' if exact else 'gated'}  {f1:.3f}")
    if args.model is None:
        record("strategies", metrics, "python benchmarks/strategies.py")


if __name__ == "__main__":
    as_command(main)
