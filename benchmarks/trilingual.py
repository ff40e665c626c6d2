"""An open stand-in for the tri-lingual track: from raw documents to the paper's table, resumable.

    python benchmarks/trilingual.py --seed 1 --fast
    python benchmarks/trilingual.py --seed 1 --fast --only spa

LitBank (English) and Weibo (Chinese), with names and nominals, and CoNLL-2002 (Spanish), with names, are
written as KBP source documents with gold .tab files. Training data is made from these, and the test
documents are tagged raw. RUN1 is our system, CRF another one trained on the same data, RUN3 their fusion by
votes weighted with confidences that are calibrated on the dev documents, FOLDS the votes of five models of
ours, each trained without a fifth of the data. No author of a post is among the mentions, so nothing is
found for free. With --only one language is brought as far as possible; without it the table is printed and
recorded. What was killed goes on when the command is given again.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from _record import RUNS, as_command, record_seed
from _rivals import crf_type
from _trilingual_data import LANGUAGES, Language, part_files, write_part
from _trilingual_systems import Crf, Preset, run_ours, train_ours

from fofe.base.report import Report
from fofe.evaluate.bootstrap import Numbers, compare
from fofe.fusion import Predictions, Rule, learn
from fofe.kbp.entities import numbered
from fofe.kbp.score import Table, layout, score
from fofe.kbp.tab import TabMention, by_document, read_tab, write_tab
from fofe.training.corpora import Fold

WEIGHTED = Rule("weighted")
ROWS = {"RUN1": "ours", "CRF": "crf", "RUN3": "fused", "FOLDS": "folds"}
"""The rows of the table and the files that they are read from."""
METRIC_NAMES = {"RUN1": "single", "CRF": "crf", "RUN3": "fused", "FOLDS": "folds"}


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
        "--folds", type=int, default=5, metavar="K", help="models of the last row (default: 5)"
    )
    parser.add_argument("--only", choices=[language.code for language in LANGUAGES], metavar="LANG")
    parser.add_argument(
        "--smoke", action="store_true", help="few documents, a tiny model, nothing recorded: does it run?"
    )
    args = parser.parse_args()
    if args.folds < 2:
        parser.error("--folds takes at least 2: each model is trained without one of them")
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
            _language(language, folder, preset, args.folds, command.replace("SEED", str(args.seed)))
    if args.only is None:
        metrics = _report(folder)
        if not args.smoke:
            record_seed("trilingual", args.seed, metrics, command)


def _command(args: argparse.Namespace) -> str:
    words = ["python", "benchmarks/trilingual.py", "--seed", "SEED", *(["--fast"] if args.fast else [])]
    return shlex.join([*words, *([] if args.folds == 5 else ["--folds", str(args.folds)])])


def _language(language: Language, folder: Path, preset: Preset, folds: int, command: str) -> None:
    """Documents, training and the runs of one language."""
    limits = {"train": 6, "dev": 2, "test": 2} if preset.smoke else {}
    train, dev, test = (
        write_part(folder, language, part, limits.get(part)) for part in ("train", "dev", "test")
    )
    config = preset.config(language, train, dev)
    model = train_ours(config, folder / f"{language.code}-model", command)
    crf = Crf(train.corpus, folder / f"{language.code}-crf.pickle", iterations=40 if preset.smoke else 100)
    ours, other = {}, {}
    for part, files in (("dev", dev), ("test", test)):
        ours[part] = run_ours(language, model, files, folder / f"{language.code}-{part}-ours.tab")
        other[part] = crf.run(files, folder / f"{language.code}-{part}-crf.tab")
    _fuse(
        [ours["test"], other["test"]],
        WEIGHTED,
        folder / f"{language.code}-test-fused.tab",
        dev=[dev.gold, ours["dev"], other["dev"]],
    )
    runs = []
    for number in range(folds):
        place = folder / f"{language.code}-fold-{number + 1}"
        of_fold = train_ours(config, place, command, Fold(number, folds))
        output = folder / f"{language.code}-test-fold{number + 1}.tab"
        runs.append(run_ours(language, of_fold, test, output))
    _fuse(runs, Rule("votes"), folder / f"{language.code}-test-folds.tab")


def _fuse(runs: list[Path], rule: Rule, output: Path, dev: list[Path] | None = None) -> None:
    """Join runs; with dev runs behind their gold, confidences and the threshold are learned there."""
    report = Report()
    confidences = None
    if dev is not None:
        gold, *found = map(str, dev)
        confidences, rule = learn(gold, found, rule, report)
        print(f"{output.name}: threshold {rule.threshold}")
    predictions = Predictions([str(run) for run in runs], report)
    predictions.write(predictions.fused(rule, confidences), str(output), report, run=output.stem)


def _report(folder: Path) -> dict[str, Any]:
    """Print the table of each row and the comparisons; returns what is recorded."""
    gold = _all(folder, "gold")
    runs = {row: _all(folder, name) for row, name in ROWS.items()}
    write_tab(gold, folder / "gold.tab")
    tables = {row: score(gold, mentions) for row, mentions in runs.items()}
    for row, mentions in runs.items():
        write_tab(numbered(mentions, row), folder / f"{row}.tab")
        print(f"\n{row}\n{layout(tables[row])}")
    documents = sorted(
        path.stem
        for language in LANGUAGES
        for path in part_files(folder, language, "test").documents.glob("*.xml")
    )
    counts = {row: _counts_by_document(gold, mentions, documents) for row, mentions in runs.items()}
    gains = {row: compare(counts[row], counts["RUN3"])["f1"] for row in ("RUN1", "CRF")}
    gains["FOLDS"] = compare(counts["RUN1"], counts["FOLDS"])["f1"]
    print()
    for name, gain in gains.items():
        what = "FOLDS over RUN1" if name == "FOLDS" else f"RUN3 over {name}"
        interval = f"95 % interval {gain['low']:+.2f} to {gain['high']:+.2f}"
        print(f"ALL OVERALL F1, {what}: {gain['difference']:+.2f} ({interval}, p {gain['p']:.4f})")
    return _metrics(tables, gains)


def _all(folder: Path, name: str) -> list[TabMention]:
    return [
        mention
        for language in LANGUAGES
        for mention in read_tab(folder / f"{language.code}-test-{name}.tab", Report())
    ]


def _counts_by_document(gold: list[TabMention], run: list[TabMention], documents: list[str]) -> Numbers:
    """Right, wrong and missed mentions of each document, kinds left out: shape (documents, 3)."""
    true, guess = by_document(gold), by_document(run)
    scores = (score(true.get(one, []), guess.get(one, []))["ALL"]["OVERALL"] for one in documents)
    return np.array([(counts.tp, counts.fp, counts.fn) for counts in scores], np.int64)


def _metrics(tables: Mapping[str, Table], gains: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    best = max("RUN1", "CRF", key=lambda row: tables[row]["ALL"]["OVERALL"].f1)
    metrics: dict[str, Any] = {
        f"{METRIC_NAMES[row]}_overall_f1": round(table["ALL"]["OVERALL"].f1, 2)
        for row, table in tables.items()
    }
    metrics["fusion_gain"] = round(gains[best]["difference"], 2)
    metrics["fusion_gain_low"] = round(gains[best]["low"], 2)
    metrics["fusion_gain_high"] = round(gains[best]["high"], 2)
    for row, table in tables.items():
        for language, groups in table.items():
            for group, counts in groups.items():
                name = f"{METRIC_NAMES[row]}_{language}_{group}".lower()
                if counts.tp + counts.fn:
                    metrics[f"{name}_p"] = round(counts.precision, 2)
                    metrics[f"{name}_r"] = round(counts.recall, 2)
                    metrics[f"{name}_f1"] = round(counts.f1, 2)
    return metrics


if __name__ == "__main__":
    as_command(main)
