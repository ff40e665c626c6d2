"""Join the Chinese word and character vectors with what a language model makes of each word.

    python benchmarks/fetch_encoders.py bert-zh
    python benchmarks/fetch_zh_names.py
    python benchmarks/encoded_vectors.py

Makes runs/vectors/zh.names.bert.npz and zh.char.bert.npz once, which configurations then name; as
`fofe vectors encode` does. Takes 15 CPU minutes, and goes on where it was interrupted.
"""

from __future__ import annotations

from _record import RUNS, as_command, on_one_thread
from _resources import vectors_named
from fetch_encoders import ENCODERS

from fofe.formats.vectors import read_vectors, write_vectors
from fofe.vectors.encode import with_encoder

SOURCES = {"zh.names.bert.npz": "zh.names.128.npz", "zh.char.bert.npz": "zh.char.128.bin.gz"}
LAYERS = 4


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
                lambda joined, path=path: write_vectors(joined, path, "npz"),  # type: ignore[misc]
                dimension=vectors.dimension,
                layers=LAYERS,
                advance=lambda _: None,
            )
        print(f"{path} is there")


if __name__ == "__main__":
    as_command(main)
