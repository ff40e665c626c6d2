"""From the texts of a request to its documents, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fofe.serve.batcher import Batcher, parts
from fofe.serve.metrics import Metrics
from fofe.tagging.model import Model
from fofe.text.document import Document
from fofe.text.tokenise import tokeniser

LONG_TEXT = 20_000
"""From so many characters on, texts are cut into tokens in a thread: the event loop must not wait so long."""


class Tagging:
    """Tags for requests, and counts what it tagged."""

    def __init__(self, batcher: Batcher, metrics: Metrics) -> None:
        self.batcher = batcher
        self._metrics = metrics

    async def documents(self, model: Model, texts: Sequence[str]) -> list[Document]:
        """The texts with their sentences and tokens."""
        cut = tokeniser(model.config.language)
        if sum(map(len, texts)) < LONG_TEXT:
            return [cut.document(text) for text in texts]
        return await self.batcher.run(lambda: [cut.document(text) for text in texts])

    async def tag(self, model: Model, texts: Sequence[str]) -> list[Document]:
        """The texts with their mentions."""
        documents = await self.documents(model, texts)
        self._metrics.documents.inc(len(documents))
        tagged = [replace(document, mentions=[]) for document in documents]
        for numbered in parts(model, documents):
            found = await self.batcher.tag(model, [piece for _, piece in numbered])
            for (number, _), piece in zip(numbered, found, strict=True):
                self._metrics.tokens.inc(sum(map(len, piece.sentences)))
                self._metrics.mentions.inc(len(piece.mentions))
                tagged[number].mentions += piece.mentions
        return tagged
