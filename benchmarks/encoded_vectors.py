"""Join the Chinese word and character vectors with what a language model makes of each word.

    python benchmarks/fetch_encoders.py bert-zh
    python benchmarks/fetch_zh_names.py
    python benchmarks/encoded_vectors.py

Makes runs/vectors/zh.names.bert.npz and zh.char.bert.npz once, which configurations then name; as
`fofe vectors encode` does. Takes 15 CPU minutes, and goes on where it was interrupted. Behind the most
frequent words, names of the dictionary and other words stand by turns: a model of limited size has both.
"""

from __future__ import annotations

from itertools import zip_longest

from _record import RUNS, as_command, on_one_thread
from _resources import vectors_named
from fetch_encoders import ENCODERS

from fofe.formats.vectors import WordVectors, read_vectors, write_vectors
from fofe.vectors.encode import with_encoder

SOURCES = {"zh.names.bert.npz": "zh.names.128.npz", "zh.char.bert.npz": "zh.char.128.bin.gz"}
LAYERS = 4
FREQUENT, WORDS = 20_000, 80_000
"""So many words stand first, and so many in all; the names of the dictionary follow them."""


def main() -> None:
    """Encode what is not there yet."""
    on_one_thread()
    encoder = ENCODERS / "bert-zh"
    if not encoder.exists():
        raise SystemExit(f"skipped: needs {encoder}; python benchmarks/fetch_encoders.py makes it")
    for name, source in SOURCES.items():
        path = RUNS / "vectors" / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            vectors = read_vectors(vectors_named(source))
            with_encoder(
                vectors,
                encoder,
                path.with_suffix(".work"),
                lambda joined, path=path: write_vectors(by_turns(joined), path, "npz"),  # type: ignore[misc]
                dimension=vectors.dimension,
                layers=LAYERS,
                advance=lambda _: None,
            )
        print(f"{path} is there")


def by_turns(vectors: WordVectors) -> WordVectors:
    """The most frequent words, then words and names by turns, as long as there are both."""
    rows = range(len(vectors.words))
    both = zip_longest(rows[FREQUENT:WORDS], rows[WORDS:])
    order = [*rows[:FREQUENT], *(row for turn in both for row in turn if row is not None)]
    return WordVectors([vectors.words[row] for row in order], vectors.vectors[order])


if __name__ == "__main__":
    as_command(main)
