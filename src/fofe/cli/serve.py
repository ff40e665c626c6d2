"""`fofe serve`: an HTTP API and a page."""

from __future__ import annotations

import argparse
import os
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.errors import FofeError, InputError, needs
from fofe.base.files import read_text
from fofe.cli._command import command, flag, option, repeated
from fofe.cli._io import say
from fofe.tagging.installed import DEFAULT, model_path

if TYPE_CHECKING:
    from fofe.tagging.model import Model
from fofe.cli._options import A_MODEL, RULES

NEEDED = ("anyio", "fastapi", "httptools", "prometheus_client", "pydantic", "starlette", "uvicorn")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@command(
    "serve models over HTTP, with a page to try them",
    repeated("-m --model [NAME=]MODEL", f"{A_MODEL}; and its name on this server (default: en)"),
    RULES,
    option("--host H", "address", default="127.0.0.1"),
    option("--port N", "port; 0 for any that is free", type=int, default=8000),
    repeated("--allow-host NAME", "another name that requests may be addressed to"),
    repeated(
        "--allow-origin ORIGIN", "let pages of this origin use the API, as https://example.org; * for any"
    ),
    option("--token-file FILE", "a file with the token that requests must carry"),
    option("--max-bytes N", "longest request or line of one", type=int, default=2_000_000),
    option("--timeout S", "seconds until an answer is due", type=float, default=30.0),
    flag("--access-log", "log every request to standard error"),
)
def serve(args: argparse.Namespace) -> None:
    """Serve models over HTTP: an API under /v1/ (described at /docs), a page
    to try them at /, /health, and /metrics for Prometheus. It listens on this
    machine alone unless --host says otherwise, and stops at Ctrl-C or SIGTERM
    after it has answered the requests under way.

    With FOFE_TOKEN in the environment, or --token-file, requests must carry
    "Authorization: Bearer TOKEN".

    Examples:
      fofe serve
      fofe serve --model runs/tiny/model
      fofe serve --model en --model zh --port 9000
      fofe serve --model en --rules contact orders.toml
      fofe serve --model en --allow-origin https://example.org
      fofe serve --model news=runs/news/model --host 0.0.0.0 --token-file /run/secrets/fofe
    """
    if args.max_bytes < 1 or args.timeout <= 0:
        raise FofeError("--max-bytes and --timeout are greater than 0")
    if not 0 <= args.port < 65536:
        raise FofeError("--port is at most 65535")
    for origin in args.allow_origin or ():
        if not re.fullmatch(r"\*|https?://[^/\s]+", origin):
            raise FofeError(f"--allow-origin {origin}: an origin is like https://example.org, without a path")
    token = _token(args.token_file)
    with needs("serving needs FastAPI and uvicorn", "serve", *NEEDED):
        from fofe.serve.app import Server
        from fofe.serve.guard import Limits
        from fofe.serve.run import serve
    from fofe.tagging.rules import Rules

    rules = Rules.of(*chain.from_iterable(args.rules)).rule
    models = {name: model.with_rules(*rules) for name, model in load_models(args.model or [DEFAULT]).items()}
    if token is None and args.host not in LOOPBACK:
        say(f"anyone who reaches {args.host} can use this server: set FOFE_TOKEN to keep others out")
    serve(
        Server(models, Limits(args.max_bytes, args.timeout, token, tuple(args.allow_origin or ()))),
        host=args.host,
        port=args.port,
        hosts=args.allow_host or (),
        say=lambda address: say(f"serving {', '.join(models)} at {address} (Ctrl-C stops it)"),
        access_log=args.access_log,
    )


def load_models(arguments: list[str]) -> dict[str, Model]:
    """The models by their names, from arguments like `MODEL` or `NAME=MODEL`."""
    from fofe.tagging.model import load

    models: dict[str, Model] = {}
    for argument in arguments:
        name, equals, path = argument.rpartition("=")
        if not equals:
            # `fofe train -o runs/news` writes `runs/news/model`: such a model is called news.
            resolved = Path(path).resolve()
            name = resolved.parent.name if resolved.name == "model" else resolved.name
        if not name:
            raise FofeError(f"{argument!r} gives a model no name: write NAME=PATH")
        if name in models:
            raise FofeError(f"two models are called {name!r}: write NAME=PATH to distinguish them")
        models[name] = load(model_path(path))
    return models


def _token(path: str | None) -> str | None:
    """The token from the file or the environment; arguments of a process are visible to other users."""
    if path is None:
        return os.environ.get("FOFE_TOKEN") or None
    token = read_text(path).strip()
    if not token:
        raise InputError("holds no token", path=path, remedy="write one line into it")
    return token
