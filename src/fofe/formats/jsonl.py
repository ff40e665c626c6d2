"""JSON lines: one document or one sentence a line, in one of three shapes.

- `{"text", "mentions": [{"start", "end", "type"}]}`: spans are half-open code points of the text.
  `"sentences": [{"tokens": [[start, end], ...]}]` adds the tokens.
- `{"tokens": ["..."], "entities": [[start, end, "type"]]}`: spans are half-open token positions.
- `{"sentences": [{"tokens": ["..."], "mentions": [...]}]}`: the same for every sentence of a document.

The key of the mentions is "mentions" or "entities", and each may be an object or a list. An object may have
"label" for "type", and also "kind" (NAM or NOM), "score", "alternatives", "head" ([start, end]), "rule" and
"text", which must agree with its span. Without "kind" a type may end in `_NOM`, `.NOM` or `.NAM`. "unknown",
"known" and "negatives" list the regions of a text or a sentence as [start, end] pairs, or are `true` for all.
Other keys of a document are kept in its `meta` and, but for "offsets", written again; those that look like
the annotation of another tool are counted. Spans may nest and cross. One line is read at a time.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.files import Target, open_output
from fofe.base.report import EMPTY_SENTENCES, Report
from fofe.formats import common
from fofe.formats.json_fields import (
    IF_DOCCANO,
    IF_HUGGING_FACE,
    IF_LABEL_STUDIO,
    IF_PRODIGY,
    Fields,
    parse_object,
    read_objects,
)
from fofe.text.align import align, token_regions, tokens_of
from fofe.text.document import NAME, NOMINAL, REGION_KEYS, Document, Mention, Region, Sentence, Token, to_json
from fofe.text.offsets import OffsetUnit

CHARACTERS = "characters"
TOKENS = "tokens"
MENTION_KEYS = ("mentions", "entities")
OFFSETS = "offsets"
"""What names the unit of the offsets, where they do not count code points."""
RESERVED_KEYS = frozenset(
    {"id", "text", "tokens", "sentences", OFFSETS, *MENTION_KEYS, *REGION_KEYS.values()}
)

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The documents of a file, or of standard input for the path `-`; tokenise those without sentences."""
    for fields in read_objects(path, report):
        document = _document(fields, report)
        if not fields.which(*MENTION_KEYS):
            _note_unread_annotation(document, report, fields.place)
        yield document


def parse_line(line: str, path: str, number: int, report: Report) -> Document:
    """The document of one line; errors name the path and the number of the line."""
    return _document(parse_object(line, path, number), report)


def _note_unread_annotation(document: Document, report: Report, place: str) -> None:
    """Count fields of a line without mentions that look like annotation under another name."""
    for key, value in document.meta.items():
        if not isinstance(value, list) or not value:
            continue
        if key in ("label", "labels") and isinstance(value[0], (list, dict)):
            remedy = IF_DOCCANO
        elif key in ("ner_tags", "tags") and len(value) == sum(1 for _ in document.tokens):
            remedy = IF_HUGGING_FACE
        elif _is_span(value[0]):
            remedy = IF_PRODIGY if key == "spans" else 'if they are mentions, call them "mentions"'
        else:
            continue
        report.note(f'lines with "{key}" but no "mentions", read as without mentions: {remedy}', place)


def _is_span(value: object) -> bool:
    if isinstance(value, dict):
        return {"start", "end"} <= value.keys()
    return isinstance(value, list) and len(value) > 1 and all(isinstance(one, int) for one in value[:2])


def _document(fields: Fields, report: Report) -> Document:
    if len(fields.which("text", "tokens")) > 1:
        remedy = 'leave one of them out; offsets of tokens go under "sentences"'
        raise fields.error('both "text" and "tokens"', remedy)
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
    _annotate(document, fields, None, report)
    position = 0
    for sentence in fields.objects("sentences", optional=True):
        if sentence.which(*MENTION_KEYS):
            raise sentence.error("mentions of a sentence", 'put them beside "text", as spans of characters')
        pairs = sentence.objects("tokens", lists_as=("start", "end"))
        spans = [pair.span(len(document.text), CHARACTERS) for pair in pairs]
        for start, end in spans:
            if start < position:
                raise sentence.error(f"token {start}:{end} begins before the end of the one before it")
            position = end
        tokens = [Token(document.text[start:end], start, end) for start, end in spans]
        if tokens:
            document.sentences.append(Sentence(tokens))
        else:
            report.note(EMPTY_SENTENCES, sentence.place)
        sentence.note_rest(report)
    return document


def _from_words(sentences: list[Fields], report: Report) -> Document:
    words = [fields.strings("tokens") for fields in sentences]
    document = Document.from_words(words)
    built = iter(document.sentences)
    for fields, of_sentence in zip(sentences, words, strict=True):
        if not of_sentence:
            report.note(EMPTY_SENTENCES, fields.place)
        _annotate(document, fields, next(built).tokens if of_sentence else [], report)
    return document


