"""Tagging for many requests at once: what arrives while a batch is tagged forms the next one.

So nobody waits for company when the server is idle, and under load the cost for a token is that of batches. A
single thread tags, which leaves the event loop free for other requests. A request hands in its documents in
parts of limited size, one after another, so that a long one does not hold up the others; but a document stays
whole where the model sees more of it than a sentence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

from fofe.tagging.model import TOKENS_AT_ONCE, Model
from fofe.text.document import Document, Sentence

Result = TypeVar("Result")


@dataclass
class _Work:
    """Documents that one request wants tagged."""

    model: Model
    documents: list[Document]
    tokens: int
    done: asyncio.Future[list[Document]]


class Batcher:
    """Collects documents from all requests and tags them together in a thread."""

    def __init__(self, on_batch: Callable[[int, int], None]) -> None:
        self._queue: asyncio.Queue[_Work] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fofe-tag")
        self._on_batch = on_batch
        self._loop: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """How many requests wait for a batch."""
        return self._queue.qsize()

    def start(self) -> None:
        self._loop = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """End when nothing is under way any more."""
        await self._queue.join()
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
        self._thread.shutdown()

    async def tag(self, model: Model, documents: Sequence[Document]) -> list[Document]:
        """The documents with their mentions; they must have sentences."""
        tokens = sum(len(sentence) for document in documents for sentence in document.sentences)
        done: asyncio.Future[list[Document]] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Work(model, list(documents), tokens, done))
        return await done

    async def run(self, function: Callable[[], Result]) -> Result:
        """Run something else in the thread that tags."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = [await self._queue.get()]
            tokens = batch[0].tokens
            while tokens < TOKENS_AT_ONCE and not self._queue.empty():
                batch.append(self._queue.get_nowait())
                tokens += batch[-1].tokens
            # Whoever has given up, because of a time limit, needs no answer.
            wanted = [work for work in batch if not work.done.done()]
            self._on_batch(len(wanted), sum(work.tokens for work in wanted))
            try:
                results = await loop.run_in_executor(self._thread, _tag, wanted)
            except Exception as error:
                results = [error] * len(wanted)
            for work, result in zip(wanted, results, strict=True):
                _settle(work.done, result)
            for _ in batch:
                self._queue.task_done()


def _settle(future: asyncio.Future[list[Document]], result: list[Document] | Exception) -> None:
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)


def _tag(batch: Sequence[_Work]) -> list[list[Document] | Exception]:
    """The tagged documents of each piece of work; those for the same model are tagged as one stream."""
    documents: dict[int, list[Document]] = {}
    for work in batch:
        documents.setdefault(id(work.model), []).extend(work.documents)
    models = {id(work.model): work.model for work in batch}
    tagged = {key: model.tag_documents(documents[key]) for key, model in models.items()}
    return [[next(tagged[id(work.model)]) for _ in work.documents] for work in batch]


def parts(model: Model, documents: Sequence[Document]) -> Iterator[list[tuple[int, Document]]]:
    """The documents in lists of about the size of a batch, each with its number.

    A long document is cut between sentences, unless what is found in one depends on others.
    """
    part: list[tuple[int, Document]] = []
    tokens = 0
    for number, document in enumerate(documents):
        for piece in [document] if model.sees_documents else _pieces(document):
            part.append((number, piece))
            tokens += 1 + sum(map(len, piece.sentences))
            if tokens >= TOKENS_AT_ONCE:
                yield part
                part, tokens = [], 0
    if part:
        yield part


def _pieces(document: Document) -> Iterator[Document]:
    """The document with some of its sentences at a time."""
    sentences: list[Sentence] = []
    tokens = 0
    for sentence in document.sentences:
        sentences.append(sentence)
        tokens += len(sentence)
        if tokens >= TOKENS_AT_ONCE:
            yield replace(document, sentences=sentences)
            sentences, tokens = [], 0
    if sentences or not document.sentences:
        yield replace(document, sentences=sentences)
