"""Answers as plain data, offsets in the unit that was asked for.

They are made by hand: checking each mention against its schema again would cost more than finding it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from starlette.responses import JSONResponse

from fofe.base.settings import to_table
from fofe.decode import Decoding
from fofe.show.lattice import Lattice
from fofe.tagging.model import Model
from fofe.text.document import Document, Mention, Sentence, split_label
from fofe.text.html import colour_of
from fofe.text.offsets import OffsetMap, OffsetUnit

DIGITS = 6


class JsonAnswer(JSONResponse):
    """JSON in UTF-8; with escapes where a text holds lone surrogates, which UTF-8 cannot."""

    def render(self, content: Any) -> bytes:
        return encoded(content)


def encoded(content: Any) -> bytes:
    """Plain data as JSON."""
    try:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(content, separators=(",", ":")).encode()


def document_answer(document: Document, unit: OffsetUnit, *, tokens: bool = False) -> dict[str, Any]:
    """The mentions of a document and, on request, its sentences."""
    offsets = OffsetMap(document.text, unit)
    answer: dict[str, Any] = {"mentions": [_mention(mention, offsets) for mention in document.mentions]}
    if tokens:
        answer["sentences"] = [_sentence(sentence, offsets) for sentence in document.sentences]
    return answer


def lattice_answer(
    text: str, found: Iterable[Lattice], unit: OffsetUnit, only: int | None
) -> list[dict[str, Any]]:
    """The sentences of a text with their fragments, or only one of them."""
    offsets = OffsetMap(text, unit)
    return [
        {**_sentence(lattice.sentence, offsets), "fragments": _fragments(lattice)}
        for number, lattice in enumerate(found)
        if only in (None, number)
    ]


def model_answer(name: str, model: Model) -> dict[str, Any]:
    """What a client may want to know of a model."""
    types = dict.fromkeys(split_label(label)[0] for label in model.labels[1:])
    return {
        "name": name,
        "language": model.config.language,
        "labels": list(model.labels[1:]),
        "max_words": model.config.max_words,
        **_decoding(model.decoding),
        "conventions": list(model.config.schemes),
        "decodings": {corpus: _decoding(model.decoding_for(corpus)) for corpus in model.config.schemes},
        "colours": {type: colour_of(type) for type in types},
    }


def _decoding(decoding: Decoding) -> dict[str, Any]:
    return to_table(decoding)


def _mention(mention: Mention, offsets: OffsetMap) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "start": offsets.from_codepoints(mention.start),
        "end": offsets.from_codepoints(mention.end),
        "type": mention.type,
        "kind": mention.kind,
        "score": round(mention.score, DIGITS),
        "text": mention.text,
    }
    if mention.alternatives:
        answer["alternatives"] = [[label, round(score, DIGITS)] for label, score in mention.alternatives]
    return answer


def _sentence(sentence: Sentence, offsets: OffsetMap) -> dict[str, Any]:
    return {
        "start": offsets.from_codepoints(sentence.start),
        "end": offsets.from_codepoints(sentence.end),
        "tokens": [
            [offsets.from_codepoints(token.start), offsets.from_codepoints(token.end)]
            for token in sentence.tokens
        ],
    }


def _fragments(lattice: Lattice) -> Sequence[dict[str, Any]]:
    return [
        {
            "first": fragment.first,
            "last": fragment.last,
            "label": fragment.label,
            "score": round(fragment.score, DIGITS),
            "probabilities": [round(probability, DIGITS) for probability in fragment.probabilities],
            "outcome": fragment.outcome,
            **({"lost_to": list(fragment.lost_to)} if fragment.lost_to else {}),
        }
        for fragment in lattice.fragments
    ]
