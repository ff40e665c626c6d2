"""spaCy's DocBin: documents with tokens, sentences and spans in one `.spacy` file.

Mentions are in the span group `fofe`, with their scores in its attributes. The outermost ones are also in
`doc.ents`, so that spaCy can train on them. A file without that group is read from `doc.ents`. Labels include
the kind: `PER_NOM`. Needs `fofe[spacy]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import InputError, needs
from fofe.base.files import STANDARD, Target, display_name, open_bytes, write_atomically
from fofe.base.report import EMPTY_FILES, Report
from fofe.formats import common
from fofe.text.document import Document, Sentence, Token

if TYPE_CHECKING:
    from spacy.tokens import Doc

GROUP = "fofe"
SCORES = "scores"
"""The attribute of a span group with the scores of its spans, as in spaCy's own span categoriser."""


def _spacy() -> tuple[Any, Any]:
    """A new DocBin and vocabulary, or an error that says how to install spaCy."""
    with needs("spaCy is not installed", "spacy", "spacy"):
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab
    return DocBin(store_user_data=True), Vocab()


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The documents of a DocBin."""
    stored, vocabulary = _spacy()
    name = display_name(path)
    with open_bytes(path) as stream:
        data = stream.read()
    try:
        docs = list(stored.from_bytes(data).get_docs(vocabulary))
        for group in (group for doc in docs for group in doc.spans.values()):
            list(group)  # raises for spans past the end of the document
    except Exception as error:  # zlib, msgpack and spaCy raise various errors for bad bytes
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
    group = doc.spans.get(GROUP)
    spans = list(doc.ents if group is None else group)
    scores = [] if group is None else list(map(float, group.attrs.get(SCORES, ())))
    if len(scores) != len(spans):
        scores = [1.0] * len(spans)
    for span, score in zip(spans, scores, strict=True):
        if not span.label_:
            report.note("spans without a label read as MENTION", place)
        label = span.label_ or "MENTION"
        document.mentions.append(common.labelled(span.start_char, span.end_char, label, doc.text, score))
    return document


def sentences_of(doc: Doc) -> list[Sentence]:
    """The sentences of a doc, or all of it as one; tokens of whitespace are left out."""
    parts = doc.sents if doc.has_annotation("SENT_START") else [doc[:]] if len(doc) else []
    cut = ([(token.text, token.idx) for token in part if not token.text.isspace()] for part in parts)
    return [Sentence([Token(text, at, at + len(text)) for text, at in words]) for words in cut if words]


def write(documents: Iterable[Document], target: Target, report: Report) -> None:
    """Write documents that have tokens into one file."""
    stored, vocabulary = _spacy()
    if not isinstance(target, (str, Path)) or str(target) == STANDARD:
        raise InputError("a DocBin needs a file to be written to, not a stream")
    for place, document in common.places(documents):
        stored.add(doc_of(document, vocabulary, report, place))
    with write_atomically(target, "wb") as stream:
        stream.write(stored.to_bytes())


def doc_of(document: Document, vocabulary: Any, report: Report, place: str) -> Doc:
    """The spaCy doc of a document; text between tokens becomes tokens too, so that the text is kept."""
    from spacy.tokens import Doc
    from spacy.util import filter_spans

    common.require_tokens(document, place)
    text = common.without_surrogates(document.text, report, place)
    parts = list(_parts(document, len(text)))
    words, spaces = [text[start:end] for start, end, _, _ in parts], [spaced for _, _, spaced, _ in parts]
    doc = Doc(vocabulary, words, spaces, sent_starts=[first for _, _, _, first in parts])
    if document.id:
        doc.user_data["id"] = document.id
    common.note_losses(document, report, "a DocBin", place, kept="tokens, scores")
    spans, scores = [], []
    for mention in document.mentions:
        label = common.without_surrogates(mention.label, report, place)
        span = doc.char_span(mention.start, mention.end, label=label)
        if span is None:
            report.note(common.UNALIGNED, f"{place} {mention.start}:{mention.end}")
        else:
            spans.append(span)
            scores.append(float(mention.score))
    doc.spans[GROUP] = spans
    if any(map(common.has_scores, document.mentions)):
        doc.spans[GROUP].attrs[SCORES] = scores
    doc.ents = filter_spans(spans)
    return doc


def _parts(document: Document, length: int) -> Iterator[tuple[int, int, bool, bool]]:
    """Tokens and the text between them: start, end, whether a space follows, whether a sentence starts."""
    firsts = {0, *(sentence.start for sentence in document.sentences)}
    starts = {token.start for token in document.tokens}
    ends = {token.end for token in document.tokens}
    spaced = {end for end in ends - starts if document.text[end : end + 1] == " "}
    borders = {0, length, *starts, *(end + (end in spaced) for end in ends)}
    for start, end in pairwise(sorted(borders)):
        space = end - 1 in spaced
        yield start, end - space, space, start in firsts
