"""Long input: a document a line, answered a line each while the input still comes.

Lines that have arrived are tagged together, and nothing is kept of a line once it is answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from fofe.serve.answers import document_answer, encoded
from fofe.serve.guard import Limits
from fofe.serve.tagging import Tagging
from fofe.tagging.model import Model
from fofe.text.offsets import OffsetUnit

NDJSON = "application/x-ndjson"


class BadLineError(ValueError):
    """A line that is no document."""


@dataclass(frozen=True)
class Wanted:
    """What a stream asks for."""

    model: Model
    unit: OffsetUnit
    as_json: bool
    """Whether lines are JSON objects, not plain text."""


class StreamAnswer(Response):
    """An answer that is sent while the request is still read.

    A bad line is answered by an `error` and the others go on. When the body stops coming for too long, or a
    line is too long, that is the last answer.
    """

    media_type = NDJSON

    def __init__(self, wanted: Wanted, limits: Limits, tagging: Tagging) -> None:
        super().__init__(headers={"connection": "close"})  # the rest of a broken stream is not read
        del self.headers["content-length"]
        self._wanted = wanted
        self._limits = limits
        self._tagging = tagging

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for lines in _lines(receive, self._limits):
            answer = _line({"error": lines}) if isinstance(lines, str) else await self._answers(lines)
            await send({"type": "http.response.body", "body": answer, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _answers(self, lines: list[bytes]) -> bytes:
        """A line of JSON for each line."""
        read = [_read(line, self._wanted.as_json) for line in lines]
        texts = [text for text, _ in read if text is not None]
        tagged = iter(await self._tagging.tag(self._wanted.model, texts))
        return b"".join(
            _line(answer if text is None else answer | document_answer(next(tagged), self._wanted.unit))
            for text, answer in read
        )


async def _lines(receive: Receive, limits: Limits) -> AsyncIterator[list[bytes] | str]:
    """The lines that each chunk of the body completes; a string says why there are no more."""
    rest = b""
    while True:
        try:
            message = await asyncio.wait_for(receive(), limits.seconds)
        except asyncio.TimeoutError:
            yield f"nothing arrived for {limits.seconds:g} seconds"
            return
        if message["type"] == "http.disconnect":
            return
        *lines, rest = (rest + message.get("body", b"")).split(b"\n")
        if lines:
            yield lines
        if len(rest) > limits.max_bytes:
            yield f"a line of more than the {limits.max_bytes} bytes that this server takes"
            return
        if not message.get("more_body"):
            if rest:
                yield [rest]
            return


def _read(line: bytes, as_json: bool) -> tuple[str | None, dict[str, Any]]:
    """The text of a line and what its answer begins with; or None and the whole answer."""
    try:
        text = line.decode().removesuffix("\r")
        return _document(text) if as_json else (text, {})
    except (BadLineError, UnicodeDecodeError) as error:
        return None, {"error": str(error)}


def _document(line: str) -> tuple[str, dict[str, Any]]:
    try:
        value = json.loads(line)
        line.encode()
    except (ValueError, RecursionError) as error:
        raise BadLineError(f"not JSON: {error}") from None
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise BadLineError('a line is an object with "text", a string, and perhaps "id"')
    return value["text"], {"id": value["id"]} if "id" in value else {}


def _line(answer: dict[str, Any]) -> bytes:
    return encoded(answer) + b"\n"
