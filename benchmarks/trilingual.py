"""An open stand-in for the tri-lingual track: from raw documents to the paper's table, resumable.

    python benchmarks/trilingual.py --seed 1 --fast
    python benchmarks/trilingual.py --seed 1 --fast --only spa

LitBank (English) and Weibo (Chinese), with names and nominals, and CoNLL-2002 (Spanish), with names, are
written as KBP source documents with gold .tab files. Training data is made from these, and the test
documents are tagged raw. RUN1 is our system, CRF another one trained on the same data, SEEDS the mean of some
models of ours that differ in their seeds alone, RUN3 the fusion of these models and the CRF by votes whose
confidences and weights are learned on the dev documents. No author of a post is among the mentions, so
nothing is found for free. With --only one language is brought as far as possible; without it the table is
printed and recorded. What was killed goes on when the command is given again.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from _discovery import PARTS, print_scores, run_systems
from _record import RUNS, as_command, record_seed
from _rivals import crf_type
from _trilingual_data import LANGUAGES, Language, write_part
from _trilingual_preset import Preset


def main() -> None:
    """Everything, or the part of one language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument(
        "--fast", action="store_true", help="narrower networks and fewer epochs, for all rows alike"
    )
    parser.add_argument(
        "--seeds",
        type=int,
        default=3,
        metavar="K",
        help="models of ours that are averaged, and fused with the CRF (default: 3)",
    )
    parser.add_argument("--only", choices=[language.code for language in LANGUAGES], metavar="LANG")
    parser.add_argument(
        "--smoke", action="store_true", help="few documents, a tiny model, nothing recorded: does it run?"
    )
    args = parser.parse_args()
    if args.seeds < 1:
        parser.error("--seeds takes at least 1")
    crf_type()  # said at once if it is missing, not after hours of training
    preset = Preset(args.seed, fast=args.fast, smoke=args.smoke)
    name = "-".join(
        ["trilingual", "smoke" if args.smoke else "fast" if args.fast else "full", str(args.seed)]
    )
    folder = RUNS / name
    folder.mkdir(parents=True, exist_ok=True)
    command = _command(args)
    for language in LANGUAGES:
        if args.only in (None, language.code):
            _language(language, folder, preset, args.seeds, command.replace("SEED", str(args.seed)))
    if args.only is None:
        metrics = print_scores(folder, [language.code for language in LANGUAGES])
        if not args.smoke:
            record_seed("trilingual", args.seed, metrics, command)


def _command(args: argparse.Namespace) -> str:
    words = ["python", "benchmarks/trilingual.py", "--seed", "SEED", *(["--fast"] if args.fast else [])]
    return shlex.join([*words, *([] if args.seeds == 3 else ["--seeds", str(args.seeds)])])


def _language(language: Language, folder: Path, preset: Preset, seeds: int, command: str) -> None:
    """Documents, training and the runs of one language."""
    limits = {"train": 6, "dev": 2, "test": 2} if preset.smoke else {}
    train, dev, _ = (write_part(folder, language, part, limits.get(part)) for part in PARTS)
    config = preset.config(language, train, dev)
    iterations = 40 if preset.smoke else 100
    run_systems(language.code, folder, config, command, seeds=seeds, iterations=iterations)


if __name__ == "__main__":
    as_command(main)
