"""The guard in front of the application: it checks the token, the size and the time of each request."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fofe.serve.metrics import Metrics

OPEN_PATHS = frozenset({"/", "/health"})
OPEN_FOLDER = "/page/"
"""These need no token: the page itself, which asks for one, and the health check."""

STREAM = "/v1/stream"
"""The path whose body is read as it arrives; it has limits of its own, line by line."""

DISCARDED_AT_MOST = 8
"""How many times the allowed size is read and discarded, so that a client receives the refusal."""

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
)


@dataclass(frozen=True)
class Limits:
    """The limits of a server."""

    max_bytes: int = 2_000_000
    """Of the body of a request, or of a line of a stream."""
    seconds: float = 30.0
    """For a request to arrive and be answered, or for a line of a stream to arrive."""
    token: str | None = None
    """The token that requests must carry as `Authorization: Bearer ...`."""


class RefusalError(Exception):
    """A request that is refused."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error


class Guard:
    """Checks token, size and time of each request, and counts it."""

    def __init__(self, app: ASGIApp, limits: Limits, metrics: Metrics, paths: Iterable[str]) -> None:
        self._app = app
        self._limits = limits
        self._metrics = metrics
        self._paths = frozenset(paths)
        self.stopping = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send, self)
        began = time.perf_counter()
        self._metrics.under_way.inc()
        try:
            await self._pass(scope, receive, answer)
        except RefusalError as refusal:
            await answer.refuse(refusal)
        finally:
            self._metrics.under_way.dec()
            path = scope["path"] if scope["path"] in self._paths else "other"
            self._metrics.request(scope["method"], path, answer.status, time.perf_counter() - began)

    async def _pass(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        headers = dict(scope["headers"])
        if not self._is_allowed(scope["path"], headers):
            await _discard(receive, self._limits)
            raise RefusalError(401, "this server needs a token: Authorization: Bearer TOKEN")
        if scope["path"] == STREAM:
            await self._app(scope, receive, answer)
            return
        seconds = self._limits.seconds
        body: bytes | None = None
        try:
            with anyio.fail_after(seconds):
                if int(headers.get(b"content-length", b"0")) <= self._limits.max_bytes:
                    body = await _read(receive, self._limits.max_bytes)
                if body is not None:
                    await self._app(scope, _replay(body, receive), answer)
        except TimeoutError:
            if answer.status:
                raise  # the answer has begun: it can only be broken off
            if body is None:
                raise RefusalError(408, f"the request did not arrive within {seconds:g} seconds") from None
            raise RefusalError(503, f"not done within {seconds:g} seconds; send less text") from None
        if body is None:
            await _discard(receive, self._limits)
            raise RefusalError(413, f"more than the {self._limits.max_bytes} bytes that this server takes")

    def _is_allowed(self, path: str, headers: dict[bytes, bytes]) -> bool:
        token = self._limits.token
        if token is None or path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
            return True
        return hmac.compare_digest(headers.get(b"authorization", b""), b"Bearer " + token.encode())


class _Answer:
    """An ASGI `send` that adds headers and remembers the status."""

    def __init__(self, send: Send, guard: Guard) -> None:
        self._send = send
        self._guard = guard
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), *_HEADERS]
            if self._guard.stopping:
                headers.append((b"connection", b"close"))
            message = {**message, "headers": headers}
        await self._send(message)

    async def refuse(self, refusal: RefusalError) -> None:
        """Send the reason, and close the connection: the rest of the request will not be read."""
        body = json.dumps({"error": refusal.error}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if refusal.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await self({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self({"type": "http.response.body", "body": body})


async def _read(receive: Receive, most: int) -> bytes | None:
    """The body, or None if it is longer than `most`."""
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(chunks)
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > most:
            return None
        if not message.get("more_body"):
            return b"".join(chunks)


async def _discard(receive: Receive, limits: Limits) -> None:
    """Read the rest of a refused body: a client that is still sending would not receive the answer."""
    left = DISCARDED_AT_MOST * limits.max_bytes
    with anyio.move_on_after(limits.seconds):
        while left > 0:
            message = await receive()
            if not message.get("more_body"):
                return
            left -= len(message.get("body", b""))


def _replay(body: bytes, receive: Receive) -> Receive:
    """An ASGI `receive` that returns a body that was read before, then what follows it."""
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed
