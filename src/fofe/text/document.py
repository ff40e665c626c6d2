"""The data model: a document, its sentences and tokens, and the mentions in it.

Offsets are half-open code-point positions into the caller's own text, everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from fofe.base.errors import InputError

NAME = "NAM"
NOMINAL = "NOM"
NOMINAL_SUFFIX = "_NOM"
NONE = "NONE"
"""The label of a fragment that is no mention; the first of a model's labels."""

UNKNOWN = "unknown"
KNOWN = "known"
NEGATIVE = "negative"
REGION_KEYS = {UNKNOWN: "unknown", KNOWN: "known", NEGATIVE: "negatives"}
"""What regions of each status are called in JSON."""

TEXT_SHOWN, MENTIONS_SHOWN = 60, 3
"""How much of a document its `repr` shows."""


def check_text(text: object) -> None:
    """Refuse what is no text: a missing value of a table, bytes or a list of texts."""
    if not isinstance(text, str):
        remedy = "decode bytes, leave out what is missing, and give several texts to tag"
        raise InputError(f"a text is a string, not of type {type(text).__name__}", remedy=remedy)


class Token(NamedTuple):
    """A word and where it stands: `document.text[start:end] == text` for raw text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of the text with a type.

    - `type` is what the mention is of: `PER`, `ORG`, `GPE` ..., as the training corpus calls it.
    - `kind` is how the text mentions it: `NAM` by a name ("Anna Berg"), `NOM` by a nominal ("the mayor").
    - `label` is both in one word, the class that a model predicts: `PER` for names, `PER_NOM` for nominals.
    """

    start: int
    end: int
    type: str
    kind: str = NAME
    score: float = 1.0
    text: str = ""
    alternatives: tuple[tuple[str, float], ...] = ()
    """The next best labels and their probabilities, where they were asked for."""
    head: tuple[int, int] | None = None
    """The half-open span of its head word, where a corpus gives that."""
    rule: str | None = None
    """The name of the rule that made it, where one did."""

    @property
    def label(self) -> str:
        """Its type and kind as a model predicts them: `PER` for a name, `PER_NOM` for a nominal."""
        return join_label(self.type, self.kind)

    def to_dict(self) -> dict[str, Any]:
        """The mention in JSON types; `head`, `alternatives` and `rule` where it has them."""
        content: dict[str, Any] = {"start": self.start, "end": self.end, "type": self.type}
        content |= {"kind": self.kind, "score": float(self.score)}
        if self.head:
            content["head"] = list(self.head)
        if self.alternatives:
            content["alternatives"] = [[label, float(score)] for label, score in self.alternatives]
        if self.rule:
            content["rule"] = self.rule
        return {**content, "text": self.text}


@dataclass(slots=True)
class Sentence:
    """A run of tokens that is encoded as one sequence."""

    tokens: list[Token]

    @property
    def start(self) -> int:
        return self.tokens[0].start if self.tokens else 0

    @property
    def end(self) -> int:
        return self.tokens[-1].end if self.tokens else 0

    @property
    def words(self) -> list[str]:
        return [token.text for token in self.tokens]

    def __len__(self) -> int:
        return len(self.tokens)


class Region(NamedTuple):
    """A span of which an annotator says more than its mentions do.

    What is not annotated in an `unknown` region may be a mention or not, as it may outside of `known` ones in
    a corpus that is annotated only there. A `negative` is a span that is known to be no mention.
    """

    start: int
    end: int
    status: str


