"""A served tiny model: in this process for most tests, in one of its own where sockets and signals matter."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from fofe.tagging.model import Model

Serving = Callable[..., "TestClient"]
Running = Callable[..., AbstractContextManager[tuple[str, "subprocess.Popen[str]"]]]


@pytest.fixture(scope="session")
def serving(tiny_model: Model) -> Iterator[Serving]:
    """Makes clients of servers with given limits."""
    pytest.importorskip("fastapi", reason="serving needs fofe[serve]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some versions would rather have another HTTP client installed
        from starlette.testclient import TestClient

    from fofe.serve.app import Server
    from fofe.serve.guard import Limits

    with ExitStack() as stack:

        def serve(**limits: object) -> TestClient:
            models = {"tiny": tiny_model, "careful": tiny_model.with_options(threshold=0.9999)}
            server = Server(models, Limits(**limits))  # type: ignore[arg-type]
            return stack.enter_context(TestClient(server.guard))

        yield serve


@pytest.fixture(scope="session")
def client(serving: Serving) -> TestClient:
    return serving()


@contextmanager
def _running(*arguments: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address and the process of `fofe serve`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fofe", "serve", "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert " at http" in line, line + process.stderr.read()
        yield line.split(" at ")[1].split()[0], process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture(scope="session")
def running() -> Running:
    """Starts `fofe serve` with some arguments."""
    pytest.importorskip("fastapi", reason="serving needs fofe[serve]")
    return _running


@pytest.fixture(scope="session")
def address(tiny_path: Path, running: Running) -> Iterator[str]:
    """A server that allows little: a second, and 20,000 bytes."""
    with running("--model", f"tiny={tiny_path}", "--timeout", "2", "--max-bytes", "20000") as (found, _):
        yield found
