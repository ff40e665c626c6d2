"""The guard in front of the application: it checks host, token, size and time of each request.

JSON it gives to the handlers directly, without the layers of the framework, which under load take a quarter
of the CPU time of a request that tags a sentence. FastAPI still describes these paths, and answers requests
with another method.
"""

from __future__ import annotations

import asyncio
import ctypes
import hmac
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import anyio
from fastapi import FastAPI
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from fofe.serve.metrics import Metrics
from fofe.serve.problems import problems

OPEN_PATHS = frozenset({"/", "/docs", "/health"})
OPEN_FOLDER = "/page/"
"""These need no token: the page itself, which asks for one, and the health check."""

STREAM = "/v1/stream"
"""The path whose body is read as it arrives; it has limits of its own, line by line."""

DISCARDED_AT_MOST = 8
"""How many times the allowed size is read and discarded, so that a client receives the refusal."""

LONG_BODY = 8192
"""Requests of fewer bytes are answered too soon for it to matter whether their clients are still there."""

LARGE_BODY = 100_000
"""After requests of so many bytes, memory is given back to the system."""

HUNG_UP = 499
"""The status that counts requests whose client did not wait for the answer; nginx writes the same."""

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
    origins: tuple[str, ...] = ()
    """The origins whose pages may use this server, as `https://example.org`; `*` for all."""


Handlers = Mapping[str, tuple[type[BaseModel], Callable[[Any], Awaitable[Response]]]]
"""For each path that takes JSON, the type of its requests and the function that answers them."""


class _Unread(HTTPException):
    """A refusal that does not wait for the body."""


class Guard:
    """Checks host, token, size and time of each request, and counts it. An ASGI application.

    What has no handler is passed on to `app`.
    """

    def __init__(self, app: FastAPI, handlers: Handlers, limits: Limits, metrics: Metrics) -> None:
        self._app = app
        self._paths = frozenset(getattr(route, "path", "") for route in app.routes)
        self._handlers = handlers
        self._limits = limits
        self._metrics = metrics
        self.stopping = False
        self.hosts: frozenset[str] | None = None
        """The names that requests may have for this server, beside those of loopback; None for any."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        origin = dict(scope["headers"]).get(b"origin", b"")
        shared = origin and not {origin.decode("latin-1"), "*"}.isdisjoint(self._limits.origins)
        answer = _Answer(send, self, _cors(origin) if shared else ())
        began = time.perf_counter()
        self._metrics.under_way.inc()
        refused: HTTPException | None = None
        try:
            if shared and scope["method"] == "OPTIONS":  # a browser asks before it sends
                self._check_host(dict(scope["headers"]).get(b"host"))
                await Response(status_code=204)(scope, receive, answer)
            else:
                await self._pass(scope, receive, answer)
        except HTTPException as error:
            refused = error
            await _refuse(error, answer)
        finally:
            self._metrics.under_way.dec()
            path = scope["path"] if scope["path"] in self._paths else "other"
            seconds = time.perf_counter() - began
            self._metrics.request(scope["method"], path, answer.status or HUNG_UP, seconds)
        if refused is not None:
            if isinstance(refused, _Unread):
                await _discard(receive, self._limits)
            await answer({"type": "http.response.body"})

    async def _pass(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        headers = dict(scope["headers"])
        self._check_host(headers.get(b"host"))
        if not self._is_allowed(scope):
            needed = "this server needs a token: Authorization: Bearer TOKEN"
            raise _Unread(401, needed, {"www-authenticate": "Bearer"})
        if scope["path"] == STREAM:
            await self._app(scope, receive, answer)
            return
        seconds, most = self._limits.seconds, self._limits.max_bytes
        # The parser has seen that it is a number, but not that it has few digits.
        if int(headers.get(b"content-length", b"").lstrip(b"0") or b"0") > most:
            raise _Unread(413, _too_large(most))
        body: bytes | None = None
        try:
            with anyio.fail_after(seconds):
                body = await _read(receive, most)
                await self._answer(scope, body, receive, answer)
        except TimeoutError:
            if answer.status:
                return  # the answer has begun: it can only be broken off
            if body is None:
                raise HTTPException(408, f"the request did not arrive within {seconds:g} s") from None
            raise HTTPException(503, f"not done within {seconds:g} s; send less text") from None
        except _HungUpError:
            return

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" or scope["path"] not in self._handlers:
            await self._app(scope, _replay(body, receive), send)
            return
        fields, handler = self._handlers[scope["path"]]
        response = None
        with nullcontext() if len(body) < LONG_BODY else _while_connected(receive):
            try:
                response = await handler(fields.model_validate(_parsed(scope, body)))
            except ValidationError as error:
                response = unfit(fields, error.errors())
            except HTTPException as error:
                response = await error_answer(None, error)
        if response is not None:
            await response(scope, receive, send)
        if len(body) >= LARGE_BODY:
            del response
            _release_memory()

    def _check_host(self, header: bytes | None) -> None:
        """Refuse names that anyone may have given this address: a page from elsewhere could use them.

        Only programs that are no browsers send no header at all.
        """
        if self.hosts is None or header is None:
            return
        name = _host(header.decode("latin-1"))
        if name not in self.hosts and not _is_loopback(name):
            how = "start it with --allow-host to allow more names"
            raise _Unread(421, f"this server is not called {name[:100]!r}; {how}")

    def _is_allowed(self, scope: Scope) -> bool:
        token, path = self._limits.token, scope["path"]
        if token is None or path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
            return True
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], b"Bearer " + token.encode())


def _release_memory() -> None:
    """Give unused memory back to the system: the C library keeps tens of megabytes after a large answer."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _cors(origin: bytes) -> Sequence[tuple[bytes, bytes]]:
    """The headers that let the pages of an origin send requests and read the answers."""
    return (
        (b"access-control-allow-origin", origin),
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-allow-headers", b"authorization, content-type"),
        (b"vary", b"origin"),
    )