def _annotate(document: Document, fields: Fields, tokens: list[Token] | None, report: Report) -> None:
    """Add mentions and regions, whose spans count the tokens of a sentence or, without, characters."""
    unit, length = (CHARACTERS, len(document.text)) if tokens is None else (TOKENS, len(tokens))

    def characters(span: tuple[int, int]) -> tuple[int, int]:
        return span if tokens is None else (tokens[span[0]].start, tokens[span[1] - 1].end)

    for mention in _mentions(fields):
        span = mention.span(length, unit)
        head = mention.head(*span, unit)
        found = _mention(mention, characters(span), document.text, head and characters(head))
        document.mentions.append(found)
        mention.note_rest(report)
    for status, key in REGION_KEYS.items():
        document.regions += [Region(*characters(span), status) for span in fields.spans(key, length, unit)]


def _mentions(fields: Fields) -> Iterator[Fields]:
    """The mentions, each with its type, which may be called "label"; an error for one of doccano's."""
    key = fields.only_one(*MENTION_KEYS)
    for mention in fields.objects(key, lists_as=("start", "end", "type")) if key else ():
        if mention.which("start_offset") and not mention.which("start"):
            raise mention.error('"start" is missing', IF_DOCCANO)
        yield mention if mention.which("type") else mention.renamed({"label": "type"})


def _mention(fields: Fields, span: tuple[int, int], text: str, head: tuple[int, int] | None) -> Mention:
    """The mention that some fields describe, at a span of characters of the text."""
    covered = text[slice(*span)]
    if fields.which("kind"):
        type, kind = fields.string("type"), fields.string("kind", empty=True)
        if kind not in (NAME, NOMINAL):
            raise fields.error(f'"kind" is {kind!r}', f"use {NAME} for a name or {NOMINAL} for a nominal")
    else:
        type, kind = common.parse_label(fields.string("type"))
    fields.check_text(covered)
    pairs = fields.objects("alternatives", lists_as=("label", "score"), optional=True)
    alternatives = tuple((pair.string("label"), pair.number("score")) for pair in pairs)
    rule = fields.string("rule") if fields.which("rule") else None
    return Mention(*span, type, kind, fields.number("score", 1.0), covered, alternatives, head, rule)


def write(
    documents: Iterable[Document],
    target: Target,
    report: Report,
    *,
    spans: str = CHARACTERS,
    tokens: bool = True,
) -> None:
    """Write one document a line, with spans of characters or of tokens.

    With spans of characters the text is kept, and the offsets of its tokens unless `tokens` is false. With
    spans of tokens the original spacing is lost.
    """
    if spans not in (CHARACTERS, TOKENS):
        raise InputError(f"unknown kind of spans {spans!r}", remedy=f"use {CHARACTERS} or {TOKENS}")
    with open_output(target) as stream:
        for place, document in common.places(documents):
            stream.write(format_line(document, report, place, spans=spans, tokens=tokens))


def format_line(
    document: Document,
    report: Report,
    place: str,
    *,
    spans: str = CHARACTERS,
    tokens: bool = True,
    offsets: OffsetUnit = "codepoints",
) -> str:
    """The line of one document, whose offsets are in that unit; the report calls it `place`."""
    meta = common.id_and_meta(document, RESERVED_KEYS, report, place)
    if offsets != "codepoints":
        meta[OFFSETS] = offsets
    if spans == TOKENS:
        content = {**meta, "sentences": sentences_of(document, report, place)}
    else:
        mentions = [
            mention if mention.text else replace(mention, text=document.text[mention.start : mention.end])
            for mention in document.mentions
        ]
        tokens = tokens and bool(document.sentences)
        content = replace(document, meta=meta, mentions=mentions).to_dict(tokens=tokens)
        for token in document.tokens if tokens else ():
            if token.text != document.text[token.start : token.end]:
                report.note("tokens unlike the text at that place, written by offsets alone", place)
    line = to_json(content, place, ascii=False)
    if _SURROGATE_PAIR.search(line):
        problem = f"{place} spells one character as two surrogates, which JSON would join"
        remedy = "join them: text.encode('utf-16', 'surrogatepass').decode('utf-16')"
        raise InputError(problem, remedy=remedy)
    # UTF-8 cannot encode a lone surrogate, but a JSON escape can.
    return common.SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", line) + "\n"


def sentences_of(document: Document, report: Report, place: str) -> list[dict[str, Any]]:
    """The words, mentions and regions of each sentence, with spans of tokens."""
    common.require_tokens(document, place)
    sentences: list[dict[str, Any]] = [{"tokens": one.words, "mentions": []} for one in document.sentences]
    if Document.from_words(sentence["tokens"] for sentence in sentences).text != document.text:
        report.note("documents written without the spacing of the text, which token spans cannot hold", place)
    aligned, rest = align(document)
    for span, mention in aligned:
        head = mention.head and tokens_of(document, *mention.head)
        if mention.head and not head:
            report.note("heads left out for not beginning and ending with a token", place)
        moved = replace(mention, start=span.start, end=span.end, head=head and (head.start, head.end))
        content = moved.to_dict()
        del content["text"]
        sentences[span.sentence]["mentions"].append(content)
    for mention in rest:
        report.note(f"{common.UNALIGNED} of one sentence", f"{place} {mention.start}:{mention.end}")
    regions, without_tokens = token_regions(document)
    for content, of_sentence in zip(sentences, regions, strict=True):
        content.update(
            {REGION_KEYS[key]: list(map(list, spans)) for key, spans in of_sentence.items() if spans}
        )
    for region in without_tokens:
        report.note("regions left out for holding no tokens", f"{place} {region.start}:{region.end}")
    return sentences
