"""JSON in, JSON out, without the layers of the framework: those cost as much as tagging a sentence.

FastAPI still describes these paths, and answers who asks for them by another method.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send


@dataclass(frozen=True)
class Operation:
    """What a path takes, and what answers it."""

    fields: type[BaseModel]
    answer: Callable[[Any], Awaitable[Response]]


class Direct:
    """Answers what is posted to some paths, and hands everything else on; calls are those of ASGI.

    It stands behind the guard, from which a body comes in one piece.
    """

    def __init__(self, app: ASGIApp, operations: Mapping[str, Operation]) -> None:
        self._app = app
        self._operations = operations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        posted = scope["type"] == "http" and scope["method"] == "POST"
        operation = self._operations.get(scope["path"]) if posted else None
        if operation is None:
            await self._app(scope, receive, send)
            return
        body: bytes = (await receive())["body"]
        try:
            request = operation.fields.model_validate(_parsed(scope, body))
        except ValidationError as error:
            response: Response = unprocessable(map(_in_body, error.errors()))
        except _NotJsonError as error:
            response = unprocessable([{"loc": ("body",), "msg": str(error)}])
        else:
            response = await operation.answer(request)
        await response(scope, receive, send)


def unprocessable(mistakes: Iterable[Mapping[str, Any]]) -> JSONResponse:
    """A line for each mistake; the input itself is not repeated, it may be long or no valid text."""
    lines = [f"{'.'.join(str(part) for part in mistake['loc'])}: {mistake['msg']}" for mistake in mistakes]
    return JSONResponse({"error": "; ".join(lines)}, status_code=422)


def _in_body(mistake: Mapping[str, Any]) -> dict[str, Any]:
    return {"loc": ("body", *mistake["loc"]), "msg": mistake["msg"]}


class _NotJsonError(ValueError):
    """A body that is no JSON, or does not say that it is."""


def _parsed(scope: Scope, body: bytes) -> Any:
    """What stands in a body. It must be called JSON, which no foreign page can send without being asked."""
    content_type: bytes = dict(scope["headers"]).get(b"content-type", b"")
    family, _, kind = content_type.partition(b";")[0].strip().lower().partition(b"/")
    if family != b"application" or not (kind == b"json" or kind.endswith(b"+json")):
        raise _NotJsonError("send JSON, with Content-Type: application/json")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _NotJsonError(f"not JSON: {error}") from None
