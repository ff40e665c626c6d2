"""The requests that the server takes and its answers; OpenAPI describes both from the types here.

Model names, languages and decoding options are checked where a model is chosen (`Server`), so that the rules
are those of the library. Here they are only described. Answers are plain data, with offsets in the unit of
the request. They are built by hand: validating each mention against a schema would cost more than finding it.
"""

import io
import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from typing_extensions import NotRequired, TypedDict

from fofe.base.report import Report
from fofe.base.settings import to_table
from fofe.decode import STRATEGIES
from fofe.formats import brat, jsonl
from fofe.show.documents import redacted
from fofe.show.lattice import Fragment, Lattice
from fofe.tagging.model import Model
from fofe.tagging.rules import CONTACT, SHIPPED
from fofe.text.document import Document, Mention, Sentence, split_label
from fofe.text.html import colour_of, page
from fofe.text.offsets import OffsetMap, OffsetUnit

LONGEST_LATTICE_TEXT = 10_000
MOST_TEXTS = 10_000
DIGITS = 6
MEDIA_TYPES = {
    "jsonl": "application/x-ndjson",
    "brat": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "redacted": "text/plain; charset=utf-8",
}

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

OPTIONS = ("threshold", "strategy", "nested", "scheme", "agreement", "alternatives", "for_recall", "names")


def _integer(value: object) -> object:
    """Takes 3.0 for 3, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


INTEGER = BeforeValidator(_integer)
EXAMPLES = Field(examples=["Anna Berg met the mayor of Bergen."])


class ModelRequest(BaseModel):
    """The fields of all requests: which model is wanted, and how it decodes."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)

    model: str | None = None
    """The name of a model; the default is the first one."""
    language: str | None = None
    """Take the first model of this language, if no model is named; `auto`: of the language of each text.

    A text whose language is unclear gets the first model; one in a language without a model is an error.
    """
    threshold: Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})] | None = None
    """The least score of a mention; the default is tuned with the model."""
    strategy: Annotated[str, WithJsonSchema({"type": "string", "enum": list(STRATEGIES)})] | None = None
    """How overlaps are resolved; the default is tuned with the model."""
    nested: bool | None = None
    """Whether mentions may be inside one another; the default is as trained."""
    scheme: str | None = None
    """Annotate like this corpus, if the model was conditioned on it."""
    agreement: Annotated[float, WithJsonSchema({"type": "number", "minimum": 0})] | None = None
    """The weight of the types of the same text in nearby sentences; the default is tuned with the model."""
    names: bool | None = None
    """Names only, none inside another."""
    offsets: OffsetUnit = "codepoints"
    """The unit of offsets."""

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `Model.with_options`."""
        return {name: getattr(self, name) for name in OPTIONS if hasattr(self, name)}

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of the sets of rules to follow besides those of the server."""
        return ()


class MentionRequest(ModelRequest):
    """A request for mentions, by the model and by rules."""

    rules: list[Annotated[str, WithJsonSchema({"type": "string", "enum": list(SHIPPED)})]] = []
    """Also follow these sets of rules."""

    @property
    def sets(self) -> tuple[str, ...]:
        return tuple(self.rules)


class DetailedRequest(MentionRequest):
    """A request for mentions with details."""

    alternatives: Annotated[int, Field(ge=0, le=100), INTEGER] = 0
    """How many of the next best labels to return with each mention."""
    for_recall: bool = False
    """Take the best label even where NONE is more likely."""


class TagRequest(DetailedRequest):
    """One text or several."""

    text: Annotated[str | Annotated[list[str], Field(max_length=MOST_TEXTS)], EXAMPLES]
    """The text, or a list of texts."""
    tokens: bool = False
    """Return the sentences and tokens too."""


class StreamQuery(DetailedRequest):
    """The query of a stream; its body is text only."""

    model_config = ConfigDict(strict=False)


class LatticeRequest(ModelRequest):
    """One text, whose fragments are all returned."""

    text: Annotated[str, Field(max_length=LONGEST_LATTICE_TEXT), EXAMPLES]
    """The text."""
    sentence: Annotated[int, Field(ge=0), INTEGER] | None = None
    """Only this sentence, counted from 0; none if the text has fewer."""


class ExportRequest(MentionRequest):
    """One text, written in a format for people or other programs."""

    text: Annotated[str, EXAMPLES]
    """The text."""
    format: Literal["jsonl", "brat", "html", "redacted"]
    """JSON lines, brat annotations, a page, or redacted text."""

    @property
    def sets(self) -> tuple[str, ...]:
        return (*self.rules, CONTACT) if self.format == "redacted" else tuple(self.rules)


def list_choices(openapi: Any, choices: dict[str, list[str]]) -> None:
    """Add the values that a server accepts to the optional strings of an OpenAPI document, by their names."""
    children = openapi.values() if isinstance(openapi, dict) else openapi
    for child in children:
        if isinstance(child, (dict, list)):
            list_choices(child, choices)
    if isinstance(openapi, dict) and "anyOf" in openapi and openapi.get("title") in choices:
        known = choices[openapi["title"]]
        optional = [{"type": "string", "enum": known}] if known else []
        openapi["anyOf"] = [*optional, {"type": "null"}]


