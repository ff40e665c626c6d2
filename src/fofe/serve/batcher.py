"""Tagging for many requests at once: what arrives while a batch is tagged forms the next one.

An idle server thus answers at once, and under load a token costs as little as in large batches. A single
thread tags, which leaves the event loop free for other requests. A request submits its documents in parts of
limited size, one after another, so that a long one does not hold up the others. When it is cancelled, because
its client has gone or its time is over, its work ends after the window that is being scored.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from fofe.serve.metrics import Metrics
from fofe.tagging.batching import chunks, token_count
from fofe.tagging.by_language import tag_each
from fofe.tagging.model import TOKENS_AT_ONCE, Model
from fofe.text.document import Document
from fofe.text.tokenise import tokeniser

LONG_TEXT = 20_000
"""Texts of so many characters are tokenised in the thread: the event loop must not wait so long."""

Result = TypeVar("Result")


@dataclass
class _Work:
    """Documents of one request that are to be tagged."""

    model: Model
    documents: list[Document]
    tokens: int
    done: asyncio.Future[list[Document]]

    @property
    def is_wanted(self) -> bool:
        return not self.done.done()


class _Part(NamedTuple):
    """Sentences of a document that are tagged together."""

    whole: Document
    part: Document

    def tokens(self) -> int:
        return token_count(self.part)


class _GivenUpError(Exception):
    """Nobody waits for the work any more."""


class Batcher:
    """Collects documents from all requests and tags them together in a thread, inside a `with` block."""

    def __init__(self, metrics: Metrics) -> None:
        self._queue: asyncio.Queue[_Work] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fofe-tag")
        self._metrics = metrics
        metrics.waiting.set_function(self._queue.qsize)

    async def __aenter__(self) -> None:
        self._loop = asyncio.create_task(self._run())

    async def __aexit__(self, *_: object) -> None:
        """Finish what is in progress, then end."""
        await self._queue.join()
        self._loop.cancel()
        await asyncio.gather(self._loop, return_exceptions=True)
        self._thread.shutdown()

    async def run(self, function: Callable[[], Result]) -> Result:
        """Run something else in the thread that tags."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    async def tag(self, model: Model, texts: Sequence[str], *, tokens: bool = False) -> list[Document]:
        """The texts with their mentions, and with their sentences if `tokens` are wanted.

        A long text is tokenised part by part: all its tokens would take a hundred times its own memory.
        """
        tagged = list(map(Document, texts))
        self._metrics.documents.inc(len(tagged))
        parts = chunks(_parts(model, tagged), _Part.tokens, TOKENS_AT_ONCE)
        is_long = sum(map(len, texts)) >= LONG_TEXT
        take = partial(next, parts, None)
        while chunk := await self.run(take) if is_long else take():
            found = await self.tag_documents(model, [part for _, part in chunk])
            for (whole, _), part in zip(chunk, found, strict=True):
                self._metrics.tokens.inc(token_count(part))
                self._metrics.mentions.inc(len(part.mentions))
                whole.mentions.extend(part.mentions)
                if tokens:
                    whole.sentences.extend(part.sentences)
        return tagged

    async def tag_documents(self, model: Model, documents: list[Document]) -> list[Document]:
        """The documents, which must have sentences, with their mentions."""
        tokens = sum(map(token_count, documents))
        done: asyncio.Future[list[Document]] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Work(model, documents, tokens, done))
        return await done

    async def _run(self) -> None:
        while True:
            await self._tag_next()  # a function of its own: nothing of a batch is kept while none waits

    async def _tag_next(self) -> None:
        batch = [await self._queue.get()]
        tokens = batch[0].tokens
        while tokens < TOKENS_AT_ONCE and not self._queue.empty():
            batch.append(self._queue.get_nowait())
            tokens += batch[-1].tokens
        # A long document that cannot be cut waits, and can be given up, alone: it would come last.
        alone = int(batch[-1].tokens > 2 * TOKENS_AT_ONCE)
        for group in (batch[: len(batch) - alone], batch[len(batch) - alone :]):
            await self._tag_together([work for work in group if work.is_wanted])
        for _ in batch:
            self._queue.task_done()

    async def _tag_together(self, batch: Sequence[_Work]) -> None:
        if not batch:
            return
        self._metrics.batch(len(batch), sum(work.tokens for work in batch))
        try:
            results = await self.run(partial(_tag, batch))
        except Exception as error:
            for work in batch:
                if work.is_wanted:
                    work.done.set_exception(error)
        else:
            for work, documents in zip(batch, results, strict=True):
                if work.is_wanted:
                    work.done.set_result(documents)


def _tag(batch: Sequence[_Work]) -> list[list[Document]]:
    """The tagged documents of each piece of work; those of the same model share batches."""

    def check() -> None:
        if not any(work.is_wanted for work in batch):
            raise _GivenUpError

    tagged = tag_each([(work.model, document) for work in batch for document in work.documents], check)
    return [[next(tagged) for _ in work.documents] for work in batch]


def _parts(model: Model, documents: Iterable[Document]) -> Iterator[_Part]:
    """The documents, cut between sentences where these do not depend on each other."""
    cut = tokeniser(model.config.language).sentences
    for whole in documents:
        sentences = cut(whole.text)
        pieces = [list(sentences)] if model.sees_documents else chunks(sentences, len, TOKENS_AT_ONCE)
        yield from (_Part(whole, Document(whole.text, piece)) for piece in pieces)
