"""Clients of a server, hour after hour: most ask and wait, some send slowly, vanish, or send all they may."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from _served import Served, answer, is_right, request

import fofe

CLIENTS = 64
LARGE, SLOW, VANISHING = 1, 3, 4
"""So many of the clients send 2 MB, send slowly, and vanish."""
TEXTS = 2000
PAUSE_LARGE, AT_FIRST = 120.0, 5.0
"""Seconds between two large requests, and until memory has settled: it takes about ten of them."""
WAIT = 600.0
"""Seconds after which an answer counts as lost."""
SETTLED = 600.0
"""Seconds until a server has seen everything once."""

FIRST = ("Omar", "Anna", "Li", "Grace", "Jan", "Ingrid", "Paulo", "Mei", "Tariq", "Ewa")
LAST = ("Haddad", "Berg", "Wei", "Otieno", "Novak", "Solberg", "Duarte", "Chen", "Aziz", "Kowalska")
PLACES = ("Lima", "Bergen", "Porto", "Nairobi", "Leeds", "Quito", "Hanoi", "Oslo", "Turin", "Accra")


class Counts:
    """Answers that were right, and those that were wrong or never came."""

    def __init__(self) -> None:
        self.answers = 0
        self.lost = 0
        self.memory: list[tuple[float, float]] = []
        """Seconds since the start, and the megabytes of the server."""

    def slope(self) -> float:
        """Megabytes per hour, by least squares, after the first ten minutes."""
        late = np.array([(at / 3600, size) for at, size in self.memory if at >= SETTLED])
        return float(np.polyfit(late[:, 0], late[:, 1], 1)[0]) if len(late) > 2 else 0.0


def load(model: Path, until: float, answers_per_second: float, seed: int) -> Counts:
    """Let the clients work on a server until a moment of `time.monotonic`."""
    counts = Counts()
    expected = {text: _spans(fofe.load(model)(text).to_dict()) for text in _texts(Random(seed))}
    with Served(model, "--timeout", str(WAIT)) as server:
        asyncio.run(_clients(server, expected, until, answers_per_second, counts, Random(seed)))
        server.process.terminate()
        counts.lost += server.process.wait(WAIT) != 0
    return counts


def _texts(random: Random) -> Iterator[str]:
    for number in range(TEXTS):
        name = f"{random.choice(FIRST)} {random.choice(LAST)}"
        sentence = f"{name} met the mayor of {random.choice(PLACES)} in room {number}. "
        yield sentence * random.choice((1, 1, 1, 2, 5, 20))


def _spans(document: dict[str, Any]) -> list[Any]:
    return [(one["start"], one["end"], one["type"], one["kind"]) for one in document["mentions"]]


async def _clients(
    server: Served,
    expected: dict[str, list[Any]],
    until: float,
    answers_per_second: float,
    counts: Counts,
    random: Random,
) -> None:
    began = time.monotonic()
    texts = list(expected)
    asking = CLIENTS - LARGE - SLOW - VANISHING

    async def ask() -> None:
        """An answer after the other on one connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        while time.monotonic() < until:
            text = random.choice(texts)
            writer.write(request(text))
            await judge(reader, text)
            await asyncio.sleep(random.random() * 2 * asking / answers_per_second)
        writer.close()

    async def judge(reader: asyncio.StreamReader, text: str) -> None:
        try:
            head, body = await asyncio.wait_for(answer(reader), WAIT)
            right = is_right(head) and _spans(json.loads(body)["documents"][0]) == expected[text]
        except (OSError, EOFError, ValueError, asyncio.TimeoutError):
            right = False
        counts.answers += right
        counts.lost += not right

    async def send_slowly() -> None:
        while time.monotonic() < until:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            text = random.choice(texts)
            whole = request(text)
            for start in range(0, len(whole), 50):
                writer.write(whole[start : start + 50])
                await asyncio.sleep(random.random())
            await judge(reader, text)
            writer.close()

    async def vanish() -> None:
        while time.monotonic() < until:
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            whole = request(random.choice(texts))
            writer.write(whole[: random.randrange(len(whole) + 1)])
            await asyncio.sleep(random.random())
            writer.transport.abort()

    async def send_much() -> None:
        """As much as a request may have; that is a sentence without end, or many."""
        while time.monotonic() < until:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(request(random.choice(("a ", "Anna Berg met Li Wei. ")) * 80_000))
            head, _ = await asyncio.wait_for(answer(reader), WAIT)
            counts.answers += is_right(head)
            counts.lost += not is_right(head)
            writer.close()
            pause = AT_FIRST if time.monotonic() < began + SETTLED else PAUSE_LARGE
            await asyncio.sleep(max(0.0, min(pause, until - time.monotonic())))

    async def watch() -> None:
        while time.monotonic() < until:
            counts.memory.append((time.monotonic() - began, server.megabytes()))
            await asyncio.sleep(min(10.0, max(0.0, until - time.monotonic())))

    kinds = ((asking, ask), (SLOW, send_slowly), (VANISHING, vanish), (LARGE, send_much), (1, watch))
    await asyncio.gather(*(work() for count, work in kinds for _ in range(count)))
