"""The requests that the server takes; OpenAPI describes them from this.

Model names, languages and decoding options are checked where a model is chosen (`Models.choose`), so that the
rules are those of the library. Here they are only described.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from fofe.decode import STRATEGIES
from fofe.text.offsets import OffsetUnit

LONGEST_LATTICE_TEXT = 10_000
MOST_TEXTS = 10_000

OPTIONS = ("threshold", "strategy", "nested", "scheme", "agreement", "alternatives", "for_recall")
ExportFormat = Literal["jsonl", "brat", "html", "redacted"]
Threshold = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
Strategy = Annotated[str, WithJsonSchema({"type": "string", "enum": list(STRATEGIES)})]
Agreement = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0})]


def _integer(value: object) -> object:
    """Takes 3.0 for 3, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


INTEGER = BeforeValidator(_integer)
TEXT = Field(description="The text.", examples=["Anna Berg met the mayor of Bergen."])


class ModelRequest(BaseModel):
    """The fields of all requests: which model is wanted, and how it decodes."""

    model_config = ConfigDict(extra="forbid", strict=True)

    model: str | None = Field(default=None, description="The name of a model; the default is the first one.")
    language: str | None = Field(
        default=None, description="Take the first model of this language, if no model is named."
    )
    threshold: Threshold | None = Field(
        default=None, description="The least score of a mention; the default is tuned with the model."
    )
    strategy: Strategy | None = Field(
        default=None, description="How overlaps are resolved; the default is tuned with the model."
    )
    nested: bool | None = Field(
        default=None, description="Whether mentions may be inside one another; the default is as trained."
    )
    scheme: str | None = Field(
        default=None, description="Annotate like this corpus, if the model was conditioned on it."
    )
    agreement: Agreement | None = Field(
        default=None,
        description="The weight of the types of the same text in nearby sentences; "
        "the default is tuned with the model.",
    )
    offsets: OffsetUnit = Field(default="codepoints", description="The unit of offsets.")

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `Model.with_options`."""
        return {name: getattr(self, name) for name in OPTIONS if hasattr(self, name)}


class DetailedRequest(ModelRequest):
    """A request for mentions with details."""

    alternatives: Annotated[int, Field(ge=0, le=100), INTEGER] = Field(
        default=0, description="How many of the next best labels to return with each mention."
    )
    for_recall: bool = Field(default=False, description="Take the best label even where NONE is more likely.")


class TagRequest(DetailedRequest):
    """One text or several."""

    text: str | Annotated[list[str], Field(max_length=MOST_TEXTS)] = Field(
        description="The text, or a list of texts.", examples=["Anna Berg met the mayor of Bergen."]
    )
    tokens: bool = Field(default=False, description="Return the sentences and tokens too.")


class StreamQuery(DetailedRequest):
    """The query of a stream; its body is text only."""

    model_config = ConfigDict(strict=False)


class LatticeRequest(ModelRequest):
    """One text, whose fragments are all returned."""

    text: Annotated[str, Field(max_length=LONGEST_LATTICE_TEXT)] = TEXT
    sentence: Annotated[int, Field(ge=0), INTEGER] | None = Field(
        default=None, description="Only this sentence, counted from 0; none if the text has fewer."
    )


class ExportRequest(ModelRequest):
    """One text, written in a format for people or other programs."""

    text: str = TEXT
    format: ExportFormat = Field(description="JSON lines, brat annotations, a page, or redacted text.")


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
