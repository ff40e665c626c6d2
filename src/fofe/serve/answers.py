"""Answers as plain data, offsets in the unit of the request; OpenAPI describes them from the types here.

They are built by hand: validating each mention against a schema would cost more than finding it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any, Literal

from starlette.responses import JSONResponse
from typing_extensions import NotRequired, TypedDict

from fofe.base.report import Report
from fofe.base.settings import to_table
from fofe.formats import brat, jsonl
from fofe.show.documents import redacted
from fofe.show.lattice import Fragment, Lattice, Outcome
from fofe.tagging.model import Model
from fofe.text.document import Document, Mention, Sentence, split_label
from fofe.text.html import colour_of, page
from fofe.text.offsets import OffsetMap, OffsetUnit

DIGITS = 6
MEDIA_TYPES = {
    "jsonl": "application/x-ndjson",
    "brat": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "redacted": "text/plain; charset=utf-8",
}


class MentionAnswer(TypedDict):
    """A mention; `start` and `end` are half-open, in the unit of `offsets`."""

    start: int
    end: int
    type: str
    kind: str
    score: float
    text: str
    alternatives: NotRequired[list[tuple[str, float]]]


class SentenceAnswer(TypedDict):
    """A sentence and the half-open spans of its tokens."""

    start: int
    end: int
    tokens: list[tuple[int, int]]


class DocumentAnswer(TypedDict):
    """The mentions of one text."""

    mentions: list[MentionAnswer]
    sentences: NotRequired[list[SentenceAnswer]]


class TagAnswer(TypedDict):
    """The texts of a request, in their order."""

    model: str
    offsets: OffsetUnit
    documents: list[DocumentAnswer]


class FragmentAnswer(TypedDict):
    """A fragment of a sentence: its tokens, its best label, all probabilities, and its outcome."""

    first: int
    last: int
    label: str
    score: float
    probabilities: list[float]
    outcome: Outcome
    lost_to: NotRequired[tuple[int, int]]


class LatticeSentence(SentenceAnswer):
    """A sentence with all its fragments."""

    fragments: list[FragmentAnswer]


class LatticeAnswer(TypedDict):
    """The fragments of a text; `probabilities` are in the order of `labels`."""

    model: str
    offsets: OffsetUnit
    labels: list[str]
    sentences: list[LatticeSentence]


class DecodingAnswer(TypedDict):
    """How scores become mentions by default."""

    threshold: float
    strategy: str
    nested: bool
    agreement: float


class ModelAnswer(DecodingAnswer):
    """A loaded model; `decodings` are those of its annotation schemes."""

    name: str
    language: str
    labels: list[str]
    max_words: int
    schemes: list[str]
    decodings: dict[str, DecodingAnswer]
    colours: dict[str, str]


class ModelsAnswer(TypedDict):
    """All models; the first is the default."""

    version: str
    models: list[ModelAnswer]
    strategies: list[str]


class HealthAnswer(TypedDict):
    """`ok`, or `stopping` if the server takes no new connections."""

    status: Literal["ok", "stopping"]


class Problem(TypedDict):
    """Why a request was refused."""

    error: str


class JsonAnswer(JSONResponse):
    """JSON in UTF-8; with escapes where a text has lone surrogates, which UTF-8 cannot encode."""

    def render(self, content: Any) -> bytes:
        return encoded(content)


def encoded(content: Any) -> bytes:
    """Plain data as JSON."""
    try:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(content, separators=(",", ":")).encode()


def document_answer(document: Document, unit: OffsetUnit, *, tokens: bool = False) -> DocumentAnswer:
    """The mentions of a document and, on request, its sentences."""
    offsets = OffsetMap(document.text, unit)
    answer: DocumentAnswer = {"mentions": [_mention(mention, offsets) for mention in document.mentions]}
    if tokens:
        answer["sentences"] = [_sentence(sentence, offsets) for sentence in document.sentences]
    return answer


def lattice_answer(
    text: str, found: Iterable[Lattice], unit: OffsetUnit, only: int | None
) -> list[LatticeSentence]:
    """The sentences of a text with their fragments, or only one of them."""
    offsets = OffsetMap(text, unit)
    return [
        {**_sentence(lattice.sentence, offsets), "fragments": list(map(_fragment, lattice.fragments))}
        for number, lattice in enumerate(found)
        if only in (None, number)
    ]


def model_answer(name: str, model: Model) -> ModelAnswer:
    """The facts about a model that a client needs."""
    types = dict.fromkeys(split_label(label)[0] for label in model.labels[1:])
    schemes = list(model.config.schemes)
    answer: ModelAnswer = {
        "name": name,
        "language": model.config.language,
        "labels": list(model.labels[1:]),
        "max_words": model.config.max_words,
        **to_table(model.decoding),  # type: ignore[typeddict-item]
        "schemes": schemes,
        "decodings": {corpus: to_table(model.decoding_for(corpus)) for corpus in schemes},
        "colours": {type: colour_of(type) for type in types},
    }
    return answer


def exported(document: Document, format: str) -> str:
    """The document in one of `MEDIA_TYPES`; brat gives the annotation file, since the client has the text."""
    if format == "jsonl":
        return jsonl.format_line(document, Report(), "the text", tokens=False)
    if format == "brat":
        stream = io.StringIO()
        brat.write_mentions(document.mentions, document.text, stream, Report())
        return stream.getvalue()
    return page([document]) if format == "html" else redacted(document)


def _mention(mention: Mention, offsets: OffsetMap) -> MentionAnswer:
    answer: MentionAnswer = {
        "start": offsets.from_codepoints(mention.start),
        "end": offsets.from_codepoints(mention.end),
        "type": mention.type,
        "kind": mention.kind,
        "score": round(mention.score, DIGITS),
        "text": mention.text,
    }
    if mention.alternatives:
        answer["alternatives"] = [(label, round(score, DIGITS)) for label, score in mention.alternatives]
    return answer


def _sentence(sentence: Sentence, offsets: OffsetMap) -> SentenceAnswer:
    convert = offsets.from_codepoints
    tokens = [(convert(token.start), convert(token.end)) for token in sentence.tokens]
    return {"start": convert(sentence.start), "end": convert(sentence.end), "tokens": tokens}


def _fragment(fragment: Fragment) -> FragmentAnswer:
    answer: FragmentAnswer = {
        "first": fragment.first,
        "last": fragment.last,
        "label": fragment.label,
        "score": round(fragment.score, DIGITS),
        "probabilities": [round(probability, DIGITS) for probability in fragment.probabilities],
        "outcome": fragment.outcome,
    }
    if fragment.lost_to:
        answer["lost_to"] = fragment.lost_to
    return answer
