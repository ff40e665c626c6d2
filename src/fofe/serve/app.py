"""The application: the paths of the server."""

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from fastapi.security import HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from fofe.base.errors import FofeError
from fofe.base.version import __version__
from fofe.decode import STRATEGIES
from fofe.serve import schemas
from fofe.serve.batcher import Batcher
from fofe.serve.guard import OPEN_FOLDER, OPEN_PATHS, STREAM, Guard, Handlers, Limits, error_answer, unfit
from fofe.serve.metrics import Metrics
from fofe.serve.schemas import ExportRequest, LatticeRequest, ModelRequest, StreamQuery, TagRequest
from fofe.serve.stream import NDJSON, TEXT, StreamAnswer, answers
from fofe.show.lattice import lattices
from fofe.tagging.installed import AUTO
from fofe.tagging.model import Model
from fofe.tagging.rules import SHIPPED
from fofe.text.detect import recognise
from fofe.text.document import Document
from fofe.text.tokenise import tokeniser

PAGE = Path(__file__).parent / "page"

REFUSALS = {
    408: "The request did not arrive in time.",
    413: "The request is too large.",
    421: "The request is addressed to another server.",
    422: "The request does not fit the schema.",
    431: "The head of the request is too large.",
    503: "The request could not be answered in time.",
}
LOCKED = {401: "The token is missing or wrong."}


