"""What chosen sentences are worth: 50 that `fofe suggest` chooses beside 50 drawn at random.

    python benchmarks/suggest.py --seed 1

The pool is the tutorial's kitchen and the other example corpus, which has no dishes, ingredients and tools at
all. Ten sentences of it, drawn at random, teach the English model these types. Forty more are then either
chosen with that model or drawn, and the English model learns from all fifty. `chosen_f1` and `random_f1` are
the F1 of the new types on the tutorial's dev sentences. One thread.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from _record import ROOT, as_command, on_one_thread, record_seed

import fofe
from fofe.evaluate.corpus_labels import trained_scheme
from fofe.evaluate.suggest import suggest
from fofe.formats import read_corpus, write_corpus
from fofe.model.storage import load_model
from fofe.text.document import Document
from fofe.training.config import load_config
from fofe.training.run import train

EXAMPLES = ROOT / "examples"
START = ROOT / "models" / "en" / "src" / "fofe_en" / "model"
FIRST, LABELLED = 10, 50


def main() -> None:
    """Choose and draw, fine-tune with both, print, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    on_one_thread()
    kitchen = list(read_corpus(EXAMPLES / "kitchen" / "train.jsonl", language="en"))
    other = read_corpus(EXAMPLES / "corpus" / "train.jsonl", language="en")
    pool = [*kitchen, *(replace(document, mentions=[]) for document in other)]
    draw = random.Random(seed)
    draw.shuffle(pool)
    # A model cannot be trained without a mention.
    first = [document for document in pool if document.mentions][:1]
    first += [document for document in pool if document is not first[0]][: FIRST - 1]
    rest = [document for document in pool if not any(document is one for one in first)]
    with tempfile.TemporaryDirectory() as folder:
        model = fofe.load(_trained(first, Path(folder) / "first", seed))
        model = trained_scheme(model, "data").applied_to(model)
        gold = {document.text: document for document in rest}
        found = suggest(model, [replace(document, mentions=[]) for document in rest], LABELLED - FIRST)
        chosen = [gold[document.text] for document in found]
        drawn = rest[: LABELLED - FIRST]
        metrics = {}
        for name, more in (("chosen", chosen), ("random", drawn)):
            made = load_model(_trained([*first, *more], Path(folder) / name, seed))
            metrics[f"{name}_f1"] = round(made.training["dev"]["f1"], 2)
            metrics[f"{name}_mentions"] = sum(len(document.mentions) for document in more)
    print(seed, metrics, flush=True)
    record_seed("suggest", seed, metrics, "python benchmarks/suggest.py --seed SEED")


def _trained(documents: Sequence[Document], folder: Path, seed: int) -> Path:
    """The directory of a model that has learned from these sentences, as in the tutorial."""
    folder.mkdir()
    write_corpus(documents, folder / "train.jsonl")
    config = load_config(EXAMPLES / "kitchen.toml")
    assert config.data is not None
    config = replace(
        config,
        data=replace(config.data, train=(str(folder / "train.jsonl"),)),
        training=replace(config.training, seed=seed),
    )
    return train(config, folder / "run", start=START, command="python benchmarks/suggest.py")


if __name__ == "__main__":
    as_command(main)
