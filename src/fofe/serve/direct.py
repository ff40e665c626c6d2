"""JSON in, JSON out, without the layers of the framework.

Under load these layers take a quarter of the CPU time of a request that tags a sentence. FastAPI still
describes these paths, and answers requests with another method.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

Handler = Callable[[Any], Awaitable[Response]]


class Direct:
    """Answers JSON that is posted to some paths, and passes everything else on. An ASGI application.

    The guard in front of it passes a body as one message.
    """

    def __init__(self, app: ASGIApp, handlers: Mapping[str, tuple[type[BaseModel], Handler]]) -> None:
        """`handlers` has, for each path, the type of its requests and the function that answers them."""
        self._app = app
        self._handlers = handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        posted = scope["type"] == "http" and scope["method"] == "POST"
        if not posted or scope["path"] not in self._handlers:
            await self._app(scope, receive, send)
            return
        fields, handler = self._handlers[scope["path"]]
        body: bytes = (await receive())["body"]
        try:
            response = await handler(fields.model_validate(_parsed(scope, body)))
        except ValidationError as error:
            response = unprocessable(error.errors(), within="body.")
        except HTTPException as error:
            response = refused(error)
        await response(scope, receive, send)


def refused(error: HTTPException) -> JSONResponse:
    """The errors of the framework in the shape of all others; a body that cannot be decoded is 422 too."""
    status = 422 if error.status_code == 400 else error.status_code
    return JSONResponse({"error": str(error.detail)}, status_code=status, headers=error.headers)


def unprocessable(mistakes: Iterable[Mapping[str, Any]], within: str = "") -> JSONResponse:
    """A line for each mistake, without the input itself: it may be long or no valid text."""
    lines = [f"{within}{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}" for mistake in mistakes]
    return JSONResponse({"error": "; ".join(lines)}, status_code=422)


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
