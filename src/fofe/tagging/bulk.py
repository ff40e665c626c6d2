"""Tagging chunk after chunk, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from fofe.base.errors import InputError, ModelError
from fofe.base.report import Report
from fofe.cli._show import Show
from fofe.formats import with_tokens
from fofe.tagging.inputs import MERE_TEXT, Named, Piece

if TYPE_CHECKING:
    from fofe.tagging.by_language import ByLanguage
    from fofe.tagging.model import Model
    from fofe.text.document import Document


@dataclass
class Tagged:
    """What became of a chunk."""

    output: str = ""
    documents: int = 0
    size: int = 0
    """Bytes of the input."""
    bad: list[InputError] = field(default_factory=list)
    """Why documents could not be read."""
    report: Report = field(default_factory=Report)


@dataclass(frozen=True)
class TagJob:
    """Everything that a process needs to know to tag."""

    model: str
    """A model directory, or `auto` for the installed models, each for the documents of its language."""
    engine: str
    device: str
    """What scores fragments, and where: those of `fofe.load`."""
    options: dict[str, Any]
    """Those of `Model.with_options`."""
    flat: bool
    """Whether to tell only mentions that lie in no other."""
    show: Show
    strict: bool
    """Whether to stop at the first bad document of a chunk."""

    def start(self) -> Callable[[list[Piece]], Tagged]:
        """Load the model."""
        from fofe.evaluate.scheme import flat

        tagger = self._tagger()
        write = self.show.writer(tagger.labels)

        def tag(chunk: list[Piece]) -> Tagged:
            done = Tagged(size=sum(piece.size for piece in chunk))
            read = self._read(chunk, tagger, done)
            tagged = tagger.tag(document for _, document in read)
            if self.flat:
                tagged = map(flat, tagged)
            done.documents = len(read)
            done.output = "".join(
                write(document, done.report, name) for (name, _), document in zip(read, tagged, strict=True)
            )
            return done

        return tag

    def _tagger(self) -> Tagger:
        from fofe.tagging.installed import AUTO
        from fofe.tagging.model import load

        if self.model == AUTO:
            models = load(AUTO, engine=self.engine, device=self.device)
            return _EachLanguage(models.with_options(**self.options))
        return _OneModel(
            load(self.model, engine=self.engine, device=self.device).with_options(**self.options)
        )

    def _read(self, chunk: list[Piece], tagger: Tagger, done: Tagged) -> list[Named]:
        """The documents that can be read; the others are told in `done`."""
        read = []
        for piece in chunk:
            found = _read_or_fail(piece, tagger, done.report)
            if isinstance(found, InputError):
                done.bad.append(found)
                if self.strict:
                    break
            elif found is not None:
                read.append(found)
        return read


def _read_or_fail(piece: Piece, tagger: Tagger, report: Report) -> Named | InputError | None:
    try:
        found = piece.read(report)
        if found is None:
            return None
        name, document = found
        language = tagger.language(name, document.text, report)
        told = Report() if isinstance(piece, MERE_TEXT) else report  # of a corpus without tokens, that is
        return name, with_tokens(document, language, told)
    except InputError as error:
        return error


class Tagger(Protocol):
    """One model, or one for each language."""

    @property
    def labels(self) -> list[str]:
        """Those of mentions."""

    def language(self, name: str, text: str, report: Report) -> str:
        """The language of a document, which messages call by its name; an error where nothing can tag it."""

    def tag(self, documents: Iterable[Document]) -> Iterator[Document]: ...


class _OneModel:
    """A model that takes every document for one of its own language."""

    def __init__(self, model: Model) -> None:
        self._language = model.config.language
        self.labels = list(model.labels[1:])  # without NONE
        self.tag = model.tag_documents

    def language(self, name: str, text: str, report: Report) -> str:  # noqa: ARG002
        return self._language


class _EachLanguage:
    """The model of each document's language."""

    def __init__(self, models: ByLanguage) -> None:
        self._models = models
        self.labels = models.labels
        self.tag = models.tag_documents

    def language(self, name: str, text: str, report: Report) -> str:
        from fofe.text.detect import recognise

        told = recognise(text)
        try:
            language = self._models.fitting(told)
        except ModelError as error:
            raise InputError(error.problem, path=name, remedy=error.remedy) from None
        if told is None and text.strip():
            report.note(f"documents whose language cannot be told, taken for {language}", name)
        if not self._models.follows(language):
            told_of = f"the model of {language!r} does not know those of {self._models.conventions}"
            report.note(f"documents tagged without --scheme because {told_of}", name)
        return language
