"""What a gazetteer costs, and what it is worth on CoNLL-2003's dev set.

    python benchmarks/gazetteer.py cost
    python benchmarks/gazetteer.py train --seed 1          (three models; one seed a call, resumable)
    python benchmarks/gazetteer.py train --seed 1 --fast

`cost` looks every fragment of CoNLL-2003's test set up among a million synthetic names, without a gate, and
takes the best of several turns. `train` compares three models: without a gazetteer, with one from Wikipedia
titles, and with that and the names of the training mentions, each left out for its own document.
"""

from __future__ import annotations

import argparse
import random
import shlex
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from _conll import CONFIGS, FAST, study
from _record import RUNS, as_command, on_one_thread, record, record_seed, shared
from _resources import wikipedia_gazetteer

from fofe.base.report import Report
from fofe.features.fragments import Fragments, all_fragments
from fofe.features.gazetteer import build_gazetteer, load_gazetteer, save_gazetteer
from fofe.features.name_table import NameTable
from fofe.formats import read_corpus

NAMES = 1_000_000
TURNS = 7
TOKENS_AT_ONCE = 2048


def main() -> None:
    """Measure one of the two."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("cost", "train"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fast", action="store_true", help="fewer epochs")
    parser.add_argument("--smoke", action="store_true", help="see whether it runs; without a record")
    args = parser.parse_args()
    RUNS.mkdir(exist_ok=True)
    on_one_thread()
    if args.what == "train":
        _measure_worth(args)
        return
    metrics = _cost()
    print(metrics)
    record("gazetteer_cost", metrics, "python benchmarks/gazetteer.py cost")


def _cost() -> dict[str, float]:
    """Looking up and loading, in CPU time: the best of several turns."""
    sentences = [
        sentence.words
        for document in read_corpus(shared("data", "conll2003", "eng.testb"))
        for sentence in document.sentences
    ]
    path = RUNS / f"synthetic-{NAMES}.gazetteer"
    if not path.exists():
        save_gazetteer(build_gazetteer(_synthetic(sentences), Report()), path)
    loading = min(_seconds(lambda: load_gazetteer(path)) for _ in range(TURNS))
    table = load_gazetteer(path).table
    pieces = list(_pieces(sentences))
    tokens = sum(len(words) for words, _, _ in pieces)
    looking = min(_seconds(lambda: _look_up(table, pieces)) for _ in range(TURNS))
    matches = _look_up(table, pieces)
    return {
        "names": NAMES,
        "megabytes": round(path.stat().st_size / 1e6, 1),
        "load_s": round(loading, 3),
        "us_per_token": round(1e6 * looking / tokens, 2),
        "matches_per_token": round(matches / tokens, 3),
    }


def _seconds(work: Any) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _synthetic(sentences: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Names of one to three words of the text itself, with endings: a good part of them occur in it."""
    draw = random.Random(1)
    words = [word.capitalize() for sentence in sentences for word in sentence if word.isalpha()]
    endings = ("", "son", "ev", "a", "burg")
    seen: set[str] = set()
    while len(seen) < NAMES:
        count = draw.choice((1, 2, 2, 3))
        name = " ".join(draw.choice(words) + draw.choice(endings) for _ in range(count))
        if name not in seen:
            seen.add(name)
            yield name, draw.choice(("PER", "ORG", "GPE", "LOC", "FAC", "MISC"))


def _pieces(sentences: list[list[str]]) -> Iterator[tuple[list[str], Any, Fragments]]:
    """Words, offsets and all fragments of about as many tokens as a model tags at once."""
    group: list[list[str]] = []
    for number, sentence in enumerate(sentences, 1):
        group.append(sentence)
        if sum(map(len, group)) >= TOKENS_AT_ONCE or number == len(sentences):
            offsets = np.cumsum([0, *map(len, group)])
            yield [word for words in group for word in words], offsets, all_fragments(offsets, 7)
            group = []


def _look_up(table: NameTable, pieces: list[tuple[list[str], Any, Fragments]]) -> int:
    """Look all fragments up; returns how many match."""
    return sum(int(np.count_nonzero(table.look_up(*piece).rows)) for piece in pieces)


def _measure_worth(args: argparse.Namespace) -> None:
    titles = str(wikipedia_gazetteer())
    variants: dict[str, dict[str, Any]] = {
        "without": {},
        "with": {"model.gazetteer": {"file": titles}},
        "with_training_names": {
            "model.gazetteer": {"file": str(wikipedia_gazetteer()), "training_names": True}
        },
    }
    words = ["python", "benchmarks/gazetteer.py", "train", "--seed", "SEED"]
    command = shlex.join([*words, *(["--fast"] if args.fast else [])])
    metrics: dict[str, float] = {}
    kind = "fast" if args.fast else "full"
    for name, overrides in variants.items():
        changes = {"training.seed": args.seed} | (FAST if args.fast else {}) | overrides
        outcome = study(
            f"gazetteer-{name}-{kind}-{args.seed}",
            CONFIGS / "compact.toml",
            changes,
            command.replace("SEED", str(args.seed)),
            smoke=args.smoke,
        )
        metrics[f"dev_f1_{name}"] = round(outcome.dev[2], 2)
        print(metrics, flush=True)
    if not args.smoke:
        cost = _cost()
        metrics |= {name: cost[name] for name in ("us_per_token", "load_s")}
        record_seed("gazetteer", args.seed, metrics, command)


if __name__ == "__main__":
    as_command(main)
