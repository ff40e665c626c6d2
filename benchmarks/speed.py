"""What tagging costs, in one run on one thread: this engine, spaCy, the plain network in torch, and a CRF.

    python benchmarks/conll2003.py --seed 1 --config configs/speed.toml       (trains the model)
    python benchmarks/speed.py

Needs spacy and sklearn-crfsuite (extra `bench`). Rivals are trained on the same files and kept under runs/.
All rates are tokens of CoNLL-2003's test set per CPU second; the systems take turns, and each one's best turn
counts, since other work on the machine can only make a turn slower.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _plots import bars
from _record import HERE, RUNS, as_command, on_one_thread, record, shared
from _rivals import Crf, Spacy, Spans

import fofe
from fofe.base.report import Report
from fofe.evaluate.scores import score_spans
from fofe.evaluate.tables import table
from fofe.formats import read_corpus
from fofe.text.align import tokens_of
from fofe.training.annotation import LabelledSentence, labelled_sentences

TURNS = 5
SENTENCE = "S.E.C. chief Mary Shapiro left Washington in December."


def main() -> None:
    """Measure, print, record, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, default=RUNS / "conll2003-speed-1" / "model")
    args = parser.parse_args()
    on_one_thread()
    torch.set_num_threads(1)
    train, dev, test = (sentences(name) for name in ("eng.train", "eng.testa", "eng.testb"))
    words = [sentence.words for sentence in test]
    texts = [" ".join(sentence) for sentence in words]
    gold = [set(sentence.spans) for sentence in test]
    tokens = sum(map(len, words))

    gated = fofe.load(args.model)
    exact = gated.with_options(exact=True)
    plain = fofe.load(args.model, engine="torch", device="cpu")
    spacy, crf = Spacy(train, dev), Crf(train)
    systems: dict[str, Callable[[], Spans]] = {
        "fofe": lambda: _tag(gated, words),
        "fofe --exact": lambda: _tag(exact, words),
        "plain torch": lambda: _tag(plain, words),
        "spaCy": lambda: spacy.tag_words(words),
        "CRF": lambda: crf.tag_words(words),
    }
    timed: dict[str, Callable[[], object]] = {
        "fofe": lambda: run_through(gated.tag_tokens(words)),
        "fofe --exact": lambda: run_through(exact.tag_tokens(words)),
        "plain torch": lambda: run_through(plain.tag_tokens(words)),
        "spaCy": lambda: run_through(spacy.tagged(words)),
        "CRF": lambda: crf.tag_words(words),
        "fofe, raw text": lambda: run_through(gated.tag(texts)),
        "spaCy, raw text": lambda: run_through(spacy.nlp.pipe(texts)),
    }
    found = {name: system() for name, system in systems.items()}
    seconds = best_turns(timed)
    rates = {name: tokens / spent for name, spent in seconds.items()}
    f1 = {name: score_spans(gold, mentions).f1 for name, mentions in found.items()}
    same = _share_equal(found["fofe"], found["fofe --exact"])
    metrics: dict[str, Any] = {
        "ratio_to_spacy": rates["fofe"] / rates["spaCy"],
        "ratio_to_plain_exact": rates["fofe --exact"] / rates["plain torch"],
        "ratio_to_plain": rates["fofe"] / rates["plain torch"],
        "tokens_per_cpu_s": rates["fofe"],
        "raw_tokens_per_cpu_s": rates["fofe, raw text"],
        "exact_tokens_per_cpu_s": rates["fofe --exact"],
        "spacy_tokens_per_cpu_s": rates["spaCy"],
        "spacy_raw_tokens_per_cpu_s": rates["spaCy, raw text"],
        "plain_tokens_per_cpu_s": rates["plain torch"],
        "crf_tokens_per_cpu_s": rates["CRF"],
        "f1": f1["fofe"],
        "exact_f1": f1["fofe --exact"],
        "spacy_f1": f1["spaCy"],
        "crf_f1": f1["CRF"],
        "same_mentions_as_exact": 100 * same,
        "exact_equals_plain": 100 * _share_equal(found["fofe --exact"], found["plain torch"]),
        "two_worker_cost": _two_worker_cost(args.model, texts),
        "cold_start_cpu_s": _cold_start(args.model),
        **_peaks(args.model, texts),
        "install_mb": _install_size(),
        "model_mb": sum(file.stat().st_size for file in args.model.iterdir()) / 1e6,
        "gemm_share": _gemm_share(exact, words, rates["fofe --exact"]),
    }
    metrics = {name: round(value, 3) for name, value in metrics.items()}
    rows = [[name, f"{rates[name]:,.0f}", f"{f1[name]:.2f}" if name in f1 else ""] for name in rates]
    shown = table(["system", "tokens per CPU second", "test F1"], rows)
    print(shown)
    print(metrics)
    (HERE / "speed.md").write_text(_page(rows, metrics), "utf-8")
    bars(HERE / "speed.svg", "tokens per CPU second, one thread", {name: rates[name] for name in rates})
    record("speed", metrics, "python benchmarks/speed.py")


def sentences(name: str) -> list[LabelledSentence]:
    """Those of a file of CoNLL-2003."""
    report = Report()
    documents = read_corpus(shared("data", "conll2003", name), "conll", report)
    return labelled_sentences(documents, report)


