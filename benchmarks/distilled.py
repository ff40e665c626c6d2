"""Distil teachers with language models into small models over plain text, on CoNLL-2003.

    python benchmarks/conll2003.py --seed 1 --config configs/teacher.toml    (a teacher)
    python benchmarks/distilled.py train default --seed 1
    python benchmarks/distilled.py train speed --seed 1 --millions 1
    python benchmarks/distilled.py measure

`train` lets the teachers label plain text, Reuters and Wikipedia by turns, once for all students, and trains
the student of a configuration on that and on CoNLL-2003: one seed a call, resumable. Everything is chosen on
testa; testb is scored once, at the end. The teachers are the seeds that are there. `measure` records the
students of 2 million words: their accuracy, and their speed beside spaCy's, as speed.py measures it; and what
others reach with more or fewer words.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from _conll import CONFIGS
from _distillation import distilled, teachers_of
from _record import RUNS, as_command, on_one_thread, record, shared
from _resources import trained_model
from _rivals import Spacy
from conll2003 import Variant, model_of
from speed import best_turns, run_through, sentences

import fofe
from fofe.base.files import write_atomically
from fofe.base.report import Report
from fofe.model.storage import load_model
from fofe.vectors.train import paragraphs

STUDENTS = {"default": "", "speed": "speed_"}
"""The configurations of students, and what their metrics begin with."""
TEACHER = CONFIGS / "teacher.toml"
TEXTS = ("reuters-2006-2013.en.txt.xz", "wikipedia-2014.en.txt.xz")
MILLIONS = 2


def main() -> None:
    """Train a student, or measure all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("train")
    one.add_argument("student", choices=STUDENTS)
    one.add_argument("--seed", type=int, required=True)
    one.add_argument("--millions", type=int, default=MILLIONS, help="of words of plain text")
    one.add_argument("--workers", type=int, default=1, help="processes that label the text")
    commands.add_parser("measure")
    args = parser.parse_args()
    if args.command == "train":
        _train(args.student, args.seed, args.millions, args.workers)
    else:
        on_one_thread()
        _measure()


def _folder(student: str, millions: int, seed: int | str) -> Path:
    return RUNS / f"distilled-{student}-{millions}m-{seed}"


def _train(student: str, seed: int, millions: int, workers: int) -> None:
    teachers = teachers_of(partial(model_of, TEACHER), f"{Variant(TEACHER).command()}, with 1 for SEED,")
    model = distilled(
        Variant(CONFIGS / f"{student}.toml").settings(seed),
        teachers,
        _text(millions),
        _folder(student, millions, seed),
        (other for name in STUDENTS for other in RUNS.glob(_folder(name, millions, "*").name)),
        f"python benchmarks/distilled.py train {student} --seed {seed} --millions {millions}",
        workers,
    )
    print(_accuracy(model))


def _text(millions: int) -> Path:
    """So many million words: a paragraph of each text by turns."""
    path = RUNS / f"text-{millions}m.txt"
    if not path.exists():
        words, report = 0, Report()
        with write_atomically(path) as stream:
            texts = [paragraphs(shared("corpora", name), "en", report) for name in TEXTS]
            for paragraph in filter(None, chain.from_iterable(zip_longest(*texts))):
                stream.write(f"{paragraph}\n")
                words += len(paragraph.split())
                if words >= millions * 1_000_000:
                    break
    return path


def _accuracy(model: Path) -> dict[str, float]:
    training = load_model(model).training
    return {"test_f1": round(training["test"]["f1"], 2), "dev_f1": round(training["dev"]["f1"], 2)}


def _measure() -> None:
    metrics: dict[str, Any] = {"millions": MILLIONS}
    test = [sentence.words for sentence in sentences("eng.testb")]
    spacy = Spacy(sentences("eng.train"), sentences("eng.testa"))
    for student, prefix in STUDENTS.items():
        models = list(_models(student, MILLIONS))
        if not models:
            trained_model(_folder(student, MILLIONS, 1) / "model", f"distilled.py train {student} --seed 1")
        for name in ("test_f1", "dev_f1"):
            metrics[f"{prefix}{name}"] = [_accuracy(model)[name] for model in models]
        tagger = fofe.load(models[0])
        seconds = best_turns(
            {
                "fofe": lambda tagger=tagger: run_through(tagger.tag_tokens(test)),  # type: ignore[misc]
                "spaCy": lambda: run_through(spacy.tagged(test)),
            }
        )
        metrics[f"{prefix}tokens_per_cpu_s"] = round(sum(map(len, test)) / seconds["fofe"])
        metrics[f"{prefix}ratio_to_spacy"] = round(seconds["spaCy"] / seconds["fofe"], 2)
    for millions in (1, 4):
        for student, prefix in STUDENTS.items():
            for name in ("test_f1", "dev_f1"):
                if found := [_accuracy(model)[name] for model in _models(student, millions)]:
                    metrics[f"{prefix}{name}_{millions}m"] = found
    print(metrics)
    record("distilled", metrics, "python benchmarks/distilled.py measure")


def _models(student: str, millions: int) -> Iterator[Path]:
    """The students that are done, in the order of their seeds."""
    return (
        folder / "model"
        for folder in sorted(RUNS.glob(_folder(student, millions, "*").name))
        if (folder / "model").exists()
    )


if __name__ == "__main__":
    as_command(main)
