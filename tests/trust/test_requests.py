"""Requests that are wrong, too large, too slow or not allowed: each is refused, and the server lives."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from subprocess import Popen

    from tests.conftest import Running

Ask = Callable[..., int]

HANGING = 3600
"""Seconds after which something counts as hanging; a slow machine takes far less."""
TOKEN = "sesame"
START = b"POST /v1/tag HTTP/1.1\r\n"
FIELDS = b"Host: localhost\r\nAuthorization: Bearer sesame\r\nContent-Type: application/json\r\n"
BODY = b'{"text": "Omar Haddad left."}'
GOOD = START + FIELDS + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


def with_fields(fields: bytes, body: bytes = b"") -> bytes:
    return START + FIELDS + fields + b"\r\n" + body


def sized(body: bytes) -> bytes:
    return with_fields(b"Content-Length: %d\r\n" % len(body), body)


def chunked(body: bytes) -> bytes:
    return with_fields(b"Transfer-Encoding: chunked\r\n", body)


MALFORMED = {
    "nothing": (b"", 0),
    "half a line": (b"POST /v1/ta", 0),
    "half a head": (START + FIELDS, 0),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32), 400),
    "zeros": (bytes(1000), 400),
    "all bytes": (bytes(range(256)), 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "HTTP/0.9": (b"GET /\r\n\r\n", 400),
    "HTTP/9.9": (GOOD.replace(b"HTTP/1.1", b"HTTP/9.9"), 400),
    "no version": (GOOD.replace(b" HTTP/1.1", b""), 400),
    "another protocol": (GOOD.replace(b"HTTP/1.1", b"ICE/1.1"), 400),
    "unknown method": (GOOD.replace(b"POST", b"BREW"), 400),
    "small method": (GOOD.replace(b"POST", b"post"), 400),
    "wrong method": (GOOD.replace(b"POST", b"DELETE"), 405),
    "CONNECT": (GOOD.replace(b"POST /v1/tag", b"CONNECT localhost:22"), 400),
    "asterisk": (GOOD.replace(b"POST /v1/tag", b"OPTIONS *"), 404),
    "no path": (GOOD.replace(b"/v1/tag ", b""), 400),
    "path without slash": (GOOD.replace(b"/v1/tag", b"v1/tag"), 400),
    "path of bytes": (GOOD.replace(b"/v1/tag", b"/v1/t\xe4g"), 400),
    "path that climbs": (GOOD.replace(b"POST /v1/tag", b"GET /page/../guard.py"), 404),
    "path that climbs in escapes": (GOOD.replace(b"POST /v1/tag", b"GET /page/%2e%2e%2fguard.py"), 404),
    "path with NUL": (GOOD.replace(b"POST /v1/tag", b"GET /page/%00"), 404),
    "long path": (GOOD.replace(b"/v1/tag", b"/" + b"a" * 70_000), 431),
    "no host": (GOOD.replace(b"Host: localhost\r\n", b""), 400),
    "two hosts": (GOOD.replace(b"Host:", b"Host: localhost\r\nHost:"), 400),
    "no colon": (with_fields(b"Nothing\r\n"), 400),
    "no name": (with_fields(b": nothing\r\n"), 400),
    "space before colon": (with_fields(b"Name : value\r\n"), 400),
    "NUL in value": (with_fields(b"Name: a\x00b\r\n"), 400),
    "bare CR": (with_fields(b"Name: a\rb\r\n"), 400),
    "folded line": (with_fields(b"Name: a\r\n b\r\n"), 400),
    "long header": (with_fields(b"Name: " + b"a" * 70_000 + b"\r\n"), 431),
    "header without end": (START + b"Name: " + b"a" * 70_000, 431),
    "many headers": (with_fields(b"A: b\r\n" * 101), 431),
    "length of minus one": (with_fields(b"Content-Length: -1\r\n"), 400),
    "length in words": (with_fields(b"Content-Length: five\r\n"), 400),
    "length past 64 bits": (with_fields(b"Content-Length: 18446744073709551616\r\n"), 400),
    "length of 63 bits": (with_fields(b"Content-Length: 9223372036854775807\r\n", b"{}"), 413),
    "length of many digits": (with_fields(b"Content-Length: " + b"0" * 5000 + b"2\r\n", b"{}"), 422),
    "two lengths": (with_fields(b"Content-Length: 2\r\nContent-Length: 3\r\n", b"{} "), 400),
    "length and chunks": (
        with_fields(b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
        400,
    ),
    "chunks of chunks": (with_fields(b"Transfer-Encoding: chunked, chunked\r\n", b"0\r\n\r\n"), 400),
    "unknown encoding": (with_fields(b"Transfer-Encoding: gzip\r\n", b"{}"), 400),
    "chunk without size": (chunked(b"\r\n{}\r\n"), 400),
    "chunk of minus one": (chunked(b"-1\r\n{}\r\n"), 400),
    "chunk past 64 bits": (chunked(b"fffffffffffffffff\r\n{}"), 400),
    "chunk longer than it says": (chunked(b"2\r\n{}}}\r\n0\r\n\r\n"), 400),
    "chunk with a long extension": (chunked(b"2;" + b"a" * 800_000), 431),
    "many trailers": (chunked(b"2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 101), 431),
    "empty body": (sized(b""), 422),
    "short body": (with_fields(b"Content-Length: 100\r\n", b"{"), 408),
    "body in gzip": (sized(b"\x1f\x8b\x08\x00" + bytes(20)), 422),
    "text that is no UTF-8": (sized(b'{"text": "\xff"}'), 422),
    "deep JSON": (sized(b'{"text": ' + b"[" * 15_000), 422),
    "long number": (sized(b'{"threshold": ' + b"9" * 10_000 + b"}"), 422),
    "infinite number": (sized(b'{"text": "a", "threshold": 1e999}'), 422),
    "odd forwarded address": (GOOD.replace(b"Host:", b"X-Forwarded-For: ,,\xff, [::\r\nHost:"), 200),
    "odd query": (GOOD.replace(b"/v1/tag", b"/v1/tag?%ff=%&&=[%00"), 200),
}
"""What is sent, and the status of the answer; 0 if the server hangs up without one."""


@pytest.fixture(scope="module")
def server(tiny_path: Path, running: Running) -> Iterator[tuple[str, Popen[str]]]:
    """A server that allows little: two seconds, and 20,000 bytes."""
    limits = ("--timeout", "2", "--max-bytes", "20000", "--allow-host", "Models.example")
    with running("--model", str(tiny_path), *limits, FOFE_TOKEN=TOKEN) as found:
        yield found


@pytest.fixture
def connect(server: tuple[str, Popen[str]]) -> Callable[[], socket.socket]:
    place = urlsplit(server[0])
    return lambda: socket.create_connection((str(place.hostname), place.port or 0), timeout=HANGING)


@pytest.fixture
def ask(connect: Callable[[], socket.socket]) -> Iterator[Ask]:
    """Sends a request and returns the status that answers it; the server must live afterwards."""

    def status(request: bytes) -> int:
        with connect() as connection:
            with suppress(ConnectionError):  # it need not read everything
                connection.sendall(request)
            return answered(connection)

    yield status
    assert any(status(GOOD) == 200 for _ in range(100))  # a busy machine may need several attempts


def answered(connection: socket.socket) -> int:
    """The status of the next answer, 0 if there is none."""
    head = b""
    with suppress(ConnectionError):
        while b"\r\n\r\n" not in head and (more := connection.recv(1)):
            head += more
    return int(head.split()[1]) if head else 0


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_malformed_is_refused(name: str, ask: Ask) -> None:
    request, status = MALFORMED[name]
    assert ask(request) == status


def test_a_large_head_takes_no_memory(
    server: tuple[str, Popen[str]], connect: Callable[[], socket.socket], ask: Ask
) -> None:
    """Five million headers, a header of 128 MB, as many trailers, and requests ahead of their answers."""
    assert ask(GOOD) in (200, 408, 503)
    before = peak(server[1])
    ahead = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for start, piece, times in (
        (START, b"A: b\r\n" * 10_000, 500),
        (START + b"A: ", b"a" * 1_000_000, 128),
        (chunked(b"0\r\n"), b"A: b\r\n" * 10_000, 500),
        (chunked(b"0\r\nA: "), b"a" * 1_000_000, 128),
        (b"", ahead * 10_000, 100),
    ):
        with connect() as connection, suppress(ConnectionError):
            connection.sendall(start)
            for _ in range(times):
                connection.sendall(piece)
    assert peak(server[1]) - before < 32 << 20


def peak(process: Popen[str]) -> int:
    """The most memory that a process has had, in bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    return int(status.split("VmHWM:")[1].split()[0]) << 10


