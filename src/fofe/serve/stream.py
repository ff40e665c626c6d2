"""Long input: one document per line, answered by a line each while more input arrives.

Lines that have arrived are tagged together, and a line is forgotten once it is answered.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from fofe.serve.answers import document_answer, encoded
from fofe.serve.batcher import Batcher
from fofe.serve.guard import Limits
from fofe.tagging.model import Model
from fofe.text.offsets import OffsetUnit

NDJSON = "application/x-ndjson"


class StreamAnswer(Response):
    """An answer that is sent while the request is still read.

    A bad line is answered by an `error`, and the others go on. If the body stops for too long, or if a line
    is too long, an error is the last answer.
    """

    media_type = NDJSON

    def __init__(
        self, batcher: Batcher, limits: Limits, model: Model, unit: OffsetUnit, *, as_json: bool
    ) -> None:
        """With `as_json`, the lines are JSON objects, else plain text."""
        super().__init__(headers={"connection": "close"})  # the rest of a broken stream is not read
        del self.headers["content-length"]
        self._batcher = batcher
        self._limits = limits
        self._model = model
        self._unit = unit
        self._as_json = as_json

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for lines in _lines(receive, self._limits):
            answer = _line({"error": lines}) if isinstance(lines, str) else await self._answers(lines)
            await send({"type": "http.response.body", "body": answer, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _answers(self, lines: list[bytes]) -> bytes:
        """A line of JSON for each line."""
        read = [_read(line, self._as_json) for line in lines]
        texts = [text for text, _ in read if text is not None]
        tagged = iter(await self._batcher.tag(self._model, texts))
        return b"".join(
            _line(answer if text is None else {**answer, **document_answer(next(tagged), self._unit)})
            for text, answer in read
        )


async def _lines(receive: Receive, limits: Limits) -> AsyncIterator[list[bytes] | str]:
    """The lines that each chunk of the body completes; a string is an error, and the last value."""
    rest = b""
    while True:
        message = None
        with anyio.move_on_after(limits.seconds):
            message = await receive()
        if message is None:
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
    """The text of a line and the start of its answer; or None and the complete answer."""
    try:
        text = line.decode().removesuffix("\r")
        return _document(text) if as_json else (text, {})
    except ValueError as error:
        return None, {"error": str(error)}


def _document(line: str) -> tuple[str, dict[str, Any]]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise ValueError('a line is an object with "text", a string, and optionally "id"')
    return value["text"], {"id": value["id"]} if "id" in value else {}


def _line(answer: dict[str, Any]) -> bytes:
    return encoded(answer) + b"\n"
