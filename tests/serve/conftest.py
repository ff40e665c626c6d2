"""A served tiny model: in this process for most tests, in one of its own where sockets matter."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient
    from tests.conftest import Running

    from fofe.tagging.model import Model
    from fofe.tagging.rules import Rule

Serving = Callable[..., "TestClient"]


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

        def serve(rules: Sequence[Rule] = (), **limits: object) -> TestClient:
            model = tiny_model.with_rules(*rules)
            models = {"tiny": model, "careful": model.with_options(threshold=0.9999)}
            server = Server(models, Limits(**limits))  # type: ignore[arg-type]
            return stack.enter_context(TestClient(server.guard))

        yield serve


@pytest.fixture(scope="session")
def client(serving: Serving) -> TestClient:
    return serving()


@pytest.fixture(scope="session")
def address(tiny_path: Path, running: Running) -> Iterator[str]:
    """A server that allows little: a second, and 20,000 bytes."""
    with running("--model", f"tiny={tiny_path}", "--timeout", "2", "--max-bytes", "20000") as (found, _):
        yield found
