"""Too much, too slow, not allowed: each is refused, and the server lives."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient

HANGING = 3600
"""Seconds after which something counts as hanging; a slow machine takes far less."""
HEAD = b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
STREAM_HEAD = b"POST /v1/stream HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
TOO_LONG = b"more than the 20000 bytes"
WANTED = (b"Omar Haddad", b"line 2: " + TOO_LONG, b"Lima", b"line 5: " + TOO_LONG)


def chunked(part: bytes) -> bytes:
    """A part of a body in the chunked encoding."""
    return b"%x\r\n%b\r\n" % (len(part), part)


@pytest.fixture
def say(address: str) -> Callable[..., bytes]:
    """Sends bytes to the server, perhaps with pauses, and returns all that it answers until it closes."""

    def speak(*parts: bytes | float) -> bytes:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=HANGING) as connection:
            for part in parts:
                if isinstance(part, float):
                    time.sleep(part)
                else:
                    connection.sendall(part)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        return answer

    return speak


def assert_lives(say: Callable[..., bytes]) -> None:
    body = b'{"text": "Omar Haddad left."}'
    request = HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    answers = (say(request) for _ in range(100))
    too_slow = (b"HTTP/1.1 408", b"HTTP/1.1 503")  # on a busy machine
    answer = next(answer for answer in answers if not answer.startswith(too_slow))
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"Omar Haddad" in answer


def test_oversize_by_its_own_account(say: Callable[..., bytes]) -> None:
    body = json.dumps({"text": "a" * 30_000}).encode()
    answer = say(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"20000 bytes" in answer
    assert_lives(say)


def test_oversize_in_chunks(say: Callable[..., bytes]) -> None:
    chunk = b"2710\r\n" + b"a" * 10_000 + b"\r\n"
    answer = say(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", chunk * 5, b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413")
    assert_lives(say)


def test_endless_bodies_are_cut_off(say: Callable[..., bytes]) -> None:
    chunk = b"2710\r\n" + b"a" * 10_000 + b"\r\n"
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    assert say(head, chunk * 20).startswith(b"HTTP/1.1 413")  # more than it reads; no end is sent
    assert_lives(say)


def test_a_body_that_does_not_come_times_out(say: Callable[..., bytes]) -> None:
    answer = say(HEAD + b"Content-Length: 100\r\n\r\n" + b'{"text": ')
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"did not arrive within 2 s" in answer
    assert_lives(say)


def test_a_head_that_does_not_come_is_hung_up_on(say: Callable[..., bytes]) -> None:
    assert say(b"POST /v1/tag HT") == b""
    assert say(b"") == b""
    assert_lives(say)


def test_a_stream_that_stops_is_told_so(say: Callable[..., bytes]) -> None:
    answer = say(STREAM_HEAD, chunked(b"Omar Haddad left.\n"))
    assert b"Omar Haddad" in answer
    assert b"no line arrived within 2 s" in answer
    answer = say(STREAM_HEAD, chunked(b"a" * 30_000))
    assert TOO_LONG in answer
    assert b"no line arrived within 2 s" in answer
    assert_lives(say)


@pytest.mark.parametrize("at_once", [999, 19_999, 20_001, 64_000, 1_000_000])
@pytest.mark.parametrize("length", [20_001, 40_000, 700_000])
def test_a_long_line_is_refused_and_the_others_are_answered(
    length: int, at_once: int, say: Callable[..., bytes]
) -> None:
    lines = [b"Omar Haddad left.", b"a" * length, b"b" * 20_000, b"In Lima it rained.", b"c" * length]
    body = b"\n".join(lines)
    parts = [chunked(body[start : start + at_once]) for start in range(0, len(body), at_once)]
    answers = say(STREAM_HEAD, *parts, b"0\r\n\r\n")
    found = [place for one in WANTED if (place := answers.find(one)) >= 0]
    assert len(found) == len(WANTED)
    assert found == sorted(found)
    assert answers.count(TOO_LONG) == 2
    assert answers.count(b'"mentions"') == 3


def test_a_long_line_is_refused_while_it_is_sent(address: str) -> None:
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=HANGING) as connection:

        def hear(awaited: bytes) -> None:
            heard = b""
            while awaited not in heard:
                received = connection.recv(65536)
                assert received, heard
                heard += received

        connection.sendall(STREAM_HEAD + chunked(b"Omar Haddad left.\n" + b"a" * 30_000))
        hear(TOO_LONG)
        connection.sendall(chunked(b"a" * 30_000 + b"\nIn Lima it rained.\n"))
        hear(b"Lima")
        connection.sendall(b"0\r\n\r\n")


def test_nonsense_is_refused(say: Callable[..., bytes]) -> None:
    assert say(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert_lives(say)


def test_what_takes_too_long_is_given_up(serving: Callable[..., TestClient]) -> None:
    client = serving(seconds=0.3)
    response = client.post("/v1/tag", json={"text": "Omar Haddad met the mayor of Lima. " * 20_000})
    assert response.status_code in (408, 503)
    assert "within 0.3 s" in response.json()["error"]

    def lives() -> bool:
        with suppress(TimeoutError):  # on a busy machine even this takes too long
            return bool(client.get("/health").status_code == 200)
        return False

    assert any(lives() for _ in range(1000))


def test_token(serving: Callable[..., TestClient]) -> None:
    client = serving(token="sesame")
    refused = client.post("/v1/tag", json={"text": "a"})
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    for value in ("sesame", "Bearer", "Bearer sesam", "Bearer sesame ", "Basic sesame"):
        assert client.get("/v1/models", headers={"authorization": value}).status_code == 401
    assert client.get("/v1/models", headers={"authorization": "Bearer sesame"}).status_code == 200
    assert client.get("/metrics").status_code == 401
    assert client.get("/health").status_code == 200
    assert client.get("/").status_code == 200
    scheme = client.get("/openapi.json", headers={"authorization": "Bearer sesame"}).json()
    assert scheme["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
