"""Long input: one document per line, answered by a line each while more input arrives.

Lines that have arrived are tagged together, and a line is forgotten once it is answered.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from typing import Any

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from fofe.base.errors import InputError
from fofe.base.files import decode_utf8
from fofe.formats.json_fields import STRICT
from fofe.serve.guard import Limits
from fofe.serve.schemas import encoded

NDJSON, TEXT = "application/x-ndjson", "text/plain"
Tag = Callable[[list[str]], Awaitable[list[dict[str, Any]]]]
"""Finds the mentions of texts; one answer for each."""


class StreamAnswer(StreamingResponse):
    """An answer that is sent while the request is still read, which leaves reading to its chunks."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await self.stream_response(send)


async def answers(receive: Receive, limits: Limits, tag: Tag, *, as_json: bool) -> AsyncIterator[bytes]:
    """A line of JSON for each line of the body: JSON objects with `as_json`, else plain text.

    A bad line is answered by an `error`, and the others go on. If a line takes too long to arrive, an error
    is the last answer.
    """
    numbers = count(1)
    async for lines in _lines(receive, limits):
        if isinstance(lines, str):
            yield _line({"error": lines})
            continue
        read = [_read(line, next(numbers), limits.max_bytes, as_json) for line in lines]
        found = iter(await tag([text for text, _ in read if text is not None]))
        yield b"".join(_line(answer if text is None else {**answer, **next(found)}) for text, answer in read)


async def _lines(receive: Receive, limits: Limits) -> AsyncIterator[list[bytes] | str]:
    """The lines that each chunk of the body completes; a string is an error, and the last value.

    Of a line that is too long, its beginning comes as soon as it is known to be, and the rest is skipped.
    """
    rest, skipping = b"", False
    due = anyio.current_time() + limits.seconds
    while True:
        message = None
        with anyio.CancelScope(deadline=due):
            message = await receive()
        if message is None:
            yield f"no line arrived within {limits.seconds:g} s"
            return
        if message["type"] == "http.disconnect":
            return
        body = message.get("body", b"")
        *lines, rest = (rest + (body.partition(b"\n")[2] if skipping else body)).split(b"\n")
        skipping = skipping and b"\n" not in body
        if len(rest) > limits.max_bytes:
            lines.append(rest)
            rest, skipping = b"", True
        if lines:
            yield lines
        if b"\n" in body:
            due = anyio.current_time() + limits.seconds
        if not message.get("more_body"):
            if rest:
                yield [rest]
            return


def _read(line: bytes, number: int, most: int, as_json: bool) -> tuple[str | None, dict[str, Any]]:
    """The text of a line and the start of its answer; or None and the complete answer."""
    if len(line) > most:
        problem = f"line {number}: more than the {most} bytes that this server takes; send shorter lines"
        return None, {"error": problem}
    try:
        text = decode_utf8(line, line=number).removesuffix("\r")
    except InputError as error:
        return None, {"error": str(error)}
    if not as_json:
        return text, {}
    try:
        value = STRICT.decode(text)
    except (ValueError, RecursionError) as error:
        return None, {"error": f"not JSON: {error}"}
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return None, {"error": 'a line is an object with "text", a string, and optionally "id"'}
    return value["text"], {"id": value["id"]} if "id" in value else {}


def _line(answer: dict[str, Any]) -> bytes:
    return encoded(answer) + b"\n"
