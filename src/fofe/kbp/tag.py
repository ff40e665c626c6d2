"""Tagging source documents, thousands of them: in parallel, past bad ones, and to be resumed.

Each document is tagged on its own, by the model of its language. So the output is the same for any number of
workers and interruptions.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError, broken_file
from fofe.base.journal import Journal, stamp
from fofe.base.report import Report
from fofe.base.workers import in_order
from fofe.kbp.entities import NO_SENTENCE, Titles, numbered
from fofe.kbp.source import Reading, Seen, SourceDocument, read_sources
from fofe.kbp.tab import TabMention
from fofe.model.ensemble import directories
from fofe.tagging.batching import chunks
from fofe.tagging.model import load
from fofe.tagging.pipeline import CHUNK_BYTES
from fofe.text.document import NAME, NOMINAL, Document, Mention, join_label

Entry = dict[str, Any]
"""What was found in a file, in JSON types."""

TYPES = ("PER", "ORG", "GPE", "LOC", "FAC")
"""Those of the track."""
AUTHOR_TYPE = "PER"
DIGITS = 6
"""Of a confidence."""


@dataclass(frozen=True)
class SourceTagging:
    """How source documents are tagged: the job of a process, which can be pickled."""

    models: dict[str, str]
    """Model directories by language, as three letters."""
    reading: Reading = field(default_factory=Reading)
    language: str | None = None
    """The language of all documents; without it, that of each is recognised by its id or its text."""
    options: dict[str, Any] = field(default_factory=dict)
    """Those of `Model.with_options`."""

    def fingerprint(self) -> list[Any]:
        """What the result depends on besides the documents and the version."""
        folders = (folder for path in self.models.values() for folder in directories(path))
        files = (file for folder in folders for file in sorted(folder.iterdir()) if file.is_file())
        lists = (Path(rule.file) for rule in self.options.get("rules", ()) if rule.file)
        digest = hashlib.sha256()
        for file in (*files, *lists):
            digest.update(file.read_bytes())
        return [asdict(self), digest.hexdigest()]

    def missing_types(self) -> Iterator[str]:
        """What models cannot find of the types of the track, as a sentence for each of them."""
        for language, path in self.models.items():
            labels = load(path).labels
            lacks = []
            for kind, name in ((NAME, "names"), (NOMINAL, "nominals")):
                types = [type for type in TYPES if join_label(type, kind) not in labels]
                if types:
                    lacks.append(name if len(types) == len(TYPES) else f"{name} of {', '.join(types)}")
            if lacks:
                yield f"the model of {language} cannot find {', nor '.join(lacks)}: the track has these, too"

    def start(self) -> Callable[[Iterable[Path]], list[tuple[str, Entry]]]:
        """Load the models; what is returned tags files and gives their entries in the journal."""
        models = {language: load(path).with_options(**self.options) for language, path in self.models.items()}

        def tag(document: SourceDocument) -> list[Any] | InputError:
            """The id of a document, its form, mentions and their sentences; an error if there is no model."""
            text, language = document.shown.text, self.language or document.language()
            if text and language not in models:
                problem = f" is in {language}, for which there is no model"
                remedy = f"add --model {language}=..."
                if language is None:
                    problem, remedy = ": its language cannot be recognised", "give --lang"
                return InputError(f"document {document.id}{problem}", path=document.path, remedy=remedy)
            tagged = Document(text, list(document.sentences))
            if text and language:
                tagged = next(models[language].fresh().tag_documents([tagged]))
            rows = mentions_in_source(document, tagged.mentions)
            numbers = sentence_numbers(document, tagged, rows)
            return [document.id, document.is_ltf, list(map(astuple, rows)), numbers]

        def tag_file(path: Path) -> tuple[str, Entry]:
            report = Report()
            entry: Entry = {"stamp": stamp(path), "documents": [], "bad": [], "report": vars(report)}
            for document in read_sources(path, self.reading, report):
                found = document if isinstance(document, InputError) else tag(document)
                if isinstance(found, InputError):
                    entry["bad"].append(str(found))
                else:
                    entry["documents"].append(found)
            return str(path), entry

        return lambda paths: [tag_file(path) for path in paths]


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


def sentence_numbers(source: SourceDocument, tagged: Document, rows: Iterable[TabMention]) -> list[int]:
    """The numbers of the sentences of mentions."""
    starts = [sentence.start for sentence in tagged.sentences]
    places = (source.shown.from_source(row.start, row.end) for row in rows)
    return [NO_SENTENCE if place is None else bisect_right(starts, place[0]) - 1 for place in places]


def tag_files(
    how: SourceTagging,
    files: list[Path],
    journal: Journal,
    report: Report,
    bad: list[InputError],
    *,
    run: str,
    titles: Titles | None = None,
    workers: int = 1,
    watch: Callable[[int], object] = abs,
) -> tuple[list[TabMention], int]:
    """Tag files and record what is done; returns their mentions, and how many documents they had.

    Why documents were left out is added to `bad`. Names are linked to `titles`. `watch` is called with the
    bytes of each chunk that is done.
    """
    waiting = [file for file in files if _done(journal, file) is None]
    if waiting:
        some = chunks(waiting, lambda path: path.stat().st_size, CHUNK_BYTES)
        with closing(in_order(how, some, workers)) as results:
            for entries in results:
                journal.add_all(entries)
                watch(sum(entry["stamp"][0] for _, entry in entries))
    repeated: list[InputError] = []
    seen, documents = Seen(report, repeated), 0
    mentions: list[TabMention] = []
    sentences: list[int] = []
    for file in files:
        entry = _done(journal, file)
        if entry is None:
            raise InputError("a document was changed while it was tagged", remedy="start again with --resume")
        with broken_file(journal.folder, "remove it to start anew"):
            report.add(Report(**entry["report"]))
            bad += map(InputError, entry["bad"])
            for id, is_ltf, rows, numbers in entry["documents"]:
                if seen.is_new(id, str(file), is_ltf):
                    documents += 1
                    mentions += [TabMention(*row) for row in rows]
                    sentences += numbers
    bad += repeated
    return list(numbered(mentions, run, titles, sentences)), documents


def _done(journal: Journal, file: Path) -> Entry | None:
    """The entry of a file, unless the file has changed since."""
    entry: Entry | None = journal.done(str(file))
    return entry if entry is not None and entry["stamp"] == stamp(file) else None
