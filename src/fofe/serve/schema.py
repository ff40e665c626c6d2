"""What requests and answers look like; OpenAPI is made from this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, create_model
from pydantic_core import PydanticCustomError

from fofe.decode import STRATEGIES
from fofe.serve.models import Models, Options
from fofe.text.offsets import OffsetUnit

LONGEST_LATTICE_TEXT = 10_000
MOST_TEXTS = 10_000

Strategy = Literal[STRATEGIES]  # type: ignore[valid-type]
ExportFormat = Literal["jsonl", "brat", "html", "redacted"]


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)
"""Takes 3.0 for 3, as JSON does."""


class Request(BaseModel):
    """What all requests may say: which model is wanted, and how it decodes."""

    model_config = ConfigDict(extra="forbid", strict=True)

    model: str | None = None
    language: str | None = None
    threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None, description="The least score of a mention; as tuned with the model if not given."
    )
    strategy: Strategy | None = Field(
        default=None, description="How overlaps are resolved; as tuned with the model if not given."
    )
    nested: bool | None = Field(
        default=None, description="Whether mentions may lie in one another; as trained if not given."
    )
    conventions: str | None = None
    agreement: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="What the types of the same text in nearby sentences count beside a mention's own; "
        "as tuned with the model if not given.",
    )
    offsets: OffsetUnit = Field(default="codepoints", description="What offsets count.")

    @property
    def options(self) -> Options:
        return Options(self.threshold, self.strategy, self.nested, self.conventions, self.agreement)


class DetailedRequest(Request):
    """A request that may also say how much each mention tells."""

    alternatives: Annotated[int, Field(ge=0, le=100), WHOLE] = Field(
        default=0, description="How many of the next best labels each mention tells."
    )
    for_recall: bool = Field(default=False, description="Take the best label even where NONE is more likely.")

    @property
    def options(self) -> Options:
        return super().options._replace(alternatives=self.alternatives, for_recall=self.for_recall)


class TagFields(DetailedRequest):
    """One text or several."""

    text: str | Annotated[list[str], Field(max_length=MOST_TEXTS)] = Field(
        description="The text, or a list of texts.", examples=["Anna Berg met the mayor of Bergen."]
    )
    tokens: bool = Field(default=False, description="Tell the sentences and tokens too.")


class StreamFields(DetailedRequest):
    """What stands in the query of a stream, whose body is all text."""

    model_config = ConfigDict(strict=False)


class LatticeFields(Request):
    """One text, of which every fragment is told."""

    text: Annotated[str, Field(max_length=LONGEST_LATTICE_TEXT)] = Field(
        description="The text.", examples=["Anna Berg met the mayor of Bergen."]
    )
    sentence: Annotated[int, Field(ge=0), WHOLE] | None = Field(
        default=None, description="Only this sentence, counted from 0; none if the text has fewer."
    )


class ExportFields(Request):
    """One text, written in a format for people or other programs."""

    text: str = Field(description="The text.", examples=["Anna Berg met the mayor of Bergen."])
    format: ExportFormat = Field(description="JSON lines, brat annotations, a page, or redacted text.")


class RequestTypes:
    """The requests that a server with certain models accepts."""

    def __init__(self, models: Models) -> None:
        fields: dict[str, Any] = {
            "model": (
                Literal[tuple(models.by_name)] | None,
                Field(default=None, description="The name of a model; the first one if not given."),
            ),
            "language": (
                Literal[tuple(models.languages)] | None,
                Field(default=None, description="Take the first model of this language, if none is named."),
            ),
            "conventions": (
                Annotated[Literal[(*models.conventions, None)], BeforeValidator(_known_to(models))],
                Field(default=None, description="Mark mentions as this corpus does, if the model knows it."),
            ),
        }
        self.tag: type[TagFields] = create_model("TagRequest", __base__=TagFields, **fields)
        self.stream: type[StreamFields] = create_model("StreamQuery", __base__=StreamFields, **fields)
        self.lattice: type[LatticeFields] = create_model("LatticeRequest", __base__=LatticeFields, **fields)
        self.export: type[ExportFields] = create_model("ExportRequest", __base__=ExportFields, **fields)


def _known_to(models: Models) -> Callable[[object, ValidationInfo], object]:
    """Refuses conventions that the model of the request does not know, whatever other models know."""

    def check(value: object, request: ValidationInfo) -> object:
        if value is None or not {"model", "language"} <= request.data.keys():
            return value  # a wrong model or language is told already
        name = models.name_for(request.data["model"], request.data["language"])
        known = models.by_name[name].config.schemes
        if value not in known:
            raise PydanticCustomError(
                "unknown_conventions",
                "the model '{model}' does not know this corpus (it knows: {known})",
                {"model": name, "known": ", ".join(known) or "none"},
            )
        return value

    return check


class MentionAnswer(BaseModel):
    """A mention; `start` and `end` are half-open, in the unit of `offsets`."""

    start: int
    end: int
    type: str
    kind: Literal["NAM", "NOM"]
    score: float
    text: str
    alternatives: list[tuple[str, float]] | None = None


class SentenceAnswer(BaseModel):
    """A sentence and the half-open spans of its tokens."""

    start: int
    end: int
    tokens: list[tuple[int, int]]


class DocumentAnswer(BaseModel):
    """What was found in one text."""

    mentions: list[MentionAnswer]
    sentences: list[SentenceAnswer] | None = None


class TagAnswer(BaseModel):
    """The texts of a request, in their order."""

    model: str
    offsets: OffsetUnit
    documents: list[DocumentAnswer]


class FragmentAnswer(BaseModel):
    """A fragment of a sentence: its tokens, its best label, the probabilities of all, what became of it."""

    first: int
    last: int
    label: str
    score: float
    probabilities: list[float]
    outcome: Literal["mention", "lost", "below", "none"]
    lost_to: tuple[int, int] | None = None


class LatticeSentence(SentenceAnswer):
    """A sentence with all its fragments."""

    fragments: list[FragmentAnswer]


class LatticeAnswer(BaseModel):
    """The fragments of a text; `labels` are those that `probabilities` belong to."""

    model: str
    offsets: OffsetUnit
    labels: list[str]
    sentences: list[LatticeSentence]


class DecodingAnswer(BaseModel):
    """How scores become mentions where a request does not say."""

    threshold: float
    strategy: str
    nested: bool
    agreement: float


class ModelAnswer(DecodingAnswer):
    """A model that is loaded; `decodings` are those of its `conventions`."""

    name: str
    language: str
    labels: list[str]
    max_words: int
    conventions: list[str]
    decodings: dict[str, DecodingAnswer]
    colours: dict[str, str]


class ModelsAnswer(BaseModel):
    """All models; the first is the default."""

    version: str
    models: list[ModelAnswer]
    strategies: list[str]


class HealthAnswer(BaseModel):
    """Whether requests are welcome."""

    status: Literal["ok", "stopping"]


class Problem(BaseModel):
    """Why a request was refused."""

    error: str
