"""TAC-KBP from the LDC's releases to the paper's Tables 3, 4 and 5, resumable.

    python benchmarks/kbp.py --train2015 DIR --eval2016 DIR [--wiki DUMP] [--second CORPUS]
    python benchmarks/kbp.py --stand-in --config configs/kbp_adamw.toml   (open corpora as such releases)
    python benchmarks/kbp.py --smoke       (releases that are made up, tiny models: does it run?)

DIR is an unpacked release, or a directory of several: documents as source files or LTF, gold mentions as .tab
files. Documents of 2015 whose gold file has "eval" in its path are the test set of Table 3. Each language
is converted, trained on (configs/kbp.toml), tagged, fused with a CRF and scored. What was killed
goes on when the command is given again. Tables are printed and written to tables.md in the output directory.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import _trilingual_data
from _discovery import part_files, print_scores, run_ours, run_systems, table_metrics, train_ours
from _kbp_generated import write_releases
from _kbp_release import LANGUAGES, Release, read_release, split, write_part
from _record import ROOT, RUNS, SHARED, as_command
from _rivals import crf_type
from _shown import by_language, official_runs, training_data

from fofe.base.errors import FofeError
from fofe.base.report import Report
from fofe.features.config import GazetteerConfig, ModelConfig
from fofe.features.gazetteer import build_gazetteer, save_gazetteer
from fofe.kbp.score import score
from fofe.kbp.source import CHINESE, ENGLISH, SPANISH, language_code
from fofe.kbp.tab import TabMention, read_tab
from fofe.training.config import CorpusConfig, RunConfig, load_config
from fofe.wiki.dump import read_site
from fofe.wiki.job import LabelSettings, label_dump
from fofe.wiki.types import titled_names

WIKI, SECOND = "wiki", "second"
ROWS = {"base": (), "weak": (WIKI,), "second": (SECOND,)}
"""The rows of Table 4, by what they add to the documents of 2015."""
EPOCHS_WITH_SECOND = 64
SHORT = {ENGLISH: "en", CHINESE: "zh", SPANISH: "es"}
VECTORS = {CHINESE: {"cased": "char", "uncased": "word"}}
"""What the vectors of views are called where they are not called like the views."""


SMOKE: dict[str, Any] = {
    "training.epochs": 6,
    "training.evaluate_every": 3,
    "training.evaluate_from": 1,
    "training.optimiser": "adamw",
    "training.schedule": "linear",
    "training.rate": 0.02,
    "training.batch": 64,
    "training.precision": "float32",
    "model.hidden": [16],
}

COMMAND = "python benchmarks/kbp.py"


def main() -> None:
    """Everything that the given releases allow."""
    args = _arguments()
    if not args.no_crf:
        crf_type()  # said at once if it is missing, not after hours of training
    if args.stand_in:
        args.train2015, args.eval2016 = _stand_in(args.output / "releases", limit=12 if args.smoke else None)
    elif args.smoke and not args.train2015:
        args.train2015, args.eval2016 = write_releases(args.output / "releases")
    train, test = read_release(args.train2015), read_release(args.eval2016)
    codes = [code for code in LANGUAGES if code in train.files and code in test.files]
    if not codes:
        raise FofeError("the two releases have no annotated documents in a common language")
    extras = _extras(args)
    table3 = _table3(args, train, codes)
    for code in codes:
        _write_2016(args.output / "2016", code, train, test)
        given = tuple(name for name in extras if code in extras[name])
        config = _config(args, code, args.output / "2016", extras, given)
        iterations = 0 if args.no_crf else 40 if args.smoke else 100
        run_systems(code, args.output / "2016", config, COMMAND, seeds=args.seeds, iterations=iterations)
    table4 = _table4(args, extras) if ENGLISH in codes else {}
    table5 = print_scores(args.output / "2016", codes)
    here = {row: " + ".join(["KBP2015", *names]) for row, names in ROWS.items() if f"{row}_f1" in table4}
    tables = [by_language(table3), training_data(table4, here), official_runs(table5)]
    text = "\n\n".join(table.markdown() for table in tables)
    (args.output / "tables.md").write_text(f"{text}\n", "utf-8")
    print(f"\n{text}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train2015", type=Path, metavar="DIR")
    parser.add_argument("--eval2016", type=Path, metavar="DIR")
    parser.add_argument(
        "--wiki", action="append", default=[], metavar="DUMP", help="of any language of the track; repeatable"
    )
    parser.add_argument(
        "--second",
        action="append",
        default=[],
        metavar="[LANG=]CORPUS",
        help="annotated like the track's documents; English without LANG; repeatable",
    )
    parser.add_argument("--config", type=Path, default=ROOT / "configs" / "kbp.toml")
    parser.add_argument(
        "--vectors",
        type=Path,
        default=SHARED / "vectors",
        metavar="DIR",
        help="word vectors: en.cased.128.npz, en.uncased.*, es.*, zh.char.*, zh.word.* (default: ../shared)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1, metavar="K", help="models of the row SEEDS")
    parser.add_argument("--no-crf", action="store_true", help="nothing is fused: RUN3 stays empty")
    parser.add_argument("--output", type=Path, metavar="DIR", help="default: runs/kbp-SEED")
    parser.add_argument("--stand-in", action="store_true", help="LitBank, Weibo and CoNLL-2002 as releases")
    parser.add_argument("--smoke", action="store_true", help="tiny models: does it run?")
    args = parser.parse_args()
    if not (args.smoke or args.stand_in) and not (args.train2015 and args.eval2016):
        parser.error("give --train2015 and --eval2016")
    if args.output is None:
        kind = "-stand-in" if args.stand_in else "-smoke" if args.smoke else ""
        args.output = RUNS / f"kbp{kind}-{args.seed}"
    args.output.mkdir(parents=True, exist_ok=True)
    return args


def _stand_in(folder: Path, limit: int | None) -> tuple[Path, Path]:
    """The training and test parts of the open corpora, as source documents with gold .tab files."""
    for language in _trilingual_data.LANGUAGES:
        for part in ("train", "test"):
            (folder / part).mkdir(parents=True, exist_ok=True)
            _trilingual_data.write_part(folder / part, language, part, limit)
    return folder / "train", folder / "test"


def _extras(args: argparse.Namespace) -> dict[str, dict[str, str]]:
    """The files of additional corpora by language: weakly labelled pages, and second corpora."""
    weak, second = {}, {}
    for dump in args.wiki:
        code = language_code(read_site(dump).language or "en")
        path = args.output / f"{code}-wikipedia.jsonl"
        if not path.exists():
            label_dump(LabelSettings((dump,)), path, args.output / f"{code}-wikipedia.work")
        weak[code] = str(path)
        gazetteer = _gazetteer(args, code)
        if not gazetteer.exists():
            names = titled_names([dump], SHORT[code], None, Report())
            save_gazetteer(build_gazetteer(names, Report(), [Path(dump).name]), gazetteer)
    for given in args.second:
        language, separator, corpus = given.rpartition("=")
        second[language_code(language) if separator else ENGLISH] = corpus
    return {name: found for name, found in ((WIKI, weak), (SECOND, second)) if found}


def _gazetteer(args: argparse.Namespace, code: str) -> Path:
    path: Path = args.output / f"{code}.gazetteer"
    return path


def _write_2016(folder: Path, code: str, train: Release, test: Release) -> None:
    """All documents of 2015 in a ratio of 90:5:5, and those of 2016."""
    parts = ("train", "dev", "held-out")
    for part, ids in zip(parts, split(train.files[code]), strict=True):
        write_part(folder, code, part, train, ids)
    write_part(folder, code, "test", test, list(test.files[code]))


def _table3(args: argparse.Namespace, release: Release, codes: Sequence[str]) -> dict[str, float]:
    """What a model of the training documents of 2015 finds in those of that year's evaluation."""
    folder = args.output / "2015"
    gold, run = list[TabMention](), list[TabMention]()
    for code in codes:
        training, test = (release.ids(code, evaluation=which) for which in (False, True))
        if not training or not test:
            print(f"{code}: no documents of both training and evaluation of 2015: left out of Table 3")
            continue
        for part, ids in zip(("train", "dev", "held-out"), split(training), strict=True):
            write_part(folder, code, part, release, ids)
        files = write_part(folder, code, "test", release, test)
        model = train_ours(_config(args, code, folder, {}, ()), folder / f"{code}-model", COMMAND)
        gold += read_tab(files.gold, Report())
        run += read_tab(run_ours(code, model, files, folder / f"{code}-test-ours.tab"), Report())
    return table_metrics("single", score(gold, run)) if gold else {}


