"""GLiNER: a JSON list of sentences, as its training takes it; one object a line is read as well.

An item has `tokenized_text`, a list of words, and `ner`, a list of `[first, last, label]`: both ends count
tokens, and the last is inclusive. Other keys are kept. A document of several sentences is written as several
items.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from fofe.base.files import Target
from fofe.base.report import EMPTY_SENTENCES, Report
from fofe.formats import common, jsonl
from fofe.formats.json_fields import read_items
from fofe.text.document import Document, join_label

WORDS, MENTIONS = "tokenized_text", "ner"
RESERVED_KEYS = frozenset({"id", WORDS, MENTIONS})


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The items of a file as documents of one sentence each."""
    for item in read_items(path, report, "item"):
        words = item.strings(WORDS)
        if not words:
            report.note(EMPTY_SENTENCES, item.place)
            continue
        document = Document.from_words([words], id=item.identifier("id"))
        tokens = document.sentences[0].tokens
        for mention in item.objects(MENTIONS, lists_as=("start", "end", "label")):
            first, end = mention.span(len(words), jsonl.TOKENS, inclusive=True)
            start, end = tokens[first].start, tokens[end - 1].end
            document.mentions.append(common.labelled(start, end, mention.string("label"), document.text))
        document.meta = item.rest()
        yield document


def write(documents: Iterable[Document], target: Target, report: Report) -> None:
    """Write an item for each sentence."""
    common.write_items(_lines(documents, report), target)


def _lines(documents: Iterable[Document], report: Report) -> Iterator[str]:
    for place, document in common.places(documents):
        common.note_losses(document, report, "gliner", place, kept="metadata, tokens")
        common.note_several_sentences(document, report, place)
        meta = common.id_and_meta(document, RESERVED_KEYS, report, place)
        for sentence in jsonl.sentences_of(document, report, place):
            mentions = [
                [one["start"], one["end"] - 1, join_label(one["type"], one["kind"])]
                for one in sentence["mentions"]
            ]
            item = {**meta, WORDS: sentence["tokens"], MENTIONS: mentions}
            yield common.json_line(item, report, place)
