"""A bar that fills with the input of `fofe tag`, for those who watch a terminal."""

from __future__ import annotations

import sys
from typing import Any


class InputBar:
    """Shows how many bytes of the input are done, of how many if that is known; or nothing at all."""

    def __init__(self, total: int | None, *, shown: bool) -> None:
        self._bar: Any = None
        if shown:
            from tqdm import tqdm

            self._bar = tqdm(total=total, unit="B", unit_scale=True, leave=False, file=sys.stderr)

    def __enter__(self) -> InputBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, size: int) -> None:
        if self._bar is not None:
            self._bar.update(size)

    def say(self, line: str) -> None:
        """Print a line, above the bar if there is one."""
        if self._bar is None:
            print(line, file=sys.stderr, flush=True)
        else:
            self._bar.write(line, file=sys.stderr)