def test_requests_before_a_broken_one_are_answered(connect: Callable[[], socket.socket]) -> None:
    page = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect() as connection:
        connection.sendall(page * 3 + b"nonsense\r\n\r\n")
        answers = b""
        with suppress(ConnectionError):
            while more := connection.recv(65536):
                answers += more
    assert answers.count(b"HTTP/1.1 200 OK") == 3


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        (b"", 401),
        (b"Authorization:\r\n", 401),
        (b"Authorization: Bearer\r\n", 401),
        (b"Authorization: Bearer \r\n", 401),
        (b"Authorization: sesame\r\n", 401),
        (b"Authorization: Bearer sesam\r\n", 401),
        (b"Authorization: Bearer sesame1\r\n", 401),
        (b"Authorization: Bearer Sesame\r\n", 401),
        (b"Authorization: Bearer  sesame\r\n", 401),
        (b"Authorization: Bearer sesame,\r\n", 401),
        (b"Authorization: Bearer sesame, Bearer sesame\r\n", 401),
        (b"Authorization: Bearer sesam\xc3\xa9\r\n", 401),
        (b"Authorization: Bearer ses\xff\r\n", 401),
        (b"Authorization: Bearer " + b"sesame" * 10_000 + b"\r\n", 401),
        (b"Authorization: Basic sesame\r\n", 401),
        (b"Authorization: Basic OnNlc2FtZQ==\r\n", 401),
        (b"Authorization: Bearer wrong\r\nAuthorization: Bearer sesame\r\n", 401),
        (b"Authorization: Bearer sesame\r\nAuthorization: Bearer wrong\r\n", 401),
        (b"Proxy-Authorization: Bearer sesame\r\n", 401),
        (b"X-Authorization: Bearer sesame\r\n", 401),
        (b"Cookie: token=sesame\r\n", 401),
        (b"Authorization: Bearer sesame\r\n", 200),
        (b"AUTHORIZATION: Bearer sesame\r\n", 200),
    ],
)
def test_tokens(fields: bytes, status: int, ask: Ask) -> None:
    assert ask(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n") == status


@pytest.mark.parametrize(
    "path",
    [
        b"/v1/models?token=sesame",
        b"/v1/models?authorization=Bearer%20sesame",
        b"//v1/models",
        b"/page/../v1/models",
        b"/page/%2e%2e/v1/models",
        b"/%76%31/models",
        b"http://localhost/v1/models",
        b"/metrics",
        b"/openapi.json",
    ],
)
def test_no_path_gets_around_the_token(path: bytes, ask: Ask) -> None:
    assert ask(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path) in (401, 404)


@pytest.mark.parametrize("length", [b"Content-Length: 20000\r\n", b"Transfer-Encoding: chunked\r\n"])
@pytest.mark.parametrize("path", [b"/v1/tag", b"/v1/stream"])
def test_a_refusal_does_not_wait_for_the_body(
    path: bytes, length: bytes, tiny_path: Path, patient: str
) -> None:
    place = urlsplit(patient)
    with socket.create_connection((str(place.hostname), place.port or 0), timeout=60) as connection:
        connection.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n" % (path, length))
        assert answered(connection) == 401


@pytest.fixture(scope="module")
def patient(tiny_path: Path, running: Running) -> Iterator[str]:
    """A server that would wait for long."""
    with running("--model", str(tiny_path), "--timeout", str(HANGING), FOFE_TOKEN=TOKEN) as (address, _):
        yield address


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"localhost", 200),
        (b"LocalHost:80", 200),
        (b"localhost.:8000", 200),
        (b"127.0.0.1", 200),
        (b"127.0.0.1:8000", 200),
        (b"127.1.2.3", 200),
        (b"[::1]", 200),
        (b"[::1]:8000", 200),
        (b"models.example", 200),
        (b"MODELS.example:443", 200),
        (b"", 421),
        (b":8000", 421),
        (b"evil.example", 421),
        (b"localhost.evil.example", 421),
        (b"127.0.0.1.evil.example:8000", 421),
        (b"localhost@evil.example", 421),
        (b"evil.example:8000@localhost", 421),
        (b"evil.example, localhost", 421),
        (b"xlocalhost", 421),
        (b"0.0.0.0", 421),
        (b"192.168.1.1", 421),
        (b"[::2]:8000", 421),
        (b"models.example.evil", 421),
        (b"\xff", 421),
    ],
)
def test_names_that_a_loopback_server_answers_to(host: bytes, status: int, ask: Ask) -> None:
    assert ask(b"GET /health HTTP/1.1\r\nHost: %s\r\n\r\n" % host) == status


def test_a_program_without_a_host_is_no_browser(ask: Ask) -> None:
    assert ask(b"GET /health HTTP/1.0\r\n\r\n") == 200


def test_a_trickled_stream_ends(connect: Callable[[], socket.socket]) -> None:
    with connect() as connection:
        head = b"POST /v1/stream HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
        connection.sendall(head + FIELDS.replace(b"application/json", b"text/plain") + b"\r\n")
        connection.sendall(b"12\r\nOmar Haddad left.\n\r\n")
        with suppress(ConnectionError):
            for _ in range(80):  # ten times as long as it may take
                connection.sendall(b"1\r\na\r\n")
                time.sleep(0.25)
            pytest.fail("the server takes a line a byte at a time")
