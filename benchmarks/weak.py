"""What weak labels from Wikipedia are worth where there is little annotated text: one seed a call, resumable.

    python benchmarks/weak.py --seed 1 --fast

Labels the Wikipedia pages beside the project, draws 10 % of CoNLL-2003's training sentences (others for each
seed), and trains twice, without the pages and with them. Everything is chosen on testa; testb is not read. A
tenth of the sentences gives a tenth of the steps, so `--fast` has more epochs here than elsewhere, for both
alike. The seeds of one command are joined in one record of results.jsonl.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from _conll import CONFIGS, tuned_on
from _mention_runs import trained
from _record import RUNS, as_command, record_seed, shared
from _resources import with_resources

from fofe.formats import Report, read_corpus, write_corpus
from fofe.text.document import Document
from fofe.training.config import CorpusConfig, DecodingConfig, RunConfig, load_config
from fofe.wiki.job import LabelSettings, label_dump

FOLDER = RUNS / "weak"
SHARE = 0.1
FAST = {"training.epochs": 30, "training.evaluate_every": 10}
SMOKE = {"training.epochs": 1}
CONLL_LABELS = {"GPE": "LOC", "FAC": "LOC", "FAC|LOC": "LOC", "FAC|ORG": ["LOC", "ORG"]}
"""CoNLL-2003 has one type for all places."""

WEAK = {"weight": 0.5, "share": 0.1}
"""The pages are three times as long as all of CoNLL-2003: an epoch sees a tenth of them, others each time."""


def main() -> None:
    """Label, draw, train twice, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--fast", action="store_true", help="fewer epochs, for studies")
    parser.add_argument("--smoke", action="store_true", help="one epoch, not recorded")
    args = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    weak = weak_corpus()
    typed = sum(len(document.mentions) for document in read_corpus(weak))
    settings = {"training.seed": args.seed} | (SMOKE if args.smoke else FAST if args.fast else {})
    command = "python benchmarks/weak.py --seed SEED" + (" --fast" if args.fast else "")
    f1 = {}
    for name, corpora in _corpora(weak, args.seed).items():
        folder = "-".join(
            ["weak", name, *(kind for kind in ("smoke", "fast") if getattr(args, kind)), str(args.seed)]
        )
        model = trained(_config(corpora, settings), folder, command.replace("SEED", str(args.seed)))
        f1[name] = round(tuned_on(model, "testa", DecodingConfig()).f1, 2)
        print(name, f1[name])
    if not args.smoke:
        metrics = {"typed_links": typed, "dev_f1_without": f1["without"], "dev_f1_with": f1["with"]}
        record_seed("weak", args.seed, metrics, command)


def weak_corpus() -> Path:
    """The labelled pages, made once."""
    path = FOLDER / "wikipedia.jsonl"
    if not path.exists():
        dumps = [str(shared("data", "wikipedia", f"enwiki-{count}-pages.xml.bz2")) for count in (206, 27)]
        table = str(shared("data", "wikipedia", "enwiki-classes.tsv.xz"))
        label_dump(LabelSettings(tuple(dumps), (table,)), path, FOLDER / "work")
    return path


def few_sentences(seed: int) -> Path:
    """A tenth of the training sentences, each a document of its own."""
    path = FOLDER / f"conll2003-{SHARE:.0%}-{seed}.jsonl".replace("%", "")
    if not path.exists():
        documents = read_corpus(shared("data", "conll2003", "eng.train"), "conll")
        sentences = [sentence for document in documents for sentence in _sentences(document)]
        chosen = random.Random(seed).sample(sentences, round(SHARE * len(sentences)))
        write_corpus(chosen, path, "jsonl", Report())
    return path


def _sentences(document: Document) -> list[Document]:
    """The sentences of a document as documents."""
    found = []
    for sentence in document.sentences:
        first, last = sentence.start, sentence.end
        inside = [mention for mention in document.mentions if first <= mention.start and mention.end <= last]
        moved = [replace(one, start=one.start - first, end=one.end - first) for one in inside]
        found.append(replace(Document.from_words([sentence.words]), mentions=moved))
    return found


def _corpora(weak: Path, seed: int) -> dict[str, tuple[CorpusConfig, ...]]:
    """The corpora of both models; the threshold is chosen on the annotated dev set alone."""
    dev = str(shared("data", "conll2003", "eng.testa"))
    few = CorpusConfig((str(few_sentences(seed)),), dev, name="conll2003", nested=False)
    return {"without": (few,), "with": (few, weak_pages(weak, dev))}


def weak_pages(weak: Path, dev: str) -> CorpusConfig:
    """The labelled pages as a corpus of CoNLL-2003's types."""
    options: dict[str, Any] = {**WEAK, "labels": CONLL_LABELS, "kinds": ("NAM",), "nested": False}
    return CorpusConfig((str(weak),), dev, name="wikipedia", **options)


def _config(corpora: tuple[CorpusConfig, ...], settings: dict[str, Any]) -> RunConfig:
    config = load_config(CONFIGS / "compact.toml", settings)
    no_gate = replace(config.gate, enabled=False)  # it makes tagging faster, not better
    return replace(config, data=None, corpus=corpora, model=with_resources(config.model), gate=no_gate)


if __name__ == "__main__":
    as_command(main)
