"""Tagging chunk after chunk, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fofe.cli._pieces import Named, Piece
from fofe.cli._show import Show
from fofe.errors import InputError
from fofe.formats.report import Report


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
        from fofe.evaluate.view import flat
        from fofe.model.tagger import load

        model = load(self.model, engine=self.engine, device=self.device).with_options(**self.options)
        write = self.show.writer(model.labels[1:])  # without NONE

        def tag(chunk: list[Piece]) -> Tagged:
            done = Tagged(size=sum(piece.size for piece in chunk))
            read = self._read(chunk, model.config.language, done)
            tagged = model.tag_documents(document for _, document in read)
            if self.flat:
                tagged = map(flat, tagged)
            done.documents = len(read)
            done.output = "".join(
                write(document, done.report, name) for (name, _), document in zip(read, tagged, strict=True)
            )
            return done

        return tag

    def _read(self, chunk: list[Piece], language: str, done: Tagged) -> list[Named]:
        """The documents that can be read; the others are told in `done`."""
        read = []
        for piece in chunk:
            found = _read_or_fail(piece, language, done.report)
            if isinstance(found, InputError):
                done.bad.append(found)
                if self.strict:
                    break
            elif found is not None:
                read.append(found)
        return read


def _read_or_fail(piece: Piece, language: str, report: Report) -> Named | InputError | None:
    try:
        return piece.read(language, report)
    except InputError as error:
        return error
