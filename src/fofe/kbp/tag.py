"""Tagging source documents, thousands of them: in parallel, past bad ones, and to be resumed.

Each document is tagged on its own, by the model of its language, and its result does not depend on what was
tagged before it or beside it. So the output is the same for any number of workers and interruptions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import InputError
from fofe.base.journal import Journal, stamp
from fofe.base.report import Report
from fofe.base.workers import in_order
from fofe.kbp.source import Reading, SourceDocument, read_sources, same_id
from fofe.kbp.tab import TabMention, numbered
from fofe.text.document import NAME

if TYPE_CHECKING:
    from fofe.tagging.model import Model

Entry = dict[str, Any]
"""What was found in a file, in JSON types."""

AUTHOR_TYPE = "PER"
CHUNK_BYTES = 65_536
DIGITS = 6
"""Of a confidence."""


@dataclass(frozen=True)
class TagJob:
    """Everything that a process needs to know to tag files."""

    models: Mapping[str, str]
    """Model directories by language, as three letters."""
    reading: Reading = field(default_factory=Reading)
    language: str | None = None
    """The language of all documents; else each is told by its id or its text."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of `Model.with_options`."""

    def start(self) -> Callable[[list[str]], list[Entry]]:
        """Load the models."""
        from fofe.tagging.model import load

        models = {code: load(path).with_options(**self.options) for code, path in self.models.items()}

        def tag(paths: list[str]) -> list[Entry]:
            return [self._tag_file(path, models) for path in paths]

        return tag

    def fingerprint(self) -> list[Any]:
        """What the result depends on besides the documents and the version."""
        from fofe.model.ensemble import directories

        digest = hashlib.sha256()
        for path in self.models.values():
            for directory in directories(path):
                for file in sorted(directory.iterdir()):
                    if file.is_file():
                        digest.update(file.read_bytes())
        return [asdict(self), digest.hexdigest()]

    def _tag_file(self, path: str, models: Mapping[str, Model]) -> Entry:
        report = Report()
        entry: Entry = {"file": path, "stamp": stamp(Path(path)), "documents": [], "bad": []}
        for document in read_sources(path, self.reading, report):
            try:
                if isinstance(document, InputError):
                    raise document
                mentions = tag_document(document, self._model_for(document, models))
            except InputError as error:
                entry["bad"].append(str(error))
                continue
            rows = [[row.start, row.end, row.text, row.type, row.kind, row.score] for row in mentions]
            entry["documents"].append([document.id, rows])
        entry["counts"], entry["places"] = dict(report.counts), report.places
        return entry

    def _model_for(self, document: SourceDocument, models: Mapping[str, Model]) -> Model | None:
        """The model of a document's language; a document without text needs none."""
        if not document.shown.text:
            return None
        language = self.language or document.language()
        if language is None:
            raise InputError(
                f"document {document.id}: its language cannot be told",
                path=document.path,
                remedy="give --lang",
            )
        if language not in models:
            raise InputError(
                f"document {document.id} is in {language}, for which there is no model",
                path=document.path,
                remedy=f"add --model {language}=...",
            )
        return models[language]


def tag_document(document: SourceDocument, model: Model | None) -> list[TabMention]:
    """The mentions of a document in the order of the source, and the authors of its posts."""
    found = [
        TabMention(document.id, start, end, document.text[start:end], AUTHOR_TYPE, NAME)
        for start, end in document.authors
    ]
    for mention in model.fresh()(document.shown.text).mentions if model else ():
        start, end = document.shown.to_source(mention.start, mention.end)
        text = document.text[start:end]
        score = round(mention.score, DIGITS)
        found.append(TabMention(document.id, start, end, text, mention.type, mention.kind, score=score))
    return sorted(found, key=lambda row: (row.start, row.end, row.type, row.kind))


@dataclass
class Tagged:
    """What came of a run."""

    mentions: list[TabMention]
    documents: int
    bad: list[str]
    """Why documents were left out."""
    report: Report


def tag_files(
    job: TagJob,
    files: list[Path],
    journal: Journal,
    *,
    run: str,
    workers: int = 1,
    watch: Callable[[int], object] = abs,
) -> Tagged:
    """Tag files and write down what was done; `watch` is told the bytes of each chunk that is done."""
    chunks = list(_chunks([file for file in files if _done(journal, file) is None]))
    if chunks:
        with closing(in_order(job, chunks, workers)) as results:
            for entries in results:
                journal.add_all((entry["file"], entry) for entry in entries)
                watch(sum(entry["stamp"][0] for entry in entries))
    return _gather([_done(journal, file) for file in files], run)


def _done(journal: Journal, file: Path) -> Entry | None:
    """The entry of a file, unless the file has changed since."""
    entry: Entry | None = journal.done(str(file))
    return entry if entry is not None and entry["stamp"] == stamp(file) else None


def _chunks(files: Iterable[Path]) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for file in files:
        chunk.append(str(file))
        size += file.stat().st_size
        if size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _gather(entries: Iterable[Entry | None], run: str) -> Tagged:
    """All results in the order of the files."""
    seen: dict[str, str] = {}
    bad: list[str] = []
    report = Report()
    mentions: list[TabMention] = []
    for entry in entries:
        if entry is None:
            raise InputError("a document was changed while it was tagged", remedy="start again with --resume")
        noted = Report()
        noted.counts.update(entry["counts"])
        noted.places = entry["places"]
        report.add(noted)
        bad += entry["bad"]
        for id, rows in entry["documents"]:
            if id in seen:
                bad.append(str(same_id(id, entry["file"], seen[id])))
                continue
            seen[id] = entry["file"]
            mentions += [
                TabMention(id, start, end, text, type, kind, score=score)
                for start, end, text, type, kind, score in rows
            ]
    return Tagged(list(numbered(mentions, run)), len(seen), bad, report)
