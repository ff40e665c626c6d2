"""The application: what each path does."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from fastapi.security import HTTPBearer
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from fofe.base.version import __version__
from fofe.decode import STRATEGIES
from fofe.serve import schema
from fofe.serve.answers import JsonAnswer, document_answer, lattice_answer, model_answer
from fofe.serve.batcher import Batcher
from fofe.serve.direct import Direct, Operation, unprocessable
from fofe.serve.export import MEDIA_TYPES, export
from fofe.serve.guard import OPEN_FOLDER, STREAM, Guard, Limits
from fofe.serve.metrics import CONTENT_TYPE, Metrics
from fofe.serve.models import Models
from fofe.serve.stream import NDJSON, StreamAnswer, Wanted
from fofe.serve.tagging import Tagging
from fofe.show.lattice import lattices

PAGE = Path(__file__).parent / "page"

REFUSALS: dict[int | str, dict[str, Any]] = {
    408: {"model": schema.Problem, "description": "The request did not arrive in time."},
    413: {"model": schema.Problem, "description": "The request is too large."},
    422: {"model": schema.Problem, "description": "The request does not fit the schema."},
    503: {"model": schema.Problem, "description": "The request could not be answered in time."},
}
LOCKED: dict[int | str, dict[str, Any]] = {
    401: {"model": schema.Problem, "description": "The token is missing or wrong."}
}


class Server:
    """The application and what it holds."""

    def __init__(self, models: Models, limits: Limits) -> None:
        self.limits = limits
        self.models = models
        self.metrics = Metrics(waiting=lambda: self.batcher.waiting)
        self.batcher = Batcher(self.metrics.batch)
        self.tagging = Tagging(self.batcher, self.metrics)
        self.app = FastAPI(
            title="fofe",
            summary="Finds mentions in text: names and nominals, flat or nested.",
            version=__version__,
            docs_url=None,  # its page would load scripts from elsewhere
            redoc_url=None,
            lifespan=self._life,
            separate_input_output_schemas=False,
        )
        self.app.add_exception_handler(RequestValidationError, _say_what_is_wrong)
        self.app.add_exception_handler(HTTPException, _say_it_plainly)
        self._operations: dict[str, Operation] = {}
        self._add_paths()
        paths = {getattr(route, "path", "") for route in self.app.routes}
        self.guard = Guard(Direct(self.app, self._operations), limits, self.metrics, paths)

    @asynccontextmanager
    async def _life(self, _: FastAPI) -> AsyncIterator[None]:
        self.batcher.start()
        yield
        await self.batcher.stop()

    def _add_paths(self) -> None:
        requests = schema.RequestTypes(self.models)
        self._add("/health", self._health, schema.HealthAnswer, locked=False)
        self._add("/metrics", self._metrics, response_class=PlainTextResponse)
        self._add("/v1/models", self._models, schema.ModelsAnswer)
        self._add_direct("/v1/tag", self._tag, requests.tag, schema.TagAnswer)
        self._add_direct("/v1/lattice", self._lattice, requests.lattice, schema.LatticeAnswer)
        self._add_direct(
            "/v1/export",
            self._export,
            requests.export,
            response_class=Response,
            content={_bare(media_type): {} for media_type in MEDIA_TYPES.values()},
        )
        lines = {"schema": {"type": "string"}}
        self._add(
            STREAM,
            _taking(self._stream, Annotated[requests.stream, Query()], whole=True),
            response_class=Response,
            content={NDJSON: lines},
            openapi_extra={"requestBody": {"content": {"text/plain": lines, NDJSON: lines}}},
        )
        self.app.mount(OPEN_FOLDER.rstrip("/"), StaticFiles(directory=PAGE), name="page")
        self.app.add_api_route("/", _page, include_in_schema=False)

    def _add_direct(
        self,
        path: str,
        handler: Callable[[Any], Awaitable[Response]],
        fields: type[BaseModel],
        answer: type[BaseModel] | None = None,
        **options: Any,
    ) -> None:
        """Add a path to which JSON is posted."""
        self._operations[path] = Operation(fields, handler)
        self._add(path, _taking(handler, fields), answer, **options)

    def _add(
        self,
        path: str,
        handler: Callable[..., Any],
        answer: type[BaseModel] | None = None,
        *,
        locked: bool = True,
        content: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Add a path, with what OpenAPI tells of it: the handler's docstring and all answers it may give."""
        responses = dict(REFUSALS) if path.startswith("/v1/") else {}
        dependencies = []
        if locked and self.limits.token is not None:
            responses |= LOCKED
            dependencies = [Security(HTTPBearer(auto_error=False))]
        if content is not None:
            responses[200] = {"content": content}
        summary, _, description = inspect.cleandoc(handler.__doc__ or "").partition("\n\n")
        self.app.add_api_route(
            path,
            handler,
            methods=["POST" if "request" in inspect.signature(handler).parameters else "GET"],
            summary=summary,
            description=description,
            response_model=answer,
            responses=responses,
            dependencies=dependencies,
            **options,
        )

    async def _health(self) -> JSONResponse:
        """Tell whether the server lives."""
        return JSONResponse({"status": "stopping" if self.guard.stopping else "ok"})

    async def _metrics(self) -> Response:
        """Tell counts and times, for Prometheus."""
        return Response(self.metrics.text(), media_type=CONTENT_TYPE)

    async def _models(self) -> JSONResponse:
        """Tell which models are loaded."""
        known = [model_answer(name, model) for name, model in self.models.by_name.items()]
        return JSONResponse({"version": __version__, "models": known, "strategies": list(STRATEGIES)})

    async def _tag(self, request: schema.TagFields) -> JsonAnswer:
        """Find mentions in a text or in several."""
        name = self.models.name_for(request.model, request.language)
        texts = [request.text] if isinstance(request.text, str) else request.text
        tagged = await self.tagging.tag(self.models.with_options(name, request.options), texts)
        documents = [document_answer(document, request.offsets, tokens=request.tokens) for document in tagged]
        return JsonAnswer({"model": name, "offsets": request.offsets, "documents": documents})

    async def _lattice(self, request: schema.LatticeFields) -> JSONResponse:
        """Tell the scores of every fragment of a text, and what became of it."""
        name = self.models.name_for(request.model, request.language)
        model = self.models.with_options(name, request.options)
        (document,) = await self.tagging.documents(model, [request.text])

        def judge() -> list[dict[str, Any]]:
            return lattice_answer(request.text, lattices(model, document), request.offsets, request.sentence)

        sentences = await self.batcher.run(judge)
        labels = list(model.labels)
        return JSONResponse(
            {"model": name, "offsets": request.offsets, "labels": labels, "sentences": sentences}
        )

    async def _export(self, request: schema.ExportFields) -> Response:
        """Find mentions and write them in a format."""
        name = self.models.name_for(request.model, request.language)
        (document,) = await self.tagging.tag(self.models.with_options(name, request.options), [request.text])
        content = export(document, request.format).encode(errors="replace")
        return Response(content, media_type=MEDIA_TYPES[request.format])

    async def _stream(self, query: schema.StreamFields, request: Request) -> StreamAnswer:
        """Find mentions in a stream: a document a line, in and out.

        The body is plain text, a document a line; or, as `application/x-ndjson`, objects with `text` and
        perhaps `id`. Each line is answered by a line, with `mentions` or with an `error`.
        """
        name = self.models.name_for(query.model, query.language)
        as_json = request.headers.get("content-type", "").startswith(NDJSON)
        wanted = Wanted(self.models.with_options(name, query.options), query.offsets, as_json)
        return StreamAnswer(wanted, self.limits, self.tagging)


def _taking(handler: Callable[..., Any], fields: Any, *, whole: bool = False) -> Callable[..., Any]:
    """The handler with the type of its request, which is known only when the models are.

    FastAPI reads that from annotations. With `whole` the fields come from the query, and the handler takes
    the request itself besides.
    """
    if whole:

        async def take(query: Any, request: Request) -> Any:
            return await handler(query, request)

        take.__annotations__ = {"query": fields, "request": Request}
    else:

        async def take(request: Any) -> Any:  # type: ignore[misc]
            return await handler(request)

        take.__annotations__ = {"request": fields}
    take.__doc__ = handler.__doc__
    take.__name__ = handler.__name__.strip("_")
    return take


async def _page() -> FileResponse:
    return FileResponse(PAGE / "index.html")


def _bare(media_type: str) -> str:
    return media_type.partition(";")[0]


async def _say_it_plainly(_: Request, error: Exception) -> JSONResponse:
    """The errors of the framework in the shape of all others; what cannot be decoded is malformed too."""
    assert isinstance(error, HTTPException)
    status = 422 if error.status_code == 400 else error.status_code
    return JSONResponse({"error": str(error.detail)}, status_code=status, headers=error.headers)


async def _say_what_is_wrong(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return unprocessable(error.errors())
