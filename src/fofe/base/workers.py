"""Worker processes: results come in the order of the input, and memory use is bounded.

Each worker is a new Python process, never a fork. It receives a job, starts it once (loads a model, say) and
then answers chunk after chunk over its pipes. It does not share the parent's terminal, so Ctrl-C reaches the
parent alone. It ends when its pipe does, even in the middle of a chunk, so it cannot outlive the parent.
"""

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
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import IO, Any, Protocol, TypeVar

from fofe.base.errors import FofeError

Chunk = TypeVar("Chunk", contravariant=True)
Result = TypeVar("Result", covariant=True)

CHUNKS_PER_WORKER = 4
"""How many chunks per worker are in progress or wait to be yielded."""
MOST_PER_CORE = 4
"""More workers than that are never faster, and a thousand would use up the memory of most machines."""

_THREAD_COUNTS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Where BLAS libraries look up their number of threads: with more than one, workers compete for cores."""

_ANSWERED = (FofeError, OSError)
"""Errors that a worker sends back for the parent to raise; any other error ends the worker."""

_Process = subprocess.Popen[bytes]
_BOOTSTRAP = "import sys; sys.path[:] = {path!r}; from fofe.base.workers import serve; serve()"


class Job(Protocol[Chunk, Result]):
    """The work of a worker: an object that can be pickled."""

    def start(self) -> Callable[[Chunk], Result]:
        """Return the function from a chunk to its result; called once in each process."""


def in_order(job: Job[Chunk, Result], chunks: Iterable[Chunk], workers: int) -> Generator[Result, None, None]:
    """The results of the chunks, in order. One worker means this process; more are processes of their own.

    There are at most `MOST_PER_CORE` of them for each core of the machine, however many are asked for.
    After an empty chunk, all results so far are yielded before the next one is drawn. An error that a user
    can act on is raised here, in its turn. Close the iterator (`contextlib.closing`) to end the workers
    early.
    """
    if workers == 1:
        yield from map(job.start(), chunks)
        return
    workers = min(workers, MOST_PER_CORE * (os.cpu_count() or 1))
    with _process_group(job, workers) as submit:
        pending: deque[Future[Result]] = deque()
        for chunk in chunks:
            pending.append(submit(chunk))
            most = workers * CHUNKS_PER_WORKER if chunk else 1
            while pending and (len(pending) >= most or pending[0].done()):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


@contextmanager
def _process_group(job: object, count: int) -> Iterator[Callable[[Any], Future[Any]]]:
    """Several workers, with a thread for each that waits for its answers; yields how to give them a chunk."""
    threads = ThreadPoolExecutor(count)
    workers: list[_Process] = []
    idle: SimpleQueue[_Process] = SimpleQueue()

    def ask_idle(chunk: Any) -> Any:
        worker = idle.get()
        try:
            return _ask(worker, chunk)
        finally:
            idle.put(worker)

    try:
        workers.extend(_start_worker() for _ in range(count))
        for worker, _ in zip(workers, threads.map(lambda worker: _ask(worker, job), workers), strict=True):
            idle.put(worker)
        yield lambda chunk: threads.submit(ask_idle, chunk)
    finally:
        for worker in workers:
            worker.kill()
        threads.shutdown(cancel_futures=True)
        for worker in workers:
            with suppress(OSError), worker:
                pass  # leaving it closes the pipes


def _start_worker() -> _Process:
    return subprocess.Popen(
        [sys.executable, "-c", _BOOTSTRAP.format(path=sys.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **dict.fromkeys(_THREAD_COUNTS, "1")},
        start_new_session=True,
    )


def _ask(worker: _Process, message: object) -> Any:
    """The answer of a worker to a job or a chunk."""
    assert worker.stdin
    assert worker.stdout
    with suppress(OSError):  # one that has ended takes no message, but its last answer can be read
        _send(message, worker.stdin)
    try:
        answer = pickle.load(worker.stdout)
    except (EOFError, pickle.UnpicklingError):
        code = worker.wait()
        killed = f"was killed by signal {-code} (if memory is short, use fewer workers)"
        end = killed if code < 0 else f"ended with code {code}"
        raise FofeError(f"a worker process {end} before its work was done") from None
    if isinstance(answer, _ANSWERED):
        raise answer
    return answer


def serve() -> None:
    """Run as a worker: start the job, then answer chunk after chunk until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_pipe, daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the answers
    work: Callable[[Any], Any] | None = None
    for message in _messages(sys.stdin.buffer):
        answer: object = None
        try:
            if work is None:
                work = message.start()
            else:
                answer = work(message)
        except _ANSWERED as error:
            answer = error
        try:
            _send(answer, answers)
        except BrokenPipeError:
            os._exit(0)  # the parent has ended; a normal exit would complain of unsent data


def _end_with_the_pipe() -> None:
    """Exit when the parent has ended: a worker that trains for hours does not read its pipe meanwhile."""
    if hasattr(select, "poll"):  # not on Windows, where a worker finishes its chunk
        pipe = select.poll()
        pipe.register(sys.stdin.fileno(), 0)  # wait for the end of the pipe only, not for data
        pipe.poll()
        os._exit(0)


def _messages(stream: IO[bytes]) -> Iterator[Any]:
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            yield pickle.load(stream)


def _send(message: object, stream: IO[bytes]) -> None:
    pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()
