"""Work shared among processes: results come in the order of the input, and memory stays the same.

Each worker is a fresh Python, never a fork. It is sent a job, starts it once (loading a model, say) and then
answers chunk after chunk over its pipes. It stays out of the terminal's reach, so Ctrl-C is for the parent
alone; and it ends when its pipe does, in the middle of a chunk too, so it cannot outlive the parent, however
that ended.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, Protocol, TypeVar

from fofe.base.errors import FofeError

Chunk = TypeVar("Chunk", contravariant=True)
Result = TypeVar("Result", covariant=True)

CHUNKS_PER_WORKER = 4
"""How many chunks for each worker are under way or done and waiting for their turn."""

_THREAD_COUNTS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What BLAS libraries ask for their number of threads: with more than one, workers would fight for cores."""

_TOLD = (FofeError, OSError)
"""What a worker answers where it fails, for the parent to raise; anything else ends it."""

_BOOTSTRAP = "import sys; sys.path[:] = {path!r}; from fofe.base.workers import serve; serve()"


class Job(Protocol[Chunk, Result]):
    """What workers are to do: an object that can be pickled."""

    def start(self) -> Callable[[Chunk], Result]:
        """Make what turns a chunk into its result; called once in each process."""


def in_order(job: Job[Chunk, Result], chunks: Iterable[Chunk], workers: int) -> Generator[Result, None, None]:
    """The results of the chunks, in their order, by so many processes; one works right here.

    An error that a user can act on is raised here wherever it happened, in its turn. Close the iterator
    (`contextlib.closing`) to end the workers when it is not used up.
    """
    if workers == 1:
        yield from map(job.start(), chunks)
        return
    with _Workers(job, workers) as crew:
        under_way: deque[Future[Result]] = deque()
        for chunk in chunks:
            under_way.append(crew.submit(chunk))
            while under_way and (len(under_way) >= workers * CHUNKS_PER_WORKER or under_way[0].done()):
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


class _Workers:
    """Several workers, each with a thread that waits for its answers."""

    def __init__(self, job: Any, count: int) -> None:
        self._threads = ThreadPoolExecutor(count)
        self._all: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._job = job
        self._count = count

    def __enter__(self) -> _Workers:
        try:
            # All are started before any is waited for, so that they load at the same time.
            for _ in range(self._count):
                self._all.append(_Worker())
            for worker in self._all:
                worker.send(self._job)
            for worker in self._all:
                worker.receive()
                self._idle.put(worker)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._all:
            worker.close()

    def submit(self, chunk: Any) -> Future[Any]:
        return self._threads.submit(self._ask, chunk)

    def _ask(self, chunk: Any) -> Any:
        worker = self._idle.get()
        try:
            worker.send(chunk)
            return worker.receive()
        finally:
            self._idle.put(worker)


class _Worker:
    """A process that answers each object it is sent."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOTSTRAP.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(_THREAD_COUNTS, "1")},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout

    def send(self, message: object) -> None:
        # To one that has ended nothing can be sent, but what it said before can still be received.
        with suppress(OSError):
            _send(message, self._to)

    def receive(self) -> Any:
        try:
            answer = pickle.load(self._from)
        except (EOFError, pickle.UnpicklingError):
            raise FofeError(f"a worker process {self._end()} before its work was done") from None
        if isinstance(answer, _TOLD):
            raise answer
        return answer

    def _end(self) -> str:
        code = self._process.wait()
        if code >= 0:
            return f"ended with code {code}"
        return f"was killed by signal {-code} (if memory is short, take fewer workers)"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self._from.close()
        with suppress(OSError):
            self._to.close()


def serve() -> None:
    """The life of a worker: start the job, then answer chunk after chunk until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_pipe, daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not end up between the answers
    work: Callable[[Any], Any] | None = None
    for message in _messages(sys.stdin.buffer):
        try:
            if work is None:
                work = message.start()
                answer: object = "ready"
            else:
                answer = work(message)
        except _TOLD as error:
            answer = error
        try:
            _send(answer, answers)
        except BrokenPipeError:
            os._exit(0)  # the parent has gone; Python would complain of what it could not send


def _end_with_the_pipe() -> None:
    """Wait until the parent has gone: a worker that trains for hours does not read its pipe meanwhile."""
    if hasattr(select, "poll"):  # not on Windows, where the chunk is worked on to its end
        pipe = select.poll()
        pipe.register(sys.stdin.fileno(), 0)  # nothing to be read is waited for, only the end
        pipe.poll()
        os._exit(0)


def _messages(stream: IO[bytes]) -> Iterator[Any]:
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            yield pickle.load(stream)


def _send(message: object, stream: IO[bytes]) -> None:
    pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()
