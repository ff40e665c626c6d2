"""Running the server: uvicorn with a time limit for slow clients, which loses no request when it stops."""

import asyncio
import contextlib
import math
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from ipaddress import ip_address

import uvicorn

from fofe.base.errors import FofeError
from fofe.serve.app import Server
from fofe.serve.guard import Guard
from fofe.serve.protocol import guarded

FAREWELL_SECONDS = 2.0
"""How long an idle connection may still send a request after the server was asked to stop."""


def serve(
    server: Server,
    *,
    host: str,
    port: int,
    hosts: Sequence[str] = (),
    say: Callable[[str], None],
    access_log: bool,
) -> None:
    """Serve until a signal; `say` is called with the address once the server listens.

    At a loopback address, or if `hosts` are given, requests must be addressed to one of them, to `host` or to
    loopback.
    """
    listening = _listen(host, port, server.limits.seconds)
    address, bound, *_ = listening.getsockname()
    if hosts or ip_address(address).is_loopback:
        server.guard.hosts = frozenset(name.lower() for name in (host, *hosts))
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        server.guard,
        http=guarded(server.limits),
        lifespan="on",
        timeout_graceful_shutdown=math.ceil(server.limits.seconds),  # only a stream can take longer
        log_level="info" if access_log else "warning",
        access_log=access_log,
        server_header=False,
        ws="none",
    )
    _Uvicorn(config, server.guard, lambda: say(f"http://{shown}:{bound}/")).run(sockets=[listening])


def _listen(host: str, port: int, seconds: float) -> socket.socket:
    """A socket with the protocol TCP set: only then does asyncio send small answers without delay.

    Where the system can (Linux), it ends connections to clients that read nothing for so many seconds.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, math.ceil(1000 * seconds))
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
            waiting = [connection for listening in server.sockets for connection in _waiting(listening)]
            server.close()
            loop = asyncio.get_running_loop()
            for connection in waiting:
                await loop.connect_accepted_socket(self._connect, connection)
        until = time.monotonic() + FAREWELL_SECONDS
        while self.server_state.connections and time.monotonic() < until and not self.force_exit:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)

    def _connect(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

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


def _waiting(listening: socket.socket) -> Iterator[socket.socket]:
    """The connections that nobody has taken yet: they would be reset when the socket is closed."""
    with contextlib.suppress(BlockingIOError), listening.dup() as waiting:
        while True:
            yield waiting.accept()[0]
