"""A server in a process of its own, and what is said to it without the cost of an HTTP library."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path


class Served:
    """A server of one model; more options of `fofe serve` may be given."""

    def __init__(self, model: Path, *options: str) -> None:
        command = [sys.executable, "-m", "fofe", "serve", "--port", "0", "--model", str(model), *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = re.search(r":(\d+)/? ", self.process.stderr.readline())
        assert found, "the server did not start"
        self.port = int(found[1])

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


def request(text: str) -> bytes:
    """The request for the mentions of a text."""
    body = json.dumps({"text": text}).encode()
    head = "POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def answer(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The head of an answer in small letters, and its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = re.search(rb"content-length: (\d+)", head)
    return head, await reader.readexactly(int(length[1]) if length else 0)


def is_right(head: bytes) -> bool:
    """Whether the request was answered as asked for."""
    return head.startswith(b"http/1.1 200")
