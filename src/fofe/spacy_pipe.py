"""A component for spaCy pipelines: `nlp.add_pipe("fofe", config={"model": "en"})`, a name or a path.

It tags spaCy's own tokens. Mentions become `doc.spans["fofe"]`, nested ones included, with their scores in
`doc.spans["fofe"].attrs["scores"]`; and those that lie in no other become `doc.ents` unless `ents` is false.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from fofe.base.errors import FofeError
from fofe.formats.spacy import GROUP, SCORES, sentences_of
from fofe.tagging.installed import model_path
from fofe.tagging.model import Model, load
from fofe.text.document import Document, Sentence
from fofe.text.tokenise import tokeniser


@Language.factory("fofe", assigns=["doc.spans", "doc.ents"])
def make_fofe(
    nlp: Language,  # noqa: ARG001
    name: str,  # noqa: ARG001
    model: str | None = None,
    spans_key: str = GROUP,
    ents: bool = True,
    threshold: float | None = None,
    strategy: str | None = None,
    nested: bool | None = None,
    agreement: float | None = None,
    scheme: str | None = None,
    rules: list[str] | None = None,
) -> FofePipe:
    """What spaCy calls to make the component."""
    if model is None:
        raise FofeError('say which model: nlp.add_pipe("fofe", config={"model": "PATH"})')
    loaded = load(model_path(model)).with_options(
        threshold=threshold, strategy=strategy, nested=nested, agreement=agreement, scheme=scheme, rules=rules
    )
    return FofePipe(loaded, spans_key=spans_key, ents=ents)


@dataclass(eq=False)
class FofePipe:
    """Finds mentions in spaCy docs."""

    model: Model
    spans_key: str = GROUP
    ents: bool = True

    def __call__(self, doc: Doc) -> Doc:
        """Add the mentions of one doc."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 128) -> Iterator[Doc]:
        """Add the mentions of docs, so many at a time."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            tagged = self.model.tag_documents(self._document(doc) for doc in batch)
            for doc, document in zip(batch, tagged, strict=True):
                self._annotate(doc, document)
                yield doc

    def _document(self, doc: Doc) -> Document:
        """The doc as a document: its own tokens, and its own sentences where it has them."""
        sentences = sentences_of(doc)
        if not doc.has_annotation("SENT_START"):
            sentences = _cut(sentences, tokeniser(self.model.config.language).document(doc.text))
        return Document(doc.text, sentences)

    def _annotate(self, doc: Doc, document: Document) -> None:
        spans = []
        for mention in document.mentions:
            # What a rule matches may begin or end inside of a token, which the span then takes whole.
            place = (mention.start, mention.end)
            span: Span | None = doc.char_span(*place, label=mention.label, alignment_mode="expand")
            assert span is not None, "mentions lie in the doc's text"
            spans.append(span)
        scores = np.array([mention.score for mention in document.mentions], dtype=np.float32)
        doc.spans[self.spans_key] = spans
        doc.spans[self.spans_key].attrs[SCORES] = scores
        if self.ents:
            doc.ents = filter_spans(spans)


def _cut(sentences: list[Sentence], like: Document) -> list[Sentence]:
    """The tokens of the sentences, cut where another document of the same text begins its sentences."""
    borders = [sentence.start for sentence in like.sentences[1:]]
    tokens = (token for sentence in sentences for token in sentence.tokens)
    by_place = groupby(tokens, lambda token: bisect_right(borders, token.start))
    return [Sentence(list(group)) for _, group in by_place]