class MentionAnswer(TypedDict):
    """A mention; `start` and `end` are half-open, in the unit of `offsets`."""

    start: int
    end: int
    type: str
    kind: str
    score: float
    text: str
    alternatives: NotRequired[list[tuple[str, float]]]
    rule: NotRequired[str]


class SentenceAnswer(TypedDict):
    """A sentence and the half-open spans of its tokens."""

    start: int
    end: int
    tokens: list[tuple[int, int]]


class DocumentAnswer(TypedDict):
    """The mentions of one text; `model` if it is another than that of the first text."""

    model: NotRequired[str]
    mentions: list[MentionAnswer]
    sentences: NotRequired[list[SentenceAnswer]]


class TagAnswer(TypedDict):
    """The texts of a request, in their order."""

    model: str
    offsets: OffsetUnit
    documents: list[DocumentAnswer]


class LatticeSentence(SentenceAnswer):
    """A sentence with all its fragments."""

    fragments: list[Fragment]


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


def encoded(content: Any) -> bytes:
    """JSON in UTF-8; with escapes where a text has lone surrogates, which UTF-8 cannot encode.

    Iterators are written as lists, so that their items need not exist at once; bytes are JSON already.
    """
    if isinstance(content, bytes):
        return content
    if isinstance(content, Iterator):
        return b"[%b]" % b",".join(map(encoded, content))
    if isinstance(content, dict) and any(isinstance(value, Iterator) for value in content.values()):
        pairs = (b"%b:%b" % (encoded(name), encoded(value)) for name, value in content.items())
        return b"{%b}" % b",".join(pairs)
    try:
        return _encode(content).encode()
    except UnicodeEncodeError:
        return json.dumps(content, separators=(",", ":")).encode()


def document_answer(document: Document, unit: OffsetUnit, *, tokens: bool = False) -> dict[str, Any]:
    """A `DocumentAnswer` for `encoded`, with the sentences if asked for."""
    offsets = OffsetMap(document.text, unit)
    answer: dict[str, Any] = {"mentions": (_mention(mention, offsets) for mention in document.mentions)}
    if tokens:
        answer["sentences"] = (_sentence(sentence, offsets) for sentence in document.sentences)
    return answer


def _mention(mention: Mention, offsets: OffsetMap) -> bytes:
    start, end = offsets.from_codepoints(mention.start), offsets.from_codepoints(mention.end)
    answer = {**mention.to_dict(), "start": start, "end": end, "score": round(mention.score, DIGITS)}
    if mention.alternatives:
        answer["alternatives"] = [(label, round(score, DIGITS)) for label, score in mention.alternatives]
    return encoded(answer)


def _sentence(sentence: Sentence, offsets: OffsetMap) -> dict[str, Any]:
    convert = offsets.from_codepoints
    tokens = [(convert(token.start), convert(token.end)) for token in sentence.tokens]
    return {"start": convert(sentence.start), "end": convert(sentence.end), "tokens": tokens}


def lattice_answer(request: LatticeRequest, found: Iterable[Lattice]) -> list[dict[str, Any]]:
    """A `LatticeSentence` for each sentence of a text, or for only one of them."""
    offsets = OffsetMap(request.text, request.offsets)
    return [
        {**_sentence(sentence, offsets), "fragments": list(map(_fragment, fragments))}
        for number, (sentence, fragments) in enumerate(found)
        if request.sentence in (None, number)
    ]


def _fragment(fragment: Fragment) -> dict[str, Any]:
    answer = {name: value for name, value in vars(fragment).items() if value is not None}
    answer["score"] = round(fragment.score, DIGITS)
    answer["probabilities"] = [round(probability, DIGITS) for probability in fragment.probabilities]
    return answer


def model_answer(name: str, model: Model) -> dict[str, Any]:
    """A `ModelAnswer`: the facts about a model that a client needs."""
    types = dict.fromkeys(split_label(label)[0] for label in model.labels[1:])
    schemes = list(model.config.schemes)
    return {
        "name": name,
        "language": model.config.language,
        "labels": list(model.labels[1:]),
        "max_words": model.config.max_words,
        **to_table(model.decoding),
        "schemes": schemes,
        "decodings": {corpus: to_table(model.decoding_for(corpus)) for corpus in schemes},
        "colours": {type: colour_of(type) for type in types},
    }


def exported(document: Document, format: str) -> str:
    """The document in one of `MEDIA_TYPES`; brat gives the annotation file, since the client has the text."""
    if format == "jsonl":
        return jsonl.format_line(document, Report(), "the text", tokens=False)
    if format == "brat":
        stream = io.StringIO()
        brat.write_mentions(document.mentions, document.text, stream, Report())
        return stream.getvalue()
    if format == "html":
        return page([document])
    return redacted(document)
