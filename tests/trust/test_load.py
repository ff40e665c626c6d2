"""Many clients at once, clients that vanish, and the end under load: no answer is wrong, late or lost."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest

pytest.importorskip("fastapi", reason="serving needs fofe[serve]")

from fofe.model.engine import Engine, Scores
from fofe.model.storage import StoredModel, load_model
from fofe.serve import run
from fofe.serve.app import Server
from fofe.serve.guard import Limits
from fofe.tagging.model import TOKENS_AT_ONCE, Model

if TYPE_CHECKING:
    from tests.conftest import Running

HANGING = 3600
"""Seconds after which something counts as hanging; a slow machine takes far less."""
NAMES = ("Omar Haddad", "Anna Berg", "Li Wei", "Grace Otieno", "Jan Novak")
TEXTS = [
    f"{name} met the mayor of {place}. " * (1 + number * 7 % 20)
    for number, (name, place) in enumerate(
        (name, place) for name in NAMES for place in ("Lima", "Bergen") * 2
    )
]


def test_eight_threads_find_what_one_finds(tiny_model: Model) -> None:
    """To the last bit: each call has its own text alone."""
    alone = [tiny_model(text).mentions for text in TEXTS]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(tiny_model.fresh(), TEXTS * 4))
    assert [found.mentions for found in together] == alone * 4


def test_eight_clients_find_what_one_finds(tiny_path: Path, running: Running) -> None:
    """With scores within 1e-6, and rounded: the texts of several clients are tagged together."""
    with (
        running("--model", str(tiny_path), "--timeout", str(HANGING)) as (address, _),
        httpx.Client(base_url=address, timeout=HANGING) as client,
    ):

        def ask(text: str) -> Any:
            answer = client.post("/v1/tag", json={"text": text})
            assert answer.status_code == 200
            return answer.json()["documents"][0]["mentions"]

        alone = [
            [{**mention, "score": pytest.approx(mention["score"], abs=2e-6)} for mention in ask(text)]
            for text in TEXTS
        ]
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(ask, TEXTS * 4)) == alone * 4


class Watched:
    """A model that sees documents and counts the windows that it scores; the second lasts until `go_on`."""

    def __init__(self, path: Path) -> None:
        self.windows = 0
        self.second = threading.Event()
        self.go_on = threading.Event()
        self.model = Model(load_model(path), scorer=self._engine).with_options(agreement=0.5)

    def _engine(self, stored: StoredModel) -> Engine:
        watched = self

        class Counted(Engine):
            def score(self, *args: Any, **options: Any) -> Scores:
                watched.windows += 1
                if watched.windows == 2:
                    watched.second.set()
                    watched.go_on.wait(60)
                return super().score(*args, **options)

        return Counted(stored.config, stored.encoder, stored.weights, stored.gate)


async def post(server: Server, text: str, hang_up: Callable[[], Awaitable[object]]) -> int:
    """The status that answers a request, 0 for none; the client waits for `hang_up` and leaves."""
    body = json.dumps({"text": text}).encode()
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": body}]
    answers: list[Any] = []

    async def receive() -> dict[str, Any]:
        if not messages:
            await hang_up()
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        answers.append(message)

    headers = [(b"content-type", b"application/json"), (b"host", b"localhost")]
    scope = {"type": "http", "method": "POST", "path": "/v1/tag", "headers": headers}
    await server.guard(scope, receive, send)
    return int(answers[0]["status"]) if answers else 0


LONG = "Omar Haddad met the mayor of Lima. " * (2 * TOKENS_AT_ONCE)
"""It has four windows."""


def test_work_ends_when_its_client_leaves(tiny_path: Path) -> None:
    watched = Watched(tiny_path)

    async def serve() -> list[int]:
        server = Server({"tiny": watched.model}, Limits(seconds=HANGING))
        async with server.batcher:
            statuses = [await post(server, LONG, lambda: asyncio.to_thread(watched.second.wait))]
            watched.go_on.set()
            statuses.append(await post(server, "Omar Haddad left.", asyncio.Event().wait))
        return statuses

    assert asyncio.run(serve()) == [0, 200]
    assert watched.windows == 3


def test_work_ends_when_its_time_is_over(tiny_path: Path) -> None:
    watched = Watched(tiny_path)

    async def serve() -> int:
        server = Server({"tiny": watched.model}, Limits(seconds=1))
        async with server.batcher:
            status = await post(server, LONG, asyncio.Event().wait)
            watched.go_on.set()
        return status

    assert asyncio.run(serve()) in (408, 503)
    assert watched.windows <= 2


def test_what_waits_beside_a_long_document_is_tagged_first(tiny_path: Path) -> None:
    """Both wait while something else is tagged; the long one would hold up the short one until its end."""
    watched = Watched(tiny_path)
    first = "Li Wei left. " * 2 * TOKENS_AT_ONCE

    async def serve() -> int:
        server = Server({"tiny": watched.model}, Limits(seconds=HANGING))
        never = asyncio.Event().wait
        async with server.batcher:
            busy = asyncio.create_task(post(server, first, never))
            await asyncio.to_thread(watched.second.wait)
            short = asyncio.create_task(post(server, "Omar Haddad left.", never))
            await asyncio.sleep(0)
            long = asyncio.create_task(post(server, LONG, never))
            watched.go_on.set()
            assert await busy == 200
            before = watched.windows
            assert await short == 200
            between = watched.windows - before
            assert await long == 200
        return between

    assert asyncio.run(serve()) <= 2


REQUEST = (
    b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Connection: close\r\nContent-Length: 29\r\n\r\n{"text": "Omar Haddad left."}'
)


def test_what_nobody_has_taken_yet_is_answered_at_the_end(
    tiny_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections that the kernel has accepted when the server is told to stop."""
    addresses: list[str] = []
    clients: list[socket.socket] = []

    async def connect(_: object) -> None:
        """Takes the place of waiting for a signal."""
        place = urlsplit(addresses[0])
        for _ in range(16):
            clients.append(socket.create_connection((str(place.hostname), place.port or 0), timeout=HANGING))
            clients[-1].sendall(REQUEST)

    monkeypatch.setattr(run._Uvicorn, "main_loop", connect)
    server = Server({"tiny": tiny_model}, Limits(seconds=HANGING))
    run.serve(server, host="127.0.0.1", port=0, say=addresses.append, access_log=False)
    assert [_status(client) for client in clients] == [200] * len(clients)


def _status(client: socket.socket) -> int:
    with client:
        head = client.recv(12)
        return int(head.split()[1]) if head else 0


def test_sigterm_under_load(tiny_path: Path, running: Running) -> None:
    """Everything that was sent before the signal is answered, also where the signal overtakes it."""
    with running("--model", str(tiny_path), "--timeout", str(HANGING)) as (address, process):
        place = urlsplit(address)

        def clients(count: int) -> Iterator[socket.socket]:
            for _ in range(count):
                client = socket.create_connection((str(place.hostname), place.port or 0), timeout=HANGING)
                client.sendall(REQUEST)
                yield client

        sent = list(clients(32))
        process.send_signal(signal.SIGSTOP)
        sent.extend(clients(64))
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        assert [_status(client) for client in sent] == [200] * len(sent)
        assert process.wait(timeout=HANGING) == 0
