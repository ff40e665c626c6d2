"""LitBank, Weibo and CoNLL-2002 as source documents with gold mentions, as the tri-lingual track has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from _discovery import PARTS, PartFiles, part_files, sources
from _record import shared

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats import jsonl, read_corpus
from fofe.kbp.convert import to_training
from fofe.kbp.entities import numbered
from fofe.kbp.tab import TabMention, by_document, mismatch, read_tab, write_tab
from fofe.text.align import align
from fofe.text.document import Document, split_label

Sentence = tuple[list[str], list[tuple[int, int, str]]]
"""Words, and mentions as token spans with labels."""


@dataclass(frozen=True)
class Language:
    """A language of the track and the corpus that stands in for it."""

    code: str
    genre: str
    config: str
    files: tuple[str, str, str]
    """Of train, dev and test, beside the project."""
    sentences: int | None
    """How many make a document; None where the corpus has documents."""
    between: str = " "
    """What stands between words."""


LANGUAGES = (
    Language("eng", "NW", "litbank", ("train.jsonl", "dev.jsonl", "test.jsonl"), None),
    Language("cmn", "WB", "weibo", ("train.conll", "dev.conll", "test.conll"), 10, between=""),
    Language("spa", "NW", "conll2002", ("esp.train", "esp.testa", "esp.testb"), 20),
)


def write_part(folder: Path, language: Language, part: str, limit: int | None) -> PartFiles:
    """Write a part as documents and gold mentions, then convert both; done once."""
    files = part_files(folder, language.code, part)
    if files.corpus.exists():
        return files
    files.documents.mkdir(parents=True, exist_ok=True)
    gold: list[TabMention] = []
    for number, sentences in enumerate(islice(_documents(language, part), limit), start=1):
        id = f"{language.code.upper()}_{language.genre}_{part.upper()}{number:04}"
        text, mentions = _source(id, sentences, language.between, body=language.code == "cmn")
        (files.documents / f"{id}.xml").write_text(text, "utf-8")
        gold += mentions
    write_tab(numbered(gold, "gold"), files.gold)
    _convert(files)
    return files


def _documents(language: Language, part: str) -> Iterator[list[Sentence]]:
    file = language.files[PARTS.index(part)]
    corpus = list(read_corpus(shared("data", language.config, file), _format(file), Report()))
    if language.sentences is None:
        for document in corpus:
            yield _sentences(document)
        return
    together = [sentence for document in corpus for sentence in _sentences(document)]
    for start in range(0, len(together), language.sentences):
        yield together[start : start + language.sentences]


def _format(file: str) -> str:
    return "jsonl" if file.endswith(".jsonl") else "conll"


def _sentences(document: Document) -> list[Sentence]:
    found: list[Sentence] = [(sentence.words, []) for sentence in document.sentences]
    for span, mention in align(document)[0]:
        found[span.sentence][1].append((span.start, span.end, mention.label))
    return found


def _source(
    id: str, sentences: Sequence[Sentence], between: str, *, body: bool
) -> tuple[str, list[TabMention]]:
    """The text of a document, a paragraph for each sentence, and its mentions."""
    if body:
        head, tail = f"<DOC>\n<DOCID> {id} </DOCID>\n<BODY>\n<TEXT>\n", "</TEXT>\n</BODY>\n</DOC>\n"
    else:
        head, tail = f'<DOC id="{id}" type="story">\n<TEXT>\n', "</TEXT>\n</DOC>\n"
    parts = [head]
    length = len(head)
    mentions: list[TabMention] = []
    for words, spans in sentences:
        escaped = [word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for word in words]
        position = length + len("<P>\n")
        starts = []
        for word in escaped:
            starts.append(position)
            position += len(word) + len(between)
        text = between.join(escaped)
        for first, after, label in spans:
            start, end = starts[first], starts[after - 1] + len(escaped[after - 1])
            covered = text[start - starts[0] : end - starts[0]]
            mentions.append(TabMention(id, start, end, covered, *split_label(label)))
        parts.append(f"<P>\n{text}\n</P>\n")
        length += len(parts[-1])
    return "".join([*parts, tail]), mentions


def _convert(files: PartFiles) -> None:
    report = Report()
    gold = by_document(read_tab(files.gold, report))
    documents = []
    for source in sources(files):
        for mention in gold.get(source.id, ()):
            if problem := mismatch(mention, source):
                raise InputError(problem, path=files.gold)
        documents.append(to_training(source, gold.get(source.id, []), report))
    jsonl.write(documents, files.corpus, report)
    for line in report.lines():
        print(f"{files.corpus.name}: {line}")
