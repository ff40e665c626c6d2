"""Source documents with gold mentions as training data, and training data as gold mentions again.

The text of a training document is what a reader sees of the source, in which mentions have other offsets; the
way back goes through the source again. What only a `.tab` file has - ids, and mentions that are not in the
text, such as the authors of posts - travels in the metadata of the document, under "kbp".
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats import read_corpus, write_corpus
from fofe.kbp.entities import numbered
from fofe.kbp.source import SourceDocument, language_code
from fofe.kbp.tab import TabMention, by_document, mismatch, read_tab, write_tab
from fofe.text.align import align, split_tokens
from fofe.text.document import Document, Mention
from fofe.text.tokenise import PLAIN, tokeniser

META = "kbp"
MENTIONS, KEPT_MENTIONS = "gold mentions", "gold mentions kept"
"""What is totalled on the way to training data."""

KEPT = {"start": int, "end": int, "type": str, "kind": str, "kb": str, "score": float, "run": str, "id": str}
"""What is kept of a gold mention in metadata, and its types."""


def in_language(sources: Iterable[SourceDocument], language: str, report: Report) -> Iterator[SourceDocument]:
    """The documents in one language; the others are counted."""
    wanted = language_code(language)
    for source in sources:
        if source.language() == wanted:
            yield source
        else:
            report.note("documents in another language left out", source.id)


def gold_to_corpus(
    sources: Iterable[SourceDocument], gold_path: str, output: str, report: Report
) -> tuple[int, dict[str, list[TabMention]]]:
    """Write source documents with their gold mentions as a corpus.

    Returns the number of documents written, and the gold mentions of documents without a source.
    """
    gold = by_document(read_tab(gold_path, report))
    documents = [to_training(source, gold.pop(source.id, []), report) for source in sources]
    write_corpus(documents, output, None, report)
    return len(documents), gold


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
            done += 1
        except InputError as error:
            bad.append(error)
    # Without ids, as the predictions of a model have none, all are numbered as those of a run.
    write_tab(mentions if all(mention.id for mention in mentions) else numbered(mentions, run), output)
    return done


def to_training(source: SourceDocument, gold: Iterable[TabMention], report: Report) -> Document:
    """The document that a reader sees, with tokens and those gold mentions that are in it.

    A token that a mention divides is cut there. A mention whose string differs from the source is left out.
    """
    language = source.language()
    if language is None:
        report.note("documents in an unclear language, tokenised by plain rules", source.id)
    document = Document(source.shown.text, list(source.sentences), id=source.id)
    if not document.sentences:
        document = tokeniser(language or PLAIN).document(document.text, id=source.id)
    kept = []
    for mention in gold:
        report.totals[MENTIONS] += 1
        if problem := mismatch(mention, source):
            report.note("mentions left out for a string that is not that of the document", problem)
            continue
        kept.append({name: getattr(mention, name) for name in KEPT})
        place = source.shown.from_source(mention.start, mention.end)
        if place is not None:
            shown = source.shown.text[slice(*place)]
            document.mentions.append(Mention(*place, mention.type, mention.kind, mention.score, shown))
        elif (mention.start, mention.end) not in source.authors:
            report.note("mentions outside the text, or with a part of a character", mention.place)
            continue
        report.totals[KEPT_MENTIONS] += 1
    document.meta = {"language": language or PLAIN, META: kept}
    borders = (border for one in document.mentions for border in (one.start, one.end))
    document.sentences = split_tokens(document.sentences, borders)
    for one in align(document)[1]:
        where = f"{document.id} {one.start}:{one.end}"
        report.note("mentions over the end of a sentence, or with white space at the end", where)
    return document


def to_gold(document: Document, source: SourceDocument) -> list[TabMention]:
    """The mentions of a training document, in the order in which they stand in the source.

    Those that came without ids, such as the predictions of a model, have none here either.
    """
    text, shown_text = document.text, source.shown.text
    if text != shown_text:
        pairs = enumerate(zip_longest(text, shown_text))
        place = next(position for position, (one, other) in pairs if one != other)
        excerpt = slice(place, place + 20)
        raise InputError(
            f"{document.id} is not the text of its source: from character {place} on "
            f"{text[excerpt]!r} in the corpus, {shown_text[excerpt]!r} in the source",
            remedy="give the same documents, and --quotes if they were converted with it",
        )
    found: list[TabMention] = []
    waiting: dict[tuple[int, int, str, str], list[TabMention]] = {}
    for mention in _kept(document, source):
        if source.shown.from_source(mention.start, mention.end) is None:
            found.append(mention)
        else:
            waiting.setdefault((mention.start, mention.end, mention.type, mention.kind), []).append(mention)
    for shown in document.mentions:
        start, end = source.shown.to_source(shown.start, shown.end)
        if source.shown.from_source(start, end) != (shown.start, shown.end):
            problem = f"{document.id}: {shown.start}:{shown.end} begins or ends between two blocks of text"
            raise InputError(problem, remedy="mentions begin and end with a character of the source")
        kept = waiting.get((start, end, shown.type, shown.kind))
        own = TabMention(source.id, start, end, source.text[start:end], shown.type, shown.kind)
        found.append(replace(kept.pop(0) if kept else own, score=shown.score))
    return sorted(found, key=lambda row: (row.start, row.end, row.type, row.kind, row.id))


def _kept(document: Document, source: SourceDocument) -> list[TabMention]:
    """The gold mentions in the metadata of a document, which may have been edited."""
    rows = document.meta.get(META, [])
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and {name: type(value) for name, value in row.items()} == KEPT for row in rows
    ):
        problem = f"{document.id}: {META!r} in its metadata is not as it was written"
        raise InputError(problem, remedy="convert the documents to a corpus again")
    return [TabMention(source.id, text=source.text[row["start"] : row["end"]], **row) for row in rows]
