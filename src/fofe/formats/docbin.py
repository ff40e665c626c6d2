"""spaCy's DocBin: documents with tokens, sentences and spans in one `.spacy` file.

Mentions stand in the span group `fofe`, with their scores in its attributes, and those that lie in no other
also in `doc.ents`, so that spaCy can train on them. A file without that group is read from `doc.ents`. Labels
hold the kind: `PER_NOM`. Needs `fofe[spacy]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import InputError
from fofe.base.files import STANDARD, Target, display_name, open_bytes, write_atomically
from fofe.base.report import EMPTY_FILES, Report
from fofe.formats.common import has_scores, note_unheld, parse_label, without_surrogates
from fofe.text.document import Document, Mention, Sentence, Token

if TYPE_CHECKING:
    from spacy.tokens import Doc

SUFFIX = ".spacy"
GROUP = "fofe"
SCORES = "scores"
"""Where a span group keeps the scores of its spans; spaCy's own span categoriser does the same."""


def require_spacy() -> Any:
    """The package, or an error that says how to get it."""
    try:
        import spacy
    except ModuleNotFoundError as error:
        if error.name != "spacy":
            raise
        raise InputError("spaCy is not installed", remedy="pip install 'fofe[spacy]'") from None
    return spacy


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The documents of a DocBin."""
    spacy = require_spacy()
    from spacy.tokens import DocBin

    name = display_name(path)
    with open_bytes(path) as stream:
        data = stream.read()
    try:
        docs = list(DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
    except Exception as error:  # whatever is in the bytes: zlib, msgpack and spaCy raise errors of their own
        raise InputError(f"is no DocBin: {error}", path=name, remedy="write it with DocBin.to_disk") from None
    if not docs:
        report.note(EMPTY_FILES, name)
    for number, doc in enumerate(docs, start=1):
        yield document_of(doc, report, f"document {number} of {name}")


def document_of(doc: Doc, report: Report, place: str) -> Document:
    """The document of a spaCy doc, with its mentions."""
    document = Document(doc.text, sentences_of(doc), id=str(doc.user_data.get("id", "")))
    if not doc.has_annotation("SENT_START") and len(doc) > 1:
        report.note("documents without sentence borders read as one sentence", place)
    if GROUP in doc.spans:
        group = doc.spans[GROUP]
        scores = [float(score) for score in group.attrs.get(SCORES, ())]
        spans = list(group)
    else:
        spans, scores = list(doc.ents), []
    if len(scores) != len(spans):
        scores = [1.0] * len(spans)
    for span, score in zip(spans, scores, strict=True):
        type, kind = parse_label(span.label_ or "MENTION")
        if not span.label_:
            report.note("spans without a label read as MENTION", place)
        document.mentions.append(Mention(span.start_char, span.end_char, type, kind, score, span.text))
    return document


def sentences_of(doc: Doc) -> list[Sentence]:
    """The sentences of a doc, or all of it as one; tokens of blanks alone are left out."""
    parts = doc.sents if doc.has_annotation("SENT_START") else [doc[:]] if len(doc) else []
    sentences = []
    for part in parts:
        tokens = [
            Token(token.text, token.idx, token.idx + len(token.text)) for token in part if not token.is_space
        ]
        if tokens:
            sentences.append(Sentence(tokens))
    return sentences


def write(documents: Iterable[Document], path_or_stream: Target, report: Report) -> None:
    """Write documents that have tokens into one file."""
    spacy = require_spacy()
    from spacy.tokens import DocBin

    if not isinstance(path_or_stream, (str, Path)) or str(path_or_stream) == STANDARD:
        raise InputError("a DocBin needs a file to be written to, not a stream")
    vocabulary = spacy.blank("xx").vocab
    stored = DocBin(store_user_data=True)
    for number, document in enumerate(documents, start=1):
        stored.add(doc_of(document, vocabulary, report, document.id or f"document {number}"))
    with write_atomically(path_or_stream, "wb") as stream:
        stream.write(stored.to_bytes())


def doc_of(document: Document, vocabulary: Any, report: Report, place: str) -> Doc:
    """The spaCy doc of a document; what stands between tokens becomes tokens too, so that the text stays."""
    from spacy.tokens import Doc

    if not document.sentences and document.text.strip():
        raise InputError(
            f"{place} has no tokens", remedy="tokenise it first, on the command line with --lang"
        )
    text = without_surrogates(document.text, report, place)
    pieces = list(_pieces(document, len(text)))
    doc = Doc(
        vocabulary,
        words=[text[start:end] for start, end, _, _ in pieces],
        spaces=[spaced for _, _, spaced, _ in pieces],
        sent_starts=[starts for _, _, _, starts in pieces],
    )
    if document.id:
        doc.user_data["id"] = document.id
    note_unheld(replace(document, mentions=[]), report, "a DocBin", place)
    _add_spans(doc, document.mentions, report, place)
    return doc


def _pieces(document: Document, length: int) -> Iterator[tuple[int, int, bool, bool]]:
    """Start, end, whether a space follows, and whether a sentence starts: tokens and what is between them."""
    firsts = {sentence.start for sentence in document.sentences}
    tokens = [(token.start, token.end) for token in document.tokens]
    nexts = [*(start for start, _ in tokens[1:]), length] if tokens else []
    before = tokens[0][0] if tokens else length
    if before:
        yield 0, before, False, True
    for (start, end), after in zip(tokens, nexts, strict=True):
        spaced = end < after and document.text[end] == " "
        yield start, end, spaced, start in firsts
        position = end + spaced
        if position < after:
            yield position, after, False, False


def _add_spans(doc: Doc, mentions: list[Mention], report: Report, place: str) -> None:
    spacy = require_spacy()
    spans, scores = [], []
    for mention in mentions:
        if mention.alternatives:
            report.note("alternatives of mentions that a DocBin cannot hold", place)
        if mention.head:
            report.note("heads of mentions that a DocBin cannot hold", place)
        label = without_surrogates(mention.label, report, place)
        span = doc.char_span(mention.start, mention.end, label=label)
        if span is None:
            report.note(
                "mentions left out because they do not begin and end with a token",
                f"{place} {mention.start}:{mention.end}",
            )
        else:
            spans.append(span)
            scores.append(float(mention.score))
    doc.spans[GROUP] = spans
    if any(map(has_scores, mentions)):
        doc.spans[GROUP].attrs[SCORES] = scores
    doc.ents = spacy.util.filter_spans(spans)
