"""Stopping work that nobody waits for any more: who starts it says whether it is wanted, and long loops ask."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Cancelled(Exception):
    """The work is not wanted any more."""


_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


@contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """In the block, `check` raises `Cancelled` once `wanted` returns False."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def check() -> None:
    """Raise `Cancelled` if the work of this thread is not wanted any more; called between its parts."""
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise Cancelled
