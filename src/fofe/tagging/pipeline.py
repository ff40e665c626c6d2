"""The one way from inputs to mentions: read, choose the model, tokenise, tag, write, chunk after chunk.

Files, parquet and Spark differ in where inputs come from and where outputs go. A `TagJob` does the rest, in
this process or in several.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.decode import outermost
from fofe.formats import with_tokens
from fofe.tagging import batching
from fofe.tagging.by_language import ByLanguage, tag_each
from fofe.tagging.model import Model, load
from fofe.text.document import NONE, Document, Mention

CHUNK_BYTES = 32_768
"""Some thousand words: few messages between processes, and results soon."""

Output = TypeVar("Output")


class Input(NamedTuple):
    """A document that has not been read, small enough to be sent to another process."""

    read: Callable[[Report], Document | None]
    """Reads it, or raises an InputError; None where there is no document. Can be pickled."""
    size: int
    """Its bytes, about."""
    name: str = ""
    """What messages call a document without an id."""
    is_text: bool = False
    """Whether it is plain text, which nobody expects to come with tokens."""


def ready(document: Document | None, name: str, *, is_text: bool = False) -> Input:
    """The input of a document that is at hand; None is no document."""
    return Input(partial(_as_it_is, document), len(document.text) if document else 0, name, is_text)


def _as_it_is(document: Document | None, _: Report) -> Document | None:
    return document


def fail(error: InputError, _: Report) -> NoReturn:
    """What reads an input that cannot be read."""
    raise error


def given_text(name: str, text: str | None) -> Input:
    """The input of a text that is at hand; there is no document where it is None."""
    return ready(None if text is None else Document(text), name, is_text=True)


@dataclass
class Tagged(Generic[Output]):
    """What became of a chunk."""

    outputs: list[Output | None] = field(default_factory=list)
    """One for each input; None where there was no document, or none that could be read."""
    documents: int = 0
    size: int = 0
    """Bytes of the inputs."""
    bad: list[InputError] = field(default_factory=list)
    """Why documents could not be read."""
    report: Report = field(default_factory=Report)


Write = Callable[[Document, Report, str], Output]
"""Makes the output of a document that the report calls by a name."""


def mentions_only(_: Sequence[str]) -> Write[list[Mention]]:
    """Outputs that are the mentions of the documents."""
    return lambda document, _, __: document.mentions


@dataclass(frozen=True)
class TagJob(Generic[Output]):
    """Everything that a process needs to know to tag. Can be pickled."""

    model: str
    """A model directory; or `auto` for the installed models, each for the documents of its language."""
    writer: Callable[[Sequence[str]], Write[Output]]
    """Gives what makes outputs, from the labels of mentions."""
    engine: str = "numpy"
    device: str = "auto"
    """What scores fragments, and where: those of `fofe.load`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of `Model.with_options`."""
    flat: bool = False
    """Whether to keep only mentions that lie in no other."""
    strict: bool = False
    """Whether to stop at the first bad document of a chunk."""

    def start(self) -> Callable[[list[Input]], Tagged[Output]]:
        """Load the models; what is returned tags a chunk."""
        model = load(self.model, engine=self.engine, device=self.device).with_options(**self.options)
        write = self.writer([label for label in model.labels if label != NONE])

        def tag(chunk: list[Input]) -> Tagged[Output]:
            done: Tagged[Output] = Tagged(size=sum(one.size for one in chunk))
            read = list(self._read(chunk, model, done))
            tagged = tag_each(list(filter(None, read)))
            if self.flat:
                tagged = (replace(document, mentions=outermost(document.mentions)) for document in tagged)
            for one, found in zip(chunk, read, strict=False):  # a strict job may stop before the end
                done.outputs.append(found and write(next(tagged), done.report, found[1].id or one.name))
            done.documents = len(read) - read.count(None)
            return done

        return tag

    def _read(
        self, chunk: list[Input], models: Model | ByLanguage, done: Tagged[Output]
    ) -> Iterator[tuple[Model, Document] | None]:
        """The model of each input and the document with tokens; errors go to `done`."""
        for one in chunk:
            found = None
            try:
                if (document := one.read(done.report)) is not None:
                    model = models
                    if isinstance(model, ByLanguage):
                        model = model.model_for(document.text, document.id or one.name, done.report)
                    noted = Report() if one.is_text else done.report
                    found = model, with_tokens(document, model.config.language, noted)
            except InputError as error:
                done.bad.append(error)
                if self.strict:
                    return
            yield found


def chunks(inputs: Iterable[Input | None]) -> Iterator[list[Input]]:
    """Lists of consecutive inputs of some `CHUNK_BYTES` together, or of fewer before a pause (None)."""
    return batching.chunks(inputs, lambda one: one.size, CHUNK_BYTES)