def _table4(args: argparse.Namespace, extras: Mapping[str, Mapping[str, str]]) -> dict[str, float]:
    """English with less and more training data."""
    folder, metrics = args.output / "2016", dict[str, float]()
    test = part_files(folder, ENGLISH, "test")
    all_given = tuple(name for name in extras if ENGLISH in extras[name])
    for row, names in ROWS.items():
        if not set(names) <= set(all_given):
            continue
        place = folder / (f"{ENGLISH}-model" if names == all_given else f"{ENGLISH}-{row}")
        model = train_ours(_config(args, ENGLISH, folder, extras, names), place, COMMAND)
        run = read_tab(run_ours(ENGLISH, model, test, folder / f"{ENGLISH}-test-{row}.tab"), Report())
        counts = score(read_tab(test.gold, Report()), run)["ENG"]["OVERALL"]
        metrics |= {
            f"{row}_p": counts.precision,
            f"{row}_r": counts.recall,
            f"{row}_f1": counts.f1,
        }
    return metrics


def _config(
    args: argparse.Namespace,
    code: str,
    folder: Path,
    extras: Mapping[str, Mapping[str, str]],
    names: Sequence[str],
) -> RunConfig:
    """The configuration of a language with its converted documents and the named extra corpora."""
    config = load_config(args.config, {"training.seed": args.seed} | (SMOKE if args.smoke else {}))
    base, weak = config.corpus
    files = {part: str(part_files(folder, code, part).corpus) for part in ("train", "dev", "held-out")}
    corpora = [replace(base, train=(files["train"],), dev=files["dev"], test=files["held-out"])]
    if WIKI in names:
        corpora.append(replace(weak, train=(extras[WIKI][code],)))
    if SECOND in names:
        corpora.append(CorpusConfig((extras[SECOND][code],), name=SECOND, scored=False))
        epochs = min(config.training.epochs, EPOCHS_WITH_SECOND)
        first = min(config.training.evaluate_from, epochs)
        config = replace(config, training=replace(config.training, epochs=epochs, evaluate_from=first))
    model = _model(args, code, config.model, with_gazetteer=_gazetteer(args, code).exists())
    ungated = replace(config.gate, enabled=False)  # a gate makes tagging faster, not better
    return replace(config, corpus=tuple(corpora), model=model, gate=ungated)


def _model(args: argparse.Namespace, code: str, model: ModelConfig, *, with_gazetteer: bool) -> ModelConfig:
    """The model of a language, with the vectors and the gazetteer that are there."""
    views = []
    for view in model.views:
        name = VECTORS.get(code, {}).get(view.name, view.name)
        files = [] if args.smoke else sorted(args.vectors.glob(f"{SHORT[code]}.{name}.*"))
        changes: dict[str, Any] = {"vectors": None, "dimension": 8 if args.smoke else view.dimension}
        if files:
            changes = {"vectors": str(files[0]), "dimension": int(files[0].name.split(".")[2])}
        elif not args.smoke:
            print(f"{code}: no vectors {args.vectors}/{SHORT[code]}.{name}.*: they start at random")
        if code == CHINESE:
            changes |= {"lookup": "word" if name == "word" else "cased"}
        views.append(replace(view, **changes))
    gazetteer = GazetteerConfig(str(_gazetteer(args, code)) if with_gazetteer else None, training_names=True)
    segmenter = "jieba" if code == CHINESE else None
    return replace(model, language=SHORT[code], segmenter=segmenter, views=tuple(views), gazetteer=gazetteer)


if __name__ == "__main__":
    as_command(main)
