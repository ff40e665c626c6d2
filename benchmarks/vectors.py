"""What word vectors of one's own are worth: CoNLL-2003's dev F1 with random vectors and with trained ones.

    python benchmarks/vectors.py --seed 1
    python benchmarks/vectors.py --seed 1 --fast

The vectors are trained on a part of the parliamentary debates beside the project, as `fofe vectors train`
does, cased and uncased, and take the place of those of the compact configuration. All else is the same.
"""

from __future__ import annotations

import argparse
import lzma
import shlex
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

from _conll import CONFIGS, FAST, study
from _record import RUNS, as_command, on_one_thread, record_seed, shared

from fofe.features.config import ViewConfig
from fofe.training.config import load_config
from fofe.vectors.train import VectorSettings, train_vectors

LINES = 40_000
SMOKE_LINES = 500
SETTINGS = VectorSettings(dimension=100, passes=3, min_count=3)


def main() -> None:
    """Train vectors, then a model with them and one without."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--fast", action="store_true", help="fewer epochs")
    parser.add_argument("--smoke", action="store_true", help="see whether it runs; without a record")
    args = parser.parse_args()
    on_one_thread()
    words = ["python", "benchmarks/vectors.py", "--seed", "SEED", *(["--fast"] if args.fast else [])]
    command = shlex.join(words)
    folder = _vectors(SMOKE_LINES if args.smoke else LINES)
    metrics: dict[str, float] = {}
    for name, vectors in (("random", None), ("trained", folder)):
        changes = {"training.seed": args.seed} | (FAST if args.fast else {})
        config = load_config(CONFIGS / "compact.toml", changes)
        views = (
            _view("cased", vectors),
            _view("uncased", vectors),
            *(view for view in config.model.views if not view.has_table),
        )
        outcome = study(
            f"vectors-{name}-{'fast' if args.fast else 'full'}-{args.seed}",
            CONFIGS / "compact.toml",
            {},
            command.replace("SEED", str(args.seed)),
            smoke=args.smoke,
            whole=replace(config, model=replace(config.model, views=views)),
        )
        metrics[f"dev_f1_{name}"] = round(outcome.dev[2], 2)
        print(metrics, flush=True)
    if not args.smoke:
        record_seed("vectors", args.seed, metrics, command)


def _view(name: str, folder: Path | None) -> ViewConfig:
    file = None if folder is None else str(folder / f"en.{name}.{SETTINGS.dimension}.bin")
    return ViewConfig(name, name, SETTINGS.dimension, codes=("bag",), vectors=file)


def _vectors(lines: int) -> Path:
    """The directory of the vectors, which are trained once."""
    folder = RUNS / "vectors" / f"europarl-{lines}"
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "europarl.txt"
    if not text.exists():
        with lzma.open(shared("corpora", "europarl-sample.en.txt.xz"), "rt", encoding="utf-8") as stream:
            text.write_text("".join(islice(stream, lines)), "utf-8")
    start = time.process_time()
    train_vectors(SETTINGS, [text], folder, lambda line: print(line, file=sys.stderr, flush=True))
    print(f"vectors: {(time.process_time() - start) / 60:.1f} CPU minutes", file=sys.stderr)
    return folder


if __name__ == "__main__":
    as_command(main)
