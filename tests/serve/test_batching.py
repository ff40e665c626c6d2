"""Requests are tagged together, and none is lost."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from fofe.text.document import Document

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from fofe.tagging.model import Model

HANGING = 3600
"""Seconds after which something counts as hanging; a slow machine takes far less."""
NAMES = ["Omar Haddad", "Anna Berg", "Li Wei", "Grace Otieno", "Jan Novak"]


def test_what_arrives_together_is_tagged_together(tiny_model: Model) -> None:
    pytest.importorskip("fastapi", reason="serving needs fofe[serve]")
    from fofe.serve.batcher import Batcher
    from fofe.serve.metrics import Metrics
    from fofe.text.tokenise import tokeniser

    batches: list[int] = []
    other = tiny_model.with_options(threshold=0.9999)

    async def serve() -> list[list[str]]:
        metrics = Metrics()
        metrics.batch = lambda requests, tokens: batches.append(requests)  # type: ignore[method-assign]
        batcher = Batcher(metrics)
        cut = tokeniser("en").document
        work = [
            batcher.tag_documents(
                other if number % 3 == 0 else tiny_model, [cut(f"{name} left."), cut("It rained.")]
            )
            for number, name in enumerate(NAMES)
        ]
        async with batcher:
            found = await asyncio.gather(*work)
        return [[document.text for document in documents] for documents in found]

    assert asyncio.run(serve()) == [[f"{name} left.", "It rained."] for name in NAMES]
    assert sum(batches) == len(NAMES)
    assert len(batches) <= 2


def test_nothing_of_a_text_is_kept_once_it_is_answered(tiny_model: Model) -> None:
    pytest.importorskip("fastapi", reason="serving needs fofe[serve]")
    from fofe.serve.batcher import Batcher
    from fofe.serve.metrics import Metrics

    def kept() -> list[Document]:
        gc.collect()
        return [one for one in gc.get_objects() if type(one) is Document and "Quillfeather" in one.text]

    async def serve() -> tuple[int, int]:
        async with (batcher := Batcher(Metrics())):
            found = await batcher.tag(tiny_model, ["Ada Quillfeather left. " * 500])
            while_used = len(kept())
            del found
            await asyncio.sleep(0.1)
            return while_used, len(kept())

    while_used, afterwards = asyncio.run(serve())
    assert while_used > 0
    assert afterwards == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_long_text_does_not_take_much_memory(tiny_path: Path, running: Callable[..., Any]) -> None:
    """Its tokens, all at once, would take 20 MB."""
    with running("--model", str(tiny_path), "--timeout", str(HANGING)) as (address, process):

        def peak_after(text: str) -> float:
            answer = httpx.post(f"{address}v1/tag", json={"text": text}, timeout=HANGING)
            assert answer.status_code == 200
            status = Path(f"/proc/{process.pid}/status").read_text()
            return int(status.split("VmHWM:")[1].split()[0]) / 1024

        settled = peak_after("Omar Haddad left for Lima. " * 2000)
        assert peak_after("It rained here. " * 30_000) < settled + 10


def test_answers_do_not_get_mixed_up(client: TestClient) -> None:
    wrong: list[str] = []

    def ask(name: str) -> None:
        for _ in range(10):
            answer = client.post("/v1/tag", json={"text": f"{name} left."}).json()
            if answer["documents"][0]["mentions"][0]["text"] != name:
                wrong.append(name)

    threads = [threading.Thread(target=ask, args=(name,)) for name in NAMES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_no_request_is_lost_when_it_stops(
    tiny_path: Path, ending: signal.Signals, running: Callable[..., Any]
) -> None:
    """Clients ask one request after another over connections they keep; a signal comes in between.

    Every request that was sent is answered; a client may only find that nobody listens any more.
    """
    with running("--model", str(tiny_path)) as (address, process):
        answered, lost = _ask_until_refused(address, 8, lambda: process.send_signal(ending))
        assert process.wait(timeout=HANGING) == 0
    assert answered >= 8
    assert lost == []


def _ask_until_refused(address: str, clients: int, stop: Callable[[], None]) -> tuple[int, list[str]]:
    answered, lost = [0] * clients, []

    def ask(number: int) -> None:
        with httpx.Client(base_url=address, timeout=HANGING) as client:
            while True:
                try:
                    response = client.post("/v1/tag", json={"text": "Omar Haddad left for Lima. " * 20})
                except httpx.ConnectError:
                    return
                except httpx.HTTPError as error:
                    lost.append(repr(error))
                    return
                if response.status_code == 200:
                    answered[number] += 1
                else:
                    lost.append(str(response.status_code))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + HANGING
    while not all(answered) and time.monotonic() < until:
        time.sleep(0.05)
    stop()
    for thread in threads:
        thread.join(timeout=HANGING)
        assert not thread.is_alive()
    return sum(answered), lost
