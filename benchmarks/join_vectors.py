"""Give the Spanish word vectors the words that only the English ones have, brought into their space.

    python benchmarks/join_vectors.py

Makes runs/vectors/esen.cased.128.npz and esen.uncased.128.npz once, which configurations then name; the same
as `fofe vectors add es.cased.128.bin.gz en.cased.256.bin.gz esen.cased.128.npz`.
"""

from __future__ import annotations

from _record import RUNS, as_command, on_one_thread, shared

from fofe.formats.vectors import read_vectors, write_vectors
from fofe.vectors.align import add_words

VIEWS = ("cased", "uncased")


def main() -> None:
    """Join them, unless that is done."""
    on_one_thread()
    for view in VIEWS:
        path = RUNS / "vectors" / f"esen.{view}.128.npz"
        if path.exists():
            print(f"{path} is there")
            continue
        spanish, english = (
            read_vectors(shared("vectors", name))
            for name in (f"es.{view}.128.bin.gz", f"en.{view}.256.bin.gz")
        )
        joined = add_words(spanish, english)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_vectors(joined, path, "npz")
        print(f"{path}: {len(joined.words)} words")


if __name__ == "__main__":
    as_command(main)