def _host(header: str) -> str:
    """The name or address of a Host header, without port and brackets."""
    name, colon, port = header.rpartition(":")
    bare = name if colon and (port.isdigit() or not port) else header
    return bare.removeprefix("[").removesuffix("]").removesuffix(".").lower()


def _is_loopback(name: str) -> bool:
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


@dataclass
class _Answer:
    """An ASGI `send` that adds headers and remembers the status."""

    send: Send
    guard: Guard
    more_headers: Sequence[tuple[bytes, bytes]] = ()
    status: int = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            closing = [(b"connection", b"close")] if self.guard.stopping else []
            message = {
                **message,
                "headers": [*message.get("headers", ()), *_HEADERS, *self.more_headers, *closing],
            }
        await self.send(message)


async def _refuse(error: HTTPException, answer: _Answer) -> None:
    """Send an answer without its end: the client reads it at once, and the connection stays open."""
    refusal = await error_answer(None, error)
    refusal.headers["connection"] = "close"  # the rest of the request will not be answered
    await answer(
        {"type": "http.response.start", "status": refusal.status_code, "headers": refusal.raw_headers}
    )
    await answer({"type": "http.response.body", "body": refusal.body, "more_body": True})


class _HungUpError(Exception):
    """The client has closed the connection before its request was complete."""


@contextmanager
def _while_connected(receive: Receive) -> Iterator[None]:
    """Leaves the block when the client hangs up: nobody waits for the answer any more."""

    async def hang_up() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    with anyio.CancelScope() as scope:
        watching = asyncio.ensure_future(hang_up())
        try:
            yield
        finally:
            watching.cancel()


async def _read(receive: Receive, most: int) -> bytes:
    """The body, of at most so many bytes."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _HungUpError
        body += message.get("body", b"")
        if len(body) > most:
            raise _Unread(413, _too_large(most))
        if not message.get("more_body"):
            return bytes(body)


def _too_large(most: int) -> str:
    return f"more than the {most} bytes that this server takes"


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


def _parsed(scope: Scope, body: bytes) -> Any:
    """The content of a body. Its type must be JSON, which no foreign page can send without being asked."""
    content_type: bytes = dict(scope["headers"]).get(b"content-type", b"")
    family, _, kind = content_type.partition(b";")[0].strip().lower().partition(b"/")
    if family != b"application" or not (kind == b"json" or kind.endswith(b"+json")):
        raise HTTPException(422, "body: send JSON, with Content-Type: application/json")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HTTPException(422, f"body: not JSON: {error}") from None


async def error_answer(_: object, error: Exception) -> JSONResponse:
    """All errors in one shape. A body that cannot be decoded, 400 by the framework, is 422 too."""
    assert isinstance(error, HTTPException)
    status = 422 if error.status_code == 400 else error.status_code
    return JSONResponse({"error": str(error.detail)}, status, error.headers)


def unfit(fields: type[BaseModel], errors: Sequence[Any]) -> JSONResponse:
    """The answer to a request whose fields are not those of its type."""
    return JSONResponse({"error": problems(fields, errors)}, 422)
