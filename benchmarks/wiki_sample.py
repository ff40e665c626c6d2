"""Draw mentions at random from a weakly labelled corpus, to be read one by one.

    python benchmarks/wiki_sample.py weak.jsonl --seed 7 --size 200

Prints a Markdown table with an empty column for the verdicts; benchmarks/wiki_sample.md is such a table,
filled in. The same corpus, seed and size give the same sample: mentions are numbered in the order of the
corpus, and Python's own generator draws among them.
"""

from __future__ import annotations

import argparse
import random

from fofe.formats import read_corpus
from fofe.text.document import Document, Mention

CONTEXT = 40


def main() -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--size", type=int, default=200)
    args = parser.parse_args()
    found = [(document, mention) for document in read_corpus(args.corpus) for mention in document.mentions]
    print("| | type | page | mention in its context | right |\n| ---: | --- | --- | --- | --- |")
    for number, (document, mention) in enumerate(random.Random(args.seed).sample(found, args.size), start=1):
        type = mention.type.replace("|", " or ")
        print(f"| {number} | {type} | {_cell(document.id)} | {_shown(document, mention)} | |")


def _shown(document: Document, mention: Mention) -> str:
    before = document.text[max(0, mention.start - CONTEXT) : mention.start]
    after = document.text[mention.end : mention.end + CONTEXT]
    return f"{_cell(before)}**{_cell(mention.text)}**{_cell(after)}"


def _cell(text: str) -> str:
    for mark in "\\|*_[]<>`":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("\n", " / ")


if __name__ == "__main__":
    main()