def _tag(model: fofe.Model, words: Sequence[Sequence[str]]) -> Spans:
    found: Spans = []
    for document in model.tag_tokens(words):
        spans = set()
        for mention in document.mentions:
            span = tokens_of(document, mention.start, mention.end)
            assert span is not None, "mentions are on token borders"
            spans.add((span.start, span.end, mention.label))
        found.append(spans)
    return found


def run_through(results: Iterable[object]) -> None:
    """Have everything done, and keep nothing."""
    deque(results, maxlen=0)


def best_turns(systems: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The CPU seconds of each system's best turn."""
    spent: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(TURNS):
        for name, system in systems.items():
            began = time.process_time()
            system()
            spent[name].append(time.process_time() - began)
    return {name: min(turns) for name, turns in spent.items()}


def _share_equal(one: Spans, other: Spans) -> float:
    """The share of the mentions of either that both have."""
    both = sum(len(a & b) for a, b in zip(one, other, strict=True))
    either = sum(len(a | b) for a, b in zip(one, other, strict=True))
    return both / either if either else 1.0


def _children_cpu(command: Sequence[str]) -> float:
    """The CPU seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _fofe_tag(model: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "fofe", "tag", "--model", str(model), "--format", "jsonl", *words]


def _cold_start(model: Path) -> float:
    return min(_children_cpu(_fofe_tag(model, "--text", SENTENCE)) for _ in range(TURNS))


def _two_worker_cost(model: Path, texts: Sequence[str]) -> float:
    """CPU seconds of two workers beside one, both beyond what starting costs."""
    with tempfile.TemporaryDirectory() as folder:
        long, short = Path(folder, "long.txt"), Path(folder, "short.txt")
        long.write_text("\n".join([*texts] * 10), "utf-8")
        short.write_text(texts[0], "utf-8")
        cost = []
        for workers in ("1", "2"):
            command = _fofe_tag(model, "--workers", workers)
            empty = min(_children_cpu([*command, str(short)]) for _ in range(2))
            cost.append(min(_children_cpu([*command, str(long)]) for _ in range(2)) - empty)
        return cost[1] / cost[0]


def _peaks(model: Path, texts: Sequence[str]) -> dict[str, float]:
    """The peak memory of tagging 10 and 100 megabytes of text."""
    piece = "\n".join(texts) + "\n"
    peaks = {}
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in (10, 100):
            path = Path(folder, f"{megabytes}.txt")
            path.write_text(piece * -(-megabytes * 10**6 // len(piece)), "utf-8")
            peaks[f"peak_mb_{megabytes}"] = _peak_of_child(_fofe_tag(model, str(path)))
            path.unlink()
    return peaks


def _peak_of_child(command: Sequence[str]) -> float:
    """The peak megabytes of one command, asked by a process of its own, which has no other children."""
    script = (
        "import resource,subprocess,sys; subprocess.run(sys.argv[1:],check=True,stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _install_size() -> float:
    """The megabytes of a fresh environment with the wheel and its dependencies, pip left out."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [f"{folder}/bin/pip", "install", "--quiet", "-c", str(HERE.parent / "constraints.txt")]
        subprocess.run([*pip, str(HERE.parent)], check=True, stderr=subprocess.DEVNULL)
        subprocess.run([f"{folder}/bin/pip", "uninstall", "--quiet", "-y", "pip", "setuptools"], check=True)
        done = subprocess.run(["du", "-sk", folder], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0]) / 1024


def _gemm_share(model: fofe.Model, words: Sequence[Sequence[str]], rate: float) -> float:
    """What share of the machine's GEMM peak the exact engine's own matrix products make up."""
    config = model.config
    read = sum(view.dimension for view in config.views)
    width = config.hidden[0]
    characters = config.characters
    spelt = 2 * characters.dimension * characters.fofe
    spelt += characters.kernels * len(characters.heights) * characters.cnn
    sizes = (*config.hidden, len(model.labels))
    layers = sum(wide * narrow for wide, narrow in pairwise(sizes))
    tokens = sum(map(len, words))
    fragments = sum(
        min(config.max_words, len(sentence) - first) for sentence in words for first in range(len(sentence))
    )
    per_token = 5 * read * width + (spelt * width + layers) * fragments / tokens
    return 2 * per_token * rate / _gemm_peak()


def _gemm_peak() -> float:
    one, other = (np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32) for _ in range(2))
    best = float("inf")
    for _ in range(10):
        began = time.process_time()
        one @ other
        best = min(best, time.process_time() - began)
    return 2 * 1024**3 / best


def _page(rows: list[list[str]], metrics: dict[str, Any]) -> str:
    lines = ["# Speed on one thread", "", "CoNLL-2003 test set; `python benchmarks/speed.py`.", ""]
    lines += ["| system | tokens per CPU second | test F1 |", "| --- | ---: | ---: |"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += ["", "| figure | value |", "| --- | ---: |"]
    lines += [f"| {name} | {value} |" for name, value in metrics.items()]
    return "\n".join([*lines, "", "![tokens per CPU second](speed.svg)", ""])


if __name__ == "__main__":
    as_command(main)
