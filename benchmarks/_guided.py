"""Fuzz one reader, guided by coverage: inputs that reach new code are kept and changed further.

    python benchmarks/_guided.py NAME RUNS CORPUS [--run RUN --config CONFIG]

CORPUS is a folder of inputs, which grows; the reader's own small file is the first. The exit code is that of
libFuzzer: not 0 if anything but `FofeError` left the reader, with the traceback on standard error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["fofe"]):
    from _mutations import all_readers, mutate, place_of, write_anew

    from fofe.base.errors import FofeError

LONGEST, SECONDS, MEGABYTES = 1 << 16, 20, 3000
"""Bytes of an input, and the time and memory that one may take."""


def main() -> None:
    """Fuzz the reader of the command line; libFuzzer ends the process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("runs", type=int)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--config", type=Path)
    args = parser.parse_args()
    for reader in all_readers(args.run, args.config):
        if reader.name == args.name:
            path = place_of(reader, Path(tempfile.mkdtemp()))
            break
    else:
        parser.error(f"no reader is called {args.name}")
    args.corpus.mkdir(parents=True, exist_ok=True)
    (args.corpus / "seed").write_bytes(reader.seed)

    def one_input(data: bytes) -> None:
        write_anew(path, data)
        with suppress(FofeError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader.read(path)

    def change(data: bytes, most: int, seed: int) -> bytes:
        return mutate(data, Random(seed))[:most]

    limits = [f"-max_len={LONGEST}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}"]
    options = [f"-runs={args.runs}", *limits, f"-artifact_prefix={args.corpus.parent}/", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(args.corpus)], one_input, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
