"""Running the server: uvicorn with a time limit for slow clients, which loses no request when it stops."""

import asyncio
import contextlib
import math
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from fofe.base.errors import FofeError
from fofe.serve.app import Server
from fofe.serve.guard import Guard

FAREWELL_SECONDS = 2.0
"""How long an idle connection may still send a request after the server was asked to stop."""


def serve(server: Server, *, host: str, port: int, say: Callable[[str], None], access_log: bool) -> None:
    """Serve until a signal; `say` is called with the address once the server listens."""
    listening = _listen(host, port)
    bound = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        server.guard,
        http=_protocol(server.limits.seconds),
        lifespan="on",
        timeout_graceful_shutdown=math.ceil(server.limits.seconds),  # only a stream can take longer
        log_level="info" if access_log else "warning",
        access_log=access_log,
        server_header=False,
        ws="none",
    )
    _Uvicorn(config, server.guard, lambda: say(f"http://{shown}:{bound}/")).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket with the protocol TCP set: only then does asyncio send small answers without delay."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except OSError as error:
        raise FofeError(f"cannot listen at {host} port {port}: {error.strerror or error}") from None
    return listening


class _Uvicorn(uvicorn.Server):
    """Stops in two steps: it takes no new connections, then ends those that are open."""

    def __init__(self, config: uvicorn.Config, guard: Guard, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._guard = guard
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests in progress, and what idle connections still send, then close."""
        self._guard.stopping = True
        for server in self.servers:
            server.close()
        until = time.monotonic() + FAREWELL_SECONDS
        while self.server_state.connections and time.monotonic() < until and not self.force_exit:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal, and do not raise it again: a server that stops on request exits with 0."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _protocol(seconds: float) -> type[asyncio.Protocol]:
    """The protocol of uvicorn, with a time limit for the head of a request too."""

    class Timed(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._head_due: asyncio.TimerHandle | None = None
            self._expect_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.response_complete:
                self._expect_head()
            elif self._head_due is not None:
                self._head_due.cancel()
                self._head_due = None

        def connection_lost(self, error: Exception | None) -> None:
            super().connection_lost(error)
            if self._head_due is not None:
                self._head_due.cancel()

        def _expect_head(self) -> None:
            if self._head_due is None:
                self._head_due = self.loop.call_later(seconds, self.transport.close)

    return Timed