@dataclass(slots=True, repr=False)
class Document:
    """A text with its sentences and mentions."""

    text: str
    sentences: list[Sentence] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    id: str = ""
    meta: dict[str, object] = field(default_factory=dict)
    """What a format carries along and others may drop (genre, comments ...)."""
    regions: list[Region] = field(default_factory=list)
    """Where the annotation is incomplete, or complete; empty for most documents."""

    @property
    def tokens(self) -> Iterator[Token]:
        for sentence in self.sentences:
            yield from sentence.tokens

    def to_dict(self, *, tokens: bool = False) -> dict[str, Any]:
        """The document in JSON types, as `fofe.formats.jsonl` reads it; with its tokens if asked for."""
        content: dict[str, Any] = {"id": self.id} if self.id else {}
        content |= {**self.meta, "text": self.text, "mentions": [one.to_dict() for one in self.mentions]}
        for start, end, status in self.regions:
            content.setdefault(REGION_KEYS[status], []).append([start, end])
        if tokens:
            offsets = ([[token.start, token.end] for token in sentence.tokens] for sentence in self.sentences)
            content["sentences"] = [{"tokens": pairs} for pairs in offsets]
        return content

    def to_json(self, *, tokens: bool = False) -> str:
        """`to_dict` as one line of JSON, in ASCII."""
        return to_json(self.to_dict(tokens=tokens), self.id or "the document")

    def __repr__(self) -> str:
        """The beginning of the text, and how much there is: a list of documents stays readable."""
        text = self.text if len(self.text) <= TEXT_SHOWN else f"{self.text[: TEXT_SHOWN - 3]}..."
        found = ", ".join(f"{mention.text!r} {mention.label}" for mention in self.mentions[:MENTIONS_SHOWN])
        more = len(self.mentions) - MENTIONS_SHOWN
        rest = f" and {more} more" if more > 0 else ""
        return f"<Document {text!r}: {found or 'no mentions'}{rest}>"

    def _repr_html_(self) -> str:
        """How a notebook shows the document: its text with the mentions underlined."""
        from fofe.text.html import STYLE, marked_up

        return f"<style>\n{STYLE}</style>\n{marked_up(self)}"

    @classmethod
    def from_words(
        cls, sentences: Iterable[Sequence[str]], *, id: str = "", meta: dict[str, object] | None = None
    ) -> Document:
        """Build the document of text that is already tokenised.

        Words are joined by one space and sentences by a newline; offsets point into that text. A word may
        hold spaces itself, but it may not be empty: no span of the text would stand for it.
        """
        parts: list[str] = []
        built: list[Sentence] = []
        position = 0
        for number, words in enumerate(sentences, start=1):
            if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
                found = "a string" if isinstance(words, str) else f"of type {type(words).__name__}"
                problem = f"sentence {number} is {found}, not a list of words"
                raise InputError(problem, remedy="put its words in a list")
            tokens: list[Token] = []
            for word in words:
                if not word or not isinstance(word, str):
                    kind = "empty" if word == "" else f"of type {type(word).__name__}"
                    remedy = "leave it out" if word == "" else "words are strings"
                    raise InputError(f"word {len(tokens) + 1} of sentence {number} is {kind}", remedy=remedy)
                tokens.append(Token(word, position, position + len(word)))
                position += len(word) + 1
            if tokens:
                built.append(Sentence(tokens))
                parts.append(" ".join(words))
        return cls("\n".join(parts), built, id=id, meta=meta or {})


def checked(document: Document) -> Document:
    """The document; an error for what is none, such as its text."""
    if not isinstance(document, Document):
        problem = f"a document is a fofe.Document, not of type {type(document).__name__}"
        remedy = "model(text) gives one, and read_corpus those of a file; tag takes texts"
        raise InputError(problem, remedy=remedy)
    return document


def to_json(content: dict[str, Any], place: str, *, ascii: bool = True) -> str:
    """JSON in one line; an error if metadata cannot be written as JSON."""
    try:
        return json.dumps(content, ensure_ascii=ascii, allow_nan=False)
    except (TypeError, ValueError) as error:
        remedy = "leave such values out, or put strings or null in their place"
        raise InputError(f"the metadata of {place} is not JSON: {error}", remedy=remedy) from None


def join_label(type: str, kind: str) -> str:
    """The network's label of a type and a kind."""
    return type + NOMINAL_SUFFIX if kind == NOMINAL else type


@lru_cache  # labels are few, mentions many
def split_label(label: str) -> tuple[str, str]:
    """The type and the kind of a label: the inverse of `join_label`."""
    type = label.removesuffix(NOMINAL_SUFFIX)
    return type, NAME if type == label else NOMINAL
