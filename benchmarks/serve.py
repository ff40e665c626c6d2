"""What serving costs beside tagging in one go, and whether a server that is stopped loses requests.

    python benchmarks/serve.py [--model runs/conll2003-compact-1/model]

The documents of CoNLL-2003's test set are sent one a request by 64 clients at once, over connections that
they keep. `cost_ratio` is the server's CPU seconds a token over those of `model.tag` on the same texts, both
after a first round over them; `sentence_cost_ratio` is the same for a sentence a request. Then the clients go
on asking, the server is stopped by SIGTERM, and `lost_requests` counts those that were sent but not answered.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from _record import RUNS, as_command, on_one_thread, record, shared
from _resources import trained_model
from _served import Served, answer, is_right, request

import fofe
from fofe.formats import read_corpus

CLIENTS = 64
ROUNDS = 3


def main() -> None:
    """Measure both and record."""
    on_one_thread()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, default=RUNS / "conll2003-compact-1" / "model")
    args = parser.parse_args()
    trained_model(args.model, "python benchmarks/conll2003.py --seed 1 --config configs/compact.toml")
    texts = [document.text for document in read_corpus(shared("data", "conll2003", "eng.testb"), "conll")]
    sentences = [line for text in texts for line in text.splitlines()]
    tokens, batch_seconds = in_one_go(args.model, texts)
    with Served(args.model) as server:
        served_seconds = served(server, texts)
        sentence_seconds = served(server, sentences)
        answered, lost = asyncio.run(ask_until_stopped(server, texts))
    metrics = {
        "cost_ratio": round(served_seconds / batch_seconds, 3),
        "sentence_cost_ratio": round(sentence_seconds / batch_seconds, 3),
        "lost_requests": lost,
        "batch_tokens_per_cpu_second": round(tokens / batch_seconds),
        "served_tokens_per_cpu_second": round(tokens / served_seconds),
        "answered_while_stopping": answered,
    }
    print(metrics)
    record("serve", metrics, "python benchmarks/serve.py")


def in_one_go(path: Path, texts: list[str]) -> tuple[int, float]:
    """The tokens of the texts, and the CPU seconds of tagging them, after a first round."""
    model = fofe.load(path)
    seconds = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        documents = list(model.tag(texts))
        seconds.append(time.process_time() - began)
    return sum(1 for document in documents for _ in document.tokens), sum(seconds[1:]) / ROUNDS


def served(server: Served, texts: list[str]) -> float:
    """The CPU seconds that the server needs for the texts."""
    asyncio.run(ask_all(server.port, texts))
    before = server.cpu_seconds()
    for _ in range(ROUNDS):
        asyncio.run(ask_all(server.port, texts))
    return (server.cpu_seconds() - before) / ROUNDS


class Client:
    """A connection that is kept as long as the server keeps it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, text: str) -> bool:
        """Send a text; whether it was answered in full. Nobody listening is a ConnectionRefusedError."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            self._writer.write(request(text))
            head, _ = await answer(self._reader)
        except (OSError, asyncio.IncompleteReadError):
            return False
        if b"connection: close" in head:
            self.close()
        return is_right(head)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


async def ask_all(port: int, texts: list[str]) -> None:
    """Every text once, by all clients together; all must be answered."""
    waiting = iter(texts)

    async def work() -> None:
        client = Client(port)
        for text in waiting:
            if not await client.ask(text):
                raise SystemExit("a request was not answered")
        client.close()

    await asyncio.gather(*(work() for _ in range(CLIENTS)))


async def ask_until_stopped(server: Served, texts: list[str]) -> tuple[int, int]:
    """How many requests were answered and lost by a server that is stopped under load."""
    answered = lost = 0
    endless: Iterator[str] = itertools.cycle(texts)

    async def work() -> None:
        nonlocal answered, lost
        client = Client(server.port)
        while True:
            try:
                good = await client.ask(next(endless))
            except ConnectionRefusedError:
                return
            answered += good
            lost += not good
            if not good:
                client.close()

    async def stop() -> None:
        await asyncio.sleep(1)
        server.process.send_signal(signal.SIGTERM)

    await asyncio.gather(stop(), *(work() for _ in range(CLIENTS)))
    return answered, lost


if __name__ == "__main__":
    as_command(main)
