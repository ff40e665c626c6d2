"""Tagging source documents, thousands of them: in parallel, past bad ones, and to be resumed.

Each document is tagged on its own, by the model of its language. So the output is the same for any number of
workers and interruptions.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.journal import Journal, stamp
from fofe.base.report import Report
from fofe.kbp.source import Reading, SourceDocument, read_sources, same_id
from fofe.kbp.tab import TabMention, numbered
from fofe.model.ensemble import directories
from fofe.tagging.batching import chunks
from fofe.tagging.pipeline import CHUNK_BYTES, Input, TagJob, given_text, mentions_only, tag_chunks
from fofe.text.document import NAME, Mention

Entry = dict[str, Any]
"""What was found in a file, in JSON types."""

AUTHOR_TYPE = "PER"
DIGITS = 6
"""Of a confidence."""


@dataclass(frozen=True)
class SourceTagging:
    """How source documents are tagged."""

    models: Mapping[str, str]
    """Model directories by language, as three letters."""
    reading: Reading = field(default_factory=Reading)
    language: str | None = None
    """The language of all documents; without it, that of each is recognised by its id or its text."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of `Model.with_options`."""

    def fingerprint(self) -> list[Any]:
        """What the result depends on besides the documents and the version."""
        digest = hashlib.sha256()
        for path in self.models.values():
            for directory in directories(path):
                for file in sorted(directory.iterdir()):
                    if file.is_file():
                        digest.update(file.read_bytes())
        return [asdict(self), digest.hexdigest()]

    def input_of(self, document: SourceDocument) -> Input | InputError:
        """What a model is to read of a document; the error where there is none for its language."""
        if not document.shown.text:
            return given_text(document.id, None)
        language = self.language or document.language()
        if language in self.models:
            return given_text(document.id, document.shown.text, language)
        if language is None:
            problem, remedy = f"{document.id}: its language cannot be recognised", "give --lang"
        else:
            problem = f"{document.id} is in {language}, for which there is no model"
            remedy = f"add --model {language}=..."
        return InputError(f"document {problem}", path=document.path, remedy=remedy)


class _File:
    """A file that has been read: its documents, the inputs of the model, and the entry of the journal."""

    def __init__(self, path: Path, how: SourceTagging) -> None:
        self.path = path
        self.documents: list[SourceDocument] = []
        self.inputs: list[Input] = []
        report, bad = Report(), []
        for document in read_sources(path, how.reading, report):
            given = document if isinstance(document, InputError) else how.input_of(document)
            if isinstance(document, InputError) or isinstance(given, InputError):
                bad.append(str(given))
            else:
                self.inputs.append(given)
                self.documents.append(document)
        self.entry: Entry = {"stamp": stamp(path), "documents": [], "bad": bad, "report": vars(report)}

    def done(self, found: Iterator[Sequence[Mention] | None]) -> tuple[str, Entry]:
        """The key and the value for the journal; takes the mentions of each document."""
        for document in self.documents:
            mentions = next(found) or []
            rows = [astuple(row) for row in mentions_in_source(document, mentions)]
            self.entry["documents"].append([document.id, rows])
        return str(self.path), self.entry


def mentions_in_source(document: SourceDocument, mentions: Iterable[Mention]) -> list[TabMention]:
    """The mentions of what is shown and the authors of posts, in the order of the source."""
    found = [
        TabMention(document.id, start, end, document.text[start:end], AUTHOR_TYPE, NAME)
        for start, end in document.authors
    ]
    for mention in mentions:
        start, end = document.shown.to_source(mention.start, mention.end)
        text = document.text[start:end]
        score = round(mention.score, DIGITS)
        found.append(TabMention(document.id, start, end, text, mention.type, mention.kind, score=score))
    return sorted(found, key=lambda row: (row.start, row.end, row.type, row.kind))


@dataclass
class TaggedSources:
    """What came of a run."""

    mentions: list[TabMention]
    documents: int
    bad: list[str]
    """Why documents were left out."""
    report: Report


def tag_files(
    how: SourceTagging,
    files: list[Path],
    journal: Journal,
    *,
    run: str,
    workers: int = 1,
    watch: Callable[[int], object] = abs,
) -> TaggedSources:
    """Tag files and record what is done; `watch` is called with the bytes of each chunk that is done."""

    def read() -> Iterator[tuple[list[_File], list[Input]]]:
        for paths in chunks(waiting, lambda path: path.stat().st_size, CHUNK_BYTES):
            opened = [_File(path, how) for path in paths]
            yield opened, [one for file in opened for one in file.inputs]

    waiting = [file for file in files if _done(journal, file) is None]
    if waiting:
        job = TagJob(how.models, mentions_only, options=how.options, alone=True)
        with closing(tag_chunks(job, read(), workers)) as results:
            for opened, tagged in results:
                found = iter(tagged.outputs)
                journal.add_all([file.done(found) for file in opened])
                watch(sum(file.entry["stamp"][0] for file in opened))
    return _gather(journal, files, run)


def _done(journal: Journal, file: Path) -> Entry | None:
    """The entry of a file, unless the file has changed since."""
    entry: Entry | None = journal.done(str(file))
    return entry if entry is not None and entry["stamp"] == stamp(file) else None


def _gather(journal: Journal, files: Iterable[Path], run: str) -> TaggedSources:
    """All results in the order of the files."""
    seen: dict[str, str] = {}
    bad: list[str] = []
    report = Report()
    mentions: list[TabMention] = []
    for file in files:
        entry = _done(journal, file)
        if entry is None:
            raise InputError("a document was changed while it was tagged", remedy="start again with --resume")
        report.add(Report(**entry["report"]))
        bad += entry["bad"]
        for id, rows in entry["documents"]:
            if id in seen:
                bad.append(str(same_id(id, str(file), seen[id])))
            else:
                seen[id] = str(file)
                mentions += [TabMention(*row) for row in rows]
    return TaggedSources(list(numbered(mentions, run)), len(seen), bad, report)