class Server:
    """The application, its models by name, and the guard in front of it, which is what to serve.

    The first model is the default.
    """

    def __init__(self, models: Mapping[str, Model], limits: Limits) -> None:
        self.limits = limits
        self.models = models
        self._languages = sorted({model.config.language for model in models.values()})
        # Requests with the same options get the same object, so that they can be tagged together.
        self._with_options = lru_cache(256)(lambda name, **options: models[name].with_options(**options))
        self.metrics = Metrics()
        self.batcher = Batcher(self.metrics)
        self.app = FastAPI(
            title="fofe",
            summary="Finds mentions in text: names and nominals, flat or nested.",
            version=__version__,
            docs_url=None,  # its page would load scripts from elsewhere
            redoc_url=None,
            lifespan=lambda _: self.batcher,
            separate_input_output_schemas=False,
        )
        self.app.add_exception_handler(RequestValidationError, _bad_query)
        self.app.add_exception_handler(HTTPException, error_answer)
        self._add_paths()
        schemes = sorted({corpus for model in models.values() for corpus in model.config.schemes})
        choices = {"Model": list(models), "Language": [AUTO, *self._languages], "Scheme": schemes}
        schemas.list_choices(self.app.openapi(), choices)
        handlers: Handlers = {
            "/v1/tag": (TagRequest, self._tag),
            "/v1/lattice": (LatticeRequest, self._lattice),
            "/v1/export": (ExportRequest, self._export),
        }
        self.guard = Guard(self.app, handlers, limits, self.metrics)

    def _add_paths(self) -> None:
        self._add("/health", self._health, schemas.HealthAnswer)
        self._add("/metrics", self._metrics, response_class=PlainTextResponse)
        self._add("/v1/models", self._models, schemas.ModelsAnswer)
        self._add("/v1/tag", self._tag, schemas.TagAnswer)
        self._add("/v1/lattice", self._lattice, schemas.LatticeAnswer)
        exports: Any = {kind.partition(";")[0]: {} for kind in schemas.MEDIA_TYPES.values()}
        self._add("/v1/export", self._export, response_class=Response, content=exports)
        lines = {"schema": {"type": "string"}}
        body = {"requestBody": {"content": {TEXT: lines, NDJSON: lines}}}
        self._add(STREAM, self._stream, response_class=Response, content={NDJSON: lines}, openapi_extra=body)
        self.app.mount(OPEN_FOLDER.rstrip("/"), StaticFiles(directory=PAGE), name="page")
        self.app.add_api_route("/", _page, include_in_schema=False)
        self.app.add_api_route("/docs", _docs, include_in_schema=False)

    def _add(
        self, path: str, handler: Callable[..., Any], answer: Any = None, content: Any = None, **options: Any
    ) -> None:
        """Add a path. OpenAPI describes it by the docstring of its handler and the answers it may give."""
        refusals = dict(REFUSALS) if path.startswith("/v1/") else {}
        dependencies = []
        if path not in OPEN_PATHS and self.limits.token is not None:
            refusals |= LOCKED
            dependencies = [Security(HTTPBearer(auto_error=False))]
        responses: dict[int | str, dict[str, Any]] = {
            status: {"model": schemas.Problem, "description": meaning} for status, meaning in refusals.items()
        }
        if content is not None:
            responses[200] = {"content": content}
        summary, _, description = inspect.cleandoc(handler.__doc__ or "").partition("\n\n")
        self.app.add_api_route(
            path,
            handler,
            name=handler.__name__.strip("_"),
            methods=["POST" if "request" in inspect.signature(handler).parameters else "GET"],
            summary=summary,
            description=description,
            response_model=answer,
            responses=responses,
            dependencies=dependencies,
            **options,
        )

    def _chosen(self, request: ModelRequest, text: str) -> tuple[str, Model]:
        """The name of the model that a request asks for, and the model with its options."""
        recognised = request.language == AUTO
        language = recognise(text) if recognised else request.language
        try:
            name = self.name_for(request.model, language, recognised=recognised)
            # A name of rules may be that of a file: a client must not name one.
            if unknown := [one for one in request.sets if one not in SHIPPED]:
                raise FofeError(f"rules: there is no set {unknown[0]!r} (choose from {', '.join(SHIPPED)})")
            rules = (*self.models[name].rules, *dict.fromkeys(request.sets))
            return name, self._with_options(name, rules=rules, **request.options)
        except FofeError as error:
            raise HTTPException(422, str(error)) from None

    def name_for(self, name: str | None, language: str | None, *, recognised: bool = False) -> str:
        """The name of a model, chosen by its name or else by its language."""
        if name is not None:
            if name not in self.models:
                raise FofeError(f"model: there is no {name!r} here (choose from {', '.join(self.models)})")
            return name
        for known, model in self.models.items():
            if language in (None, model.config.language):
                return known
        languages = ", ".join(self._languages)
        if recognised:
            raise FofeError(f"language: the text looks like {language!r}, the models are for {languages}")
        raise FofeError(f"language: no model for {language!r} (choose from {AUTO}, {languages})")

    def _problem(self, request: ModelRequest, text: str) -> str:
        """Why there is no model for a text, or nothing."""
        try:
            self._chosen(request, text)
        except HTTPException as error:
            return str(error.detail)
        return ""

    async def _tagged(
        self, request: ModelRequest, texts: list[str], *, tokens: bool = False
    ) -> list[tuple[str, Document]]:
        """The texts with their mentions, each after the name of its model; with `tokens` if asked for."""
        if request.language == AUTO:
            chosen = [self._chosen(request, text) for text in texts]
        else:
            chosen = [self._chosen(request, "")] * len(texts)
        found = {}
        for name, model in dict.fromkeys(chosen):
            theirs = [text for text, (other, _) in zip(texts, chosen, strict=True) if other == name]
            found[name] = iter(await self.batcher.tag(model, theirs, tokens=tokens))
        return [(name, next(found[name])) for name, _ in chosen]

    async def _health(self) -> JSONResponse:
        """Return whether the server is alive."""
        return JSONResponse({"status": "stopping" if self.guard.stopping else "ok"})

    async def _metrics(self) -> Response:
        """Return counts and times, for Prometheus."""
        return Response(self.metrics.text(), media_type=CONTENT_TYPE_LATEST)

    async def _models(self) -> JSONResponse:
        """List the loaded models."""
        known = [schemas.model_answer(name, model) for name, model in self.models.items()]
        return JSONResponse({"version": __version__, "models": known, "strategies": list(STRATEGIES)})

    async def _tag(self, request: TagRequest) -> Response:
        """Find mentions in a text or in several."""
        texts = [request.text] if isinstance(request.text, str) else request.text
        first, _ = self._chosen(request, texts[0] if texts else "")
        documents = (
            ({} if name == first else {"model": name})
            | schemas.document_answer(document, request.offsets, tokens=request.tokens)
            for name, document in await self._tagged(request, texts, tokens=request.tokens)
        )
        answer = {"model": first, "offsets": request.offsets, "documents": documents}
        return Response(schemas.encoded(answer), media_type="application/json")

    async def _lattice(self, request: LatticeRequest) -> Response:
        """Return the scores of every fragment of a text, and its outcome."""
        name, model = self._chosen(request, request.text)
        document = tokeniser(model.config.language).document(request.text)
        sentences = await self.batcher.run(lambda: schemas.lattice_answer(request, lattices(model, document)))
        answer = {"model": name, "offsets": request.offsets, "labels": list(model.labels)}
        return JSONResponse({**answer, "sentences": sentences})

    async def _export(self, request: ExportRequest) -> Response:
        """Find mentions and write them in a format."""
        ((_, document),) = await self._tagged(request, [request.text])
        content = schemas.exported(document, request.format).encode(errors="replace")
        return Response(content, media_type=schemas.MEDIA_TYPES[request.format])

    async def _stream(self, query: Annotated[StreamQuery, Query()], request: Request) -> Response:
        """Find mentions in a stream: one document per line, in and out.

        The body is plain text, one document per line; or, as `application/x-ndjson`, objects with `text` and
        optionally `id`. Each line is answered by a line, with `mentions` or with an `error`.
        """
        self._chosen(query, "")  # an error now, not in every line
        kind = request.headers.get("content-type", TEXT).partition(";")[0].strip().lower()
        if kind not in (TEXT, NDJSON):
            raise HTTPException(422, f"body: send lines, with Content-Type: {TEXT} or {NDJSON}")
        as_json = kind == NDJSON

        async def tag(texts: list[str]) -> list[dict[str, Any]]:
            known = [self._problem(query, text) for text in texts]
            tagged = iter(
                await self._tagged(query, [text for text, bad in zip(texts, known, strict=True) if not bad])
            )
            return [
                {"error": bad} if bad else schemas.document_answer(next(tagged)[1], query.offsets)
                for bad in known
            ]

        lines = answers(request.receive, self.limits, tag, as_json=as_json)
        closing = {"connection": "close"}  # the rest of a broken stream is not read
        return StreamAnswer(lines, headers=closing, media_type=NDJSON)


async def _bad_query(_: object, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return unfit(StreamQuery, [{**one, "loc": one["loc"][1:]} for one in error.errors()])


async def _page() -> FileResponse:
    return FileResponse(PAGE / "index.html")


async def _docs() -> FileResponse:
    return FileResponse(PAGE / "docs.html")
