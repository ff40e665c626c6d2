"""One thread prepares batches while another trains."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


class _End:
    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def produced(items: Iterable[Item], ahead: int = 8) -> Iterator[Item]:
    """The items, made by a thread of their own, at most `ahead` of them before they are wanted.

    An error in that thread is raised here; leaving early ends the thread.
    """
    ready: queue.Queue[Item | _End] = queue.Queue(maxsize=ahead)
    stopped = threading.Event()

    def put(item: Item | _End) -> bool:
        while not stopped.is_set():
            try:
                ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def produce() -> None:
        try:
            for item in items:
                if not put(item):
                    return
            put(_End())
        except BaseException as error:
            put(_End(error))

    thread = threading.Thread(target=produce, name="fofe-producer", daemon=True)
    thread.start()
    try:
        while True:
            item = ready.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        stopped.set()
        thread.join()
