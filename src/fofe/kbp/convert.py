"""Source documents with gold mentions as training data, and training data as gold mentions again.

The text of a training document is what a reader sees of the source, in which mentions have other offsets; the
way back goes through the source again. What only a `.tab` file has - ids, and mentions that are not in the
text, such as the authors of posts - travels in the metadata of the document, under "kbp".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats import read_corpus, write_corpus
from fofe.kbp.source import SourceDocument, language_code
from fofe.kbp.tab import TabMention, by_document, check_mention, numbered, read_tab, write_tab
from fofe.text.align import Aligner
from fofe.text.document import Document, Mention
from fofe.text.languages import PLAIN
from fofe.text.tokenise import tokeniser

META = "kbp"
LANGUAGE = "language"

Row = list[Any]
"""What is kept of a mention in metadata."""


def in_language(sources: Iterable[SourceDocument], language: str, report: Report) -> Iterator[SourceDocument]:
    """The documents in one language; the others are counted."""
    wanted = language_code(language)
    for source in sources:
        if source.language() == wanted:
            yield source
        else:
            report.note("documents in other languages left out", source.id)


def gold_to_corpus(
    sources: Iterable[SourceDocument], gold_path: str, output: str, report: Report, bad: list[InputError]
) -> tuple[int, dict[str, list[TabMention]]]:
    """Write source documents with their gold mentions as a corpus; documents with errors go to `bad`.

    Returns the number of documents written, and the gold mentions of documents without a source.
    """
    gold = by_document(read_tab(gold_path, report))
    written = 0

    def documents() -> Iterator[Document]:
        nonlocal written
        for source in sources:
            try:
                document = to_training(source, gold.pop(source.id, []), report)
            except InputError as error:
                bad.append(error)
                continue
            written += 1
            yield document

    write_corpus(documents(), output, None, report)
    return written, gold


def corpus_to_gold(
    sources: Iterable[SourceDocument],
    corpus_path: str,
    output: str,
    report: Report,
    bad: list[InputError],
    *,
    run: str,
) -> int:
    """Write the mentions of a corpus that was made from sources as a `.tab` file; counts its documents."""
    corpus = {document.id: document for document in read_corpus(corpus_path, None, report)}
    mentions: list[TabMention] = []
    done = 0
    for source in sources:
        if source.id not in corpus:
            report.note("documents that the corpus does not have", source.id)
            continue
        try:
            mentions += to_gold(corpus[source.id], source)
        except InputError as error:
            bad.append(error)
            continue
        done += 1
    write_tab(with_ids(mentions, run), output)
    return done


def to_training(source: SourceDocument, gold: Iterable[TabMention], report: Report) -> Document:
    """The document that a reader sees, with tokens and those gold mentions that are in it."""
    language = source.language()
    if language is None:
        report.note("documents in an unclear language, tokenised by plain rules", source.id)
    document = tokeniser(language or PLAIN).document(source.shown.text, id=source.id)
    aligner = Aligner(document)
    inside: list[Row] = []
    outside: list[Row] = []
    for mention in gold:
        check_mention(mention, source)
        place = source.shown.from_source(mention.start, mention.end)
        if place is None:
            outside.append(_row_outside(mention))
            if (mention.start, mention.end) not in source.authors:
                report.note("mentions that are not in the text, or divide a character of it", mention.place)
            continue
        if aligner.tokens_of(*place) is None:
            report.note("mentions that divide a token or go over the end of a sentence", mention.place)
        start, end = place
        shown = source.shown.text[start:end]
        document.mentions.append(Mention(start, end, mention.type, mention.kind, mention.score, shown))
        inside.append([start, end, mention.type, mention.kind, mention.run, mention.id, mention.kb])
    kept = {"mentions": inside, "outside": outside}
    document.meta = {LANGUAGE: language or PLAIN, META: {key: rows for key, rows in kept.items() if rows}}
    return document


def to_gold(document: Document, source: SourceDocument) -> list[TabMention]:
    """The mentions of a training document, in the order in which they stand in the source.

    Those that came without ids, such as the predictions of a model, have none here either.
    """
    _check_text(document, source)
    ids: dict[tuple[int, int, str, str], list[Row]] = {}
    for start, end, type, kind, *rest in _kept_rows(document, "mentions", 7):
        ids.setdefault((start, end, type, kind), []).append(rest)
    found = [_mention_outside(source, row) for row in _kept_rows(document, "outside", 8)]
    for mention in document.mentions:
        start, end = source.shown.to_source(mention.start, mention.end)
        if source.shown.from_source(start, end) != (mention.start, mention.end):
            raise InputError(
                f"{document.id}: {mention.start}:{mention.end} begins or ends between two blocks of text",
                remedy="mentions begin and end with a character of the source",
            )
        waiting = ids.get((mention.start, mention.end, mention.type, mention.kind))
        run, id, kb = waiting.pop(0) if waiting else ("", "", "")
        text, type, kind, score = source.text[start:end], mention.type, mention.kind, mention.score
        found.append(TabMention(source.id, start, end, text, type, kind, kb, score, run, id))
    return sorted(found, key=lambda row: (row.start, row.end, row.type, row.kind, row.id))


def with_ids(mentions: Sequence[TabMention], run: str) -> list[TabMention]:
    """The mentions as they are if all have ids; else all numbered anew, as those of a run."""
    return list(mentions if all(mention.id for mention in mentions) else numbered(mentions, run))


def _kept_rows(document: Document, key: str, columns: int) -> list[Row]:
    """What is kept in the metadata of mentions, or of those outside of the text; it may have been edited."""
    kept = document.meta.get(META)
    rows = kept.get(key, []) if isinstance(kept, dict) else []
    if not isinstance(rows, list) or not all(_is_row(row, columns) for row in rows):
        raise InputError(
            f"{document.id}: {key!r} in its metadata is not as it was written",
            remedy="convert the documents to a corpus again",
        )
    return rows


def _is_row(row: object, columns: int) -> bool:
    """Whether a row has its start and end, five strings, and the score if it has more."""
    if not isinstance(row, list) or len(row) != columns:
        return False
    start_and_end, strings, score = row[:2], row[2:7], row[7:]
    return (
        all(isinstance(value, int) for value in start_and_end)
        and all(isinstance(value, str) for value in strings)
        and all(isinstance(value, (int, float)) for value in score)
    )


def _row_outside(mention: TabMention) -> Row:
    return [
        *(mention.start, mention.end, mention.type, mention.kind),
        *(mention.run, mention.id, mention.kb, mention.score),
    ]


def _mention_outside(source: SourceDocument, row: Row) -> TabMention:
    start, end, type, kind, run, id, kb, score = row
    return TabMention(source.id, start, end, source.text[start:end], type, kind, kb, score, run, id)


def _check_text(document: Document, source: SourceDocument) -> None:
    shown = source.shown.text
    if document.text == shown:
        return
    letters = enumerate(zip_longest(document.text, shown))
    place = next(position for position, (one, other) in letters if one != other)
    excerpt = slice(place, place + 20)
    raise InputError(
        f"{document.id} is not the text of its source: from character {place} on "
        f"{document.text[excerpt]!r} in the corpus, {shown[excerpt]!r} in the source",
        remedy="give the same documents, and --quotes if they were converted with it",
    )
