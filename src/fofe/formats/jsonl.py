"""JSON lines: one document or one sentence a line, in one of three shapes.

- `{"text", "mentions": [{"start", "end", "type"}]}`: spans are half-open code points of the text.
  `"sentences": [{"tokens": [[start, end], ...]}]` adds the tokens.
- `{"tokens": ["..."], "entities": [[start, end, "type"]]}`: spans are half-open token positions.
- `{"sentences": [{"tokens": ["..."], "mentions": [...]}]}`: the same for every sentence of a document.

Mentions may stand under "mentions" or "entities", and each may be an object or a list. An object may say
"label" for "type", and may also have "kind" (NAM or NOM), "score", "alternatives", "head" ([start, end]) and
"text", which must agree with its span. Without "kind" a type that ends in `_NOM`, `.NOM` or `.NAM` says it.
"unknown", "known" and "negatives" list the regions of a text or a sentence as [start, end] pairs, or are
`true` for all of it. Other keys of a document are kept in its `meta` and come back when it is written; what
looks there like the annotation of another tool is counted. Spans may nest and cross. One line is read at a
time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.files import Target, display_name, open_output, read_lines
from fofe.base.report import EMPTY_FILES, EMPTY_SENTENCES, Report
from fofe.formats._foreign import IF_DOCCANO, IF_LABEL_STUDIO, note_unread_annotation
from fofe.formats.common import meta_beside, text_of, to_json
from fofe.formats.json_fields import Fields
from fofe.text.align import Aligner, align, token_regions
from fofe.text.document import REGION_KEYS, Document, Mention, Region, Sentence, Token

CHARACTERS = "characters"
TOKENS = "tokens"
MENTION_KEYS = ("mentions", "entities")
RESERVED_KEYS = frozenset({"id", "text", "tokens", "sentences", *MENTION_KEYS, *REGION_KEYS.values()})

_ONE_A_LINE = "put one JSON object on each line"
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The documents of a file, or of standard input for the path `-`.

    A text without tokens comes without sentences: tokenise it before use.
    """
    name = display_name(path)
    empty = True
    for number, line in read_lines(path):
        if line.strip():
            empty = False
            fields = _fields(line, name, number)
            document = _document(fields, report)
            note_unread_annotation(fields, document, report)
            yield document
    if empty:
        report.note(EMPTY_FILES, name)


def parse_line(line: str, path: str, number: int, report: Report) -> Document:
    """The document of one line; errors name the path and the number of the line."""
    return _document(_fields(line, path, number), report)


def _fields(line: str, path: str, number: int) -> Fields:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        remedy = _ONE_A_LINE if not line.lstrip().startswith("[") else f"{_ONE_A_LINE}; {IF_LABEL_STUDIO}"
        raise InputError(f"not JSON: {error}", path=path, line=number, remedy=remedy) from None
    if isinstance(value, list):
        problem = "the line: a list where an object is needed"
        raise InputError(problem, path=path, line=number, remedy=f"{_ONE_A_LINE}; {IF_LABEL_STUDIO}")
    return Fields(value, path, number, "the line")


def _document(fields: Fields, report: Report) -> Document:
    if len(fields.which("text", "tokens")) > 1:
        raise fields.error(
            'both "text" and "tokens"', 'leave one of them out; offsets of tokens go under "sentences"'
        )
    if fields.which("text"):
        document = _from_characters(fields, report)
    elif fields.which("sentences"):
        sentences = fields.objects("sentences")
        for key in fields.which(*REGION_KEYS.values()):
            raise fields.error(f'"{key}" beside sentences of tokens', "put it into the sentences")
        document = _from_words(sentences, report)
        for sentence in sentences:
            sentence.note_rest(report)
    elif fields.which("tokens"):
        document = _from_words([fields], report)
    else:
        needed = 'a line needs "text", "tokens" or "sentences"'
        raise fields.error("no text", f"{needed}; {IF_LABEL_STUDIO}" if fields.which("data") else needed)
    document.id = fields.identifier("id")
    document.meta = fields.rest()
    return document


def _from_characters(fields: Fields, report: Report) -> Document:
    document = Document(fields.string("text", empty=True))
    for mention in _mentions(fields):
        start, end = mention.span(len(document.text), "characters")
        head = mention.head(start, end, "characters")
        document.mentions.append(mention.mention(start, end, document.text, report, head))
    for status, key in REGION_KEYS.items():
        document.regions += [
            Region(start, end, status) for start, end in fields.spans(key, len(document.text), "characters")
        ]
    position = 0
    for sentence in fields.objects("sentences") if fields.which("sentences") else ():
        if sentence.which(*MENTION_KEYS):
            raise sentence.error("mentions of a sentence", 'put them beside "text", as spans of characters')
        tokens = _tokens(sentence, document.text, position)
        if tokens:
            document.sentences.append(Sentence(tokens))
            position = tokens[-1].end
        else:
            report.note(EMPTY_SENTENCES, sentence.place)
        sentence.note_rest(report)
    return document


def _tokens(sentence: Fields, text: str, position: int) -> list[Token]:
    """The tokens of a sentence that begins at `position` or later; they must stand in order."""
    tokens = []
    for pair in sentence.pairs("tokens"):
        start, end = pair.span(len(text), "characters")
        if start < position:
            raise sentence.error(f"token {start}:{end} begins before the end of the one before it")
        tokens.append(Token(text[start:end], start, end))
        position = end
    return tokens


