"""A time limit that costs one timer: `asyncio.wait_for` starts a task for each thing that it waits for."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Deadline:
    """Raises `asyncio.TimeoutError` in a block that takes too long; Python 3.11 has `asyncio.timeout`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._expired = False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None, "only a task can be interrupted"
        self._task = task
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._expire)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if self._expired and kind is asyncio.CancelledError:
            if hasattr(self._task, "uncancel"):  # from Python 3.11 on a task counts who wants it to end
                self._task.uncancel()
            raise asyncio.TimeoutError from None

    def _expire(self) -> None:
        self._expired = True
        self._task.cancel()
