"""Hold the rule for the heads of nominals to those that the GUM corpus gives.

    python benchmarks/heads.py

The rule was made from the training part; the dev part is for the figure. A head is right if it is, or is in,
the given one. Lists some of the errors of the training part.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from _record import as_command, record, shared

from fofe.formats import read_corpus
from fofe.text.document import NOMINAL
from fofe.text.phrases import head_word


def main() -> None:
    """Count, show, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--errors", type=int, default=20, help="how many errors to show (default: 20)")
    args = parser.parse_args()
    metrics = {}
    for part in ("train", "dev"):
        errors, total = _errors(shared("data", "gum", f"{part}.jsonl"))
        metrics[f"{part}_accuracy"] = round(100 * (1 - len(errors) / total), 2)
        metrics[f"{part}_nominals"] = total
        if part == "train":
            for phrase, given, found in random.Random(0).sample(errors, min(args.errors, len(errors))):
                print(f"{phrase}  given: {given}, found: {found}")
    print(metrics)
    record("heads", metrics, "python benchmarks/heads.py")


def _errors(path: Path) -> tuple[list[tuple[str, str, str]], int]:
    """Phrases with the head that is given and the one that is found, and how many there are in all."""
    errors, total = [], 0
    for document in read_corpus(path, "jsonl"):
        for mention in document.mentions:
            if mention.kind != NOMINAL or mention.head is None:
                continue
            phrase = document.text[mention.start : mention.end]
            words = phrase.split(" ")
            found = head_word(words)
            place = mention.start + sum(len(word) + 1 for word in words[:found])
            total += 1
            if not mention.head[0] <= place < mention.head[1]:
                errors.append((phrase, document.text[slice(*mention.head)], words[found]))
    return errors, total


if __name__ == "__main__":
    as_command(main)
