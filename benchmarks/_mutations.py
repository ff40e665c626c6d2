"""Mutated inputs for every reader: damaged at random, from seeds, within limits of memory and time.

A file that cannot be used ends in an error that names it, whatever the file: no exception but `FofeError` may
leave a reader. Run by itself, this prints what broke the promise:

    python benchmarks/_mutations.py --inputs 1000 --seed 1 [--run RUN --config CONFIG] [--only NAME ...]

RUN is the directory of a finished training, and CONFIG its configuration, for the files of models and runs.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random

from _readers import Reader, model_readers, more_readers, readers, run_readers

from fofe.base.errors import FofeError

MEMORY = 3 << 30
CPU = 600
"""Bytes of address space, and seconds of processor time, that all together may take."""
SECONDS = 10.0
"""Processor time that one input may take: a thousand times what it should."""

TOKENS = (
    *b"{ } [ ] \" : , < > & ; = \t \n \r \0 ' # | - \\ \xff \xef\xbb\xbf".split(b" "),
    b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-1", b"0", b"1.5", b"99999999999999999999",
    b"\xc2\xa0", b'""', b"[]", b"{}", b"[[", b"]]", b"{{", b"}}", b"-{", b"}-", b"\n\n", b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80", b"\\ud800", b"\\u0000", b"&amp;", b"&#x110000;", b"&#0;", b"<![CDATA[", b"]]>",
    b"<!--", b"-->", b"</", b"/>", b"<nowiki>", b"{|", b"|}", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"I-PER",
    b"B-", b"O", b"../", b"/dev/null", b'"""', b"'''", b"[[rule]]", b"inf", b"1979-05-27", b"\xe2\x80\xa8",
    b"\xcc\x81", b"\xd9\xa3", b"\xc2\xb2",
)  # fmt: skip


def mutate(data: bytes, random: Random) -> bytes:
    """The data with one to four things wrong."""
    for _ in range(random.choice((1, 1, 2, 4))):
        data = random.choice(MUTATIONS)(data, random)
    return data


def _slice(data: bytes, random: Random, longest: int = 64) -> tuple[int, int]:
    start = random.randrange(len(data) + 1)
    return start, min(len(data), start + random.choice((1, 2, 4, 8, longest)))


def _flip(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]


def _overwrite(data: bytes, random: Random) -> bytes:
    start, end = _slice(data, random, 8)
    return data[:start] + random.choice((b"\0", b"\xff", b"\x7f", b"9")) * (end - start) + data[end:]


def _truncate(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _delete(data: bytes, random: Random) -> bytes:
    start, end = _slice(data, random)
    return data[:start] + data[end:]


def _duplicate(data: bytes, random: Random) -> bytes:
    start, end = _slice(data, random)
    return data[:end] + data[start:end] * random.choice((1, 1, 2, 50)) + data[end:]


def _move(data: bytes, random: Random) -> bytes:
    start, end = _slice(data, random)
    place = random.randrange(len(data) + 1)
    return data[:place] + data[start:end] + data[place:]


def _splice(data: bytes, random: Random) -> bytes:
    start, end = _slice(data, random, 0)
    return data[:start] + random.choice(TOKENS) + data[random.choice((start, end)) :]


def _replace_word(data: bytes, random: Random) -> bytes:
    """Put another token, or another word of the data, in the place of a word, number or string."""
    words = list(re.finditer(rb'"[^"\n]{0,40}"|[\w.+-]+', data[: 1 << 16]))
    if not words:
        return data
    word, other = random.choice(words), random.choice((random.choice(words)[0], random.choice(TOKENS)))
    return data[: word.start()] + other + data[word.end() :]


def _enlarge(data: bytes, random: Random) -> bytes:
    """Put a huge number in the place of a number."""
    numbers = list(re.finditer(rb"-?\d+(\.\d+)?", data[: 1 << 16]))
    if not numbers:
        return data
    number = random.choice(numbers)
    huge = (
        b"9" * 5000,
        b"1e400",
        b"-1",
        b"2147483648",
        b"9223372036854775808",
        b"1" + b"0" * 400,
        b"1000000000",
    )
    return data[: number.start()] + random.choice(huge) + data[number.end() :]


def _nest(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    opening = random.choice((b"[", b'{"a":', b"<a>", b"{{", b"[[", b"(", b"[[a.", b"-{"))
    return data[:start] + opening * random.choice((2, 300, 30_000)) + data[start:]


NESTS = (
    (b"[", b"", b"]"), (b'{"a":', b"1", b"}"), (b"{a=", b"1", b"}"), (b"a.", b"a", b""),
    (b"<a>", b"", b"</a>"),
)  # fmt: skip


def _deepen(data: bytes, random: Random) -> bytes:
    """Put a value that is nested deeply, and well formed, in the place of a word."""
    depth = random.choice((30, 300, 900, 5000))
    opening, inside, closing = random.choice(NESTS)
    words = list(re.finditer(rb'"[^"\n]{0,40}"|[\w.+-]+', data[: 1 << 16]))
    start, end = random.choice(words).span() if words else (0, 0)
    return data[:start] + opening * depth + inside + closing * depth + data[end:]


MUTATIONS = (
    _flip, _overwrite, _truncate, _delete, _duplicate, _move, _splice, _splice, _replace_word, _enlarge,
    _nest, _deepen,
)  # fmt: skip


def all_readers(run: Path | None, config: Path | None) -> Iterator[Reader]:
    """The readers of all files; those of models and runs need a run and its configuration."""
    yield from chain(readers(), more_readers())
    if run is not None and config is not None:
        yield from chain(model_readers(run / "model"), run_readers(run, config))


def place_of(reader: Reader, folder: Path) -> Path:
    """Where the file of a reader goes: a place under a folder, with whatever must be beside it."""
    place = folder / reader.name
    if reader.beside is not None:
        shutil.copytree(reader.beside, place)
    place.mkdir(parents=True, exist_ok=True)
    return place / reader.file


def write_anew(path: Path, data: bytes) -> None:
    """Write a file in the place of another one; some systems wait for the disk where one is overwritten."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)


def failures(reader: Reader, inputs: int, seed: int, folder: Path) -> Iterator[tuple[int, str]]:
    """Feed a reader mutated files; yields the number of each input that broke the promise, and how."""
    path = place_of(reader, folder)
    signal.signal(signal.SIGPROF, _out_of_time)
    for number in range(-1, inputs):
        random = Random(f"{reader.name} {seed} {number}")
        write_anew(path, reader.seed if number < 0 else mutate(reader.seed, random))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                reader.read(path)
        except FofeError as error:
            if number < 0:
                yield number, f"the seed is refused: {error}"
        except Exception:
            yield number, traceback.format_exc(limit=-6)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def _out_of_time(*_: object) -> None:
    raise TimeoutError(f"takes more than {SECONDS:.0f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        for reader in all_readers(args.run, args.config):
            if args.only and reader.name not in args.only:
                continue
            begun = time.process_time()
            kinds: dict[str, tuple[int, str]] = {}
            for number, failure in failures(reader, args.inputs, args.seed, Path(folder)):
                kinds.setdefault(re.sub(r"\d+", "", failure.strip().splitlines()[-1])[:60], (number, failure))
            for number, failure in kinds.values():
                print(f"{reader.name}, input {number}:\n{failure}")
            broken += len(kinds)
            taken = time.process_time() - begun
            print(
                f"{reader.name}: {args.inputs} inputs, {len(kinds)} kinds of failures, {taken:.1f} s",
                flush=True,
            )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