def _from_words(sentences: list[Fields], report: Report) -> Document:
    words = [fields.strings("tokens") for fields in sentences]
    document = Document.from_words(words)
    built = iter(document.sentences)
    for fields, of_sentence in zip(sentences, words, strict=True):
        if not of_sentence:
            report.note(EMPTY_SENTENCES, fields.place)
        tokens = next(built).tokens if of_sentence else []
        for mention in _mentions(fields):
            start, end = mention.span(len(tokens), "tokens")
            head = mention.head(start, end, "tokens")
            document.mentions.append(
                mention.mention(
                    tokens[start].start,
                    tokens[end - 1].end,
                    document.text,
                    report,
                    head and (tokens[head[0]].start, tokens[head[1] - 1].end),
                )
            )
        document.regions += [
            Region(tokens[start].start, tokens[end - 1].end, status)
            for status, key in REGION_KEYS.items()
            for start, end in fields.spans(key, len(tokens), "tokens")
        ]
    return document


def _mentions(fields: Fields) -> list[Fields]:
    keys = fields.which(*MENTION_KEYS)
    if len(keys) > 1:
        raise fields.error('both "mentions" and "entities"', "give one of them")
    mentions = fields.objects(keys[0], lists_as=("start", "end", "type")) if keys else []
    return [_with_type(mention) for mention in mentions]


def _with_type(mention: Fields) -> Fields:
    """The mention, whose type may also stand under "label"; doccano's are of another format."""
    if mention.which("start_offset") and not mention.which("start"):
        raise mention.error('"start" is missing', IF_DOCCANO)
    return mention if mention.which("type") else mention.renamed({"label": "type"})


def write(
    documents: Iterable[Document],
    path_or_stream: Target,
    report: Report,
    *,
    spans: str = CHARACTERS,
    tokens: bool = True,
) -> None:
    """Write a document a line, with spans of characters or of tokens.

    With spans of characters the text is kept as it is, and the offsets of its tokens unless `tokens` is
    false. Spans of tokens leave out the original spacing.
    """
    if spans not in (CHARACTERS, TOKENS):
        raise InputError(f"unknown kind of spans {spans!r}", remedy=f"use {CHARACTERS} or {TOKENS}")
    with open_output(path_or_stream) as stream:
        for number, document in enumerate(documents, start=1):
            place = document.id or f"document {number}"
            stream.write(format_line(document, report, place, spans=spans, tokens=tokens))


def format_line(
    document: Document, report: Report, place: str, *, spans: str = CHARACTERS, tokens: bool = True
) -> str:
    """The line of one document; the report calls it `place`."""
    if spans == TOKENS:
        content = _token_content(document, report, place)
    else:
        content = _character_content(document, tokens, report, place)
    head = {"id": document.id} if document.id else {}
    line = to_json({**head, **meta_beside(document, RESERVED_KEYS, report, place), **content}, place)
    if _SURROGATE_PAIR.search(line):
        raise InputError(
            f"{place} spells one character as two surrogates, which JSON cannot keep apart",
            remedy="join them: text.encode('utf-16', 'surrogatepass').decode('utf-16')",
        )
    # UTF-8 cannot hold a lone surrogate, but a JSON escape can.
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", line) + "\n"


def _character_content(document: Document, tokens: bool, report: Report, place: str) -> dict[str, Any]:
    content: dict[str, Any] = {
        "text": document.text,
        "mentions": [
            {
                **_mention_content(mention, mention.start, mention.end, mention.head),
                "text": text_of(mention, document.text),
            }
            for mention in document.mentions
        ],
    }
    for start, end, status in document.regions:
        content.setdefault(REGION_KEYS[status], []).append([start, end])
    if tokens and document.sentences:
        content["sentences"] = [
            {"tokens": [[token.start, token.end] for token in sentence.tokens]}
            for sentence in document.sentences
        ]
        for token in document.tokens:
            if token.text != document.text[token.start : token.end]:
                report.note("tokens that differ from their text, written by offsets alone", place)
    return content


def _token_content(document: Document, report: Report, place: str) -> dict[str, Any]:
    if not document.sentences and document.text.strip():
        raise InputError(
            f"{place} has no tokens", remedy="tokenise it first, on the command line with --lang"
        )
    sentences: list[dict[str, Any]] = [
        {"tokens": sentence.words, "mentions": []} for sentence in document.sentences
    ]
    if Document.from_words(sentence.words for sentence in document.sentences).text != document.text:
        report.note("documents whose spacing token spans cannot hold", place)
    aligned, rest = align(document)
    aligner = Aligner(document)
    for span, mention in aligned:
        head = mention.head and aligner.tokens_of(*mention.head)
        if mention.head and not head:
            report.note("heads left out because they do not begin and end with a token", place)
        content = _mention_content(mention, span.start, span.end, head and (head.start, head.end))
        sentences[span.sentence]["mentions"].append(content)
    for mention in rest:
        report.note(
            "mentions left out because they do not begin and end with a token of one sentence",
            f"{place} {mention.start}:{mention.end}",
        )
    _add_token_regions(sentences, document, report, place)
    return {"sentences": sentences}


def _add_token_regions(
    sentences: list[dict[str, Any]], document: Document, report: Report, place: str
) -> None:
    regions, without_tokens = token_regions(document)
    for content, of_sentence in zip(sentences, regions, strict=True):
        content.update({key: list(map(list, spans)) for key, spans in vars(of_sentence).items() if spans})
    for region in without_tokens:
        report.note("regions left out because they hold no tokens", f"{place} {region.start}:{region.end}")


def _mention_content(mention: Mention, start: int, end: int, head: tuple[int, int] | None) -> dict[str, Any]:
    content: dict[str, Any] = {
        "start": start,
        "end": end,
        "type": mention.type,
        "kind": mention.kind,
        "score": float(mention.score),
    }
    if head:
        content["head"] = list(head)
    if mention.alternatives:
        content["alternatives"] = [[label, float(score)] for label, score in mention.alternatives]
    return content
