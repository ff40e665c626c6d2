"""The protocol: that of uvicorn, with limits of size and time for the head of a request.

The application sees a request only once its head is complete, and the parser keeps what it has of one.
"""

import asyncio
import json
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fofe.serve.guard import DISCARDED_AT_MOST, Limits

MAX_HEAD_BYTES = 65_536
MAX_HEADERS = 100
"""Of the head of a request, with the trailers that may follow its body."""
MAX_PIPELINED = 100
"""How many requests a client may send ahead of their answers."""

_TOO_LARGE = (431, f"the head is longer than {MAX_HEAD_BYTES} bytes or has more than {MAX_HEADERS} headers")


class _RefusedError(Exception):
    """Ends the parser; the connection then answers and hangs up."""


def guarded(limits: Limits) -> type[asyncio.Protocol]:
    """The protocol with these limits."""

    class Guarded(HttpToolsProtocol):
        _head_due: asyncio.TimerHandle | None = None
        _head_bytes = 0
        _incomplete_bytes = 0  # since a head, a piece of a body or a message was complete
        _discardable = DISCARDED_AT_MOST * limits.max_bytes
        _problem = (400, "this is not valid HTTP")
        _refused = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._expect_head()

        def data_received(self, data: bytes) -> None:
            if self._refused:
                self._discard(data)
                return
            self._incomplete_bytes += len(data)
            super().data_received(data)
            if self._incomplete_bytes > MAX_HEAD_BYTES and not self._refused:
                self._problem = _TOO_LARGE
                self.send_400_response("")
            if self._refused:
                return
            if self.cycle is None or self.cycle.response_complete:
                self._expect_head()
            elif self._head_due is not None:
                self._head_due.cancel()
                self._head_due = None

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if self._head_due is not None:
                self._head_due.cancel()

        def on_url(self, url: bytes) -> None:
            super().on_url(url)
            self._head_bytes = len(self.url)

        def on_header(self, name: bytes, value: bytes) -> None:
            super().on_header(name, value)
            self._head_bytes += len(name) + len(value) + len(": \r\n")
            if self._head_bytes > MAX_HEAD_BYTES or len(self.headers) > MAX_HEADERS:
                self._refuse(*_TOO_LARGE)

        def on_headers_complete(self) -> None:
            self._incomplete_bytes = 0
            version = self.parser.get_http_version()
            if version not in ("1.0", "1.1"):
                self._refuse(400, f"HTTP/{version} is not understood here")
            hosts = sum(name == b"host" for name, _ in self.headers)
            if hosts > 1 or (hosts == 0 and version == "1.1"):
                self._refuse(400, "a request has one Host")
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(*_TOO_LARGE)
            if len(self.pipeline) >= MAX_PIPELINED:
                self._refuse(400, f"more than {MAX_PIPELINED} requests ahead of their answers")
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            self._incomplete_bytes = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self._incomplete_bytes = 0
            super().on_message_complete()

        def _refuse(self, status: int, problem: str) -> None:
            self._problem = status, problem
            raise _RefusedError

        def send_400_response(self, msg: str) -> None:  # noqa: ARG002
            """Answer what is no request and hang up, but not before the answers to the requests before it.

            What the client still sends is discarded for a while: it would not receive the answer otherwise.
            """
            self._refused = True
            under_way = self.cycle is not None and not self.cycle.response_complete
            if under_way and not self.cycle.more_body:
                self.cycle.keep_alive = False
                return
            if under_way:  # its body is broken
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            if self.pipeline or (under_way and self.cycle.response_started):
                self.transport.close()
                return
            status, problem = self._problem
            content = json.dumps({"error": problem}).encode()
            self.transport.write(
                b"HTTP/1.1 %d %s\r\nconnection: close\r\ncontent-type: application/json\r\n"
                b"content-length: %d\r\n\r\n%s"
                % (status, HTTPStatus(status).phrase.encode(), len(content), content)
            )
            self.transport.write_eof()
            self._expect_head()

        def _discard(self, data: bytes) -> None:
            self._discardable -= len(data)
            if self._discardable < 0:
                self.transport.close()

        def _expect_head(self) -> None:
            if self._head_due is None:
                self._head_due = self.loop.call_later(limits.seconds, self.transport.close)

    return Guarded
