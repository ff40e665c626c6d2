"""Rows of the data sets of Hugging Face: `tokens`, a list of words, and `ner_tags` (or `tags`), their tags.

Files are JSON lines, a JSON list, or parquet, which needs `fofe[parquet]`. Tags are names such as `B-PER` in
any scheme, recognised from the complete file, or numbers. The names of numbers are those of the parquet
schema, else those given as `tag_names`. A row is a document of one sentence; other columns are kept. JSON
lines with the names of tags are written, a row for each sentence.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError, in_file, needs
from fofe.base.files import Target, display_name, open_bytes, open_output
from fofe.base.report import EMPTY_FILES, EMPTY_SENTENCES, Report, counted
from fofe.formats import common, conll
from fofe.formats.json_fields import Fields, read_items
from fofe.formats.tag_schemes import is_tag, tag_scheme
from fofe.text.document import Document

WORDS, TAGS = "tokens", ("ner_tags", "tags")
RESERVED_KEYS = frozenset({"id", WORDS, *TAGS})
PARQUET = ".parquet"


def read(path: str | Path, report: Report, *, tag_names: Sequence[str] = ()) -> Iterator[Document]:
    """The rows of a file; `tag_names` are the names of tags that are numbers, from 0."""
    name = display_name(path)
    if name.lower().endswith(PARQUET):
        found, names = _parquet_rows(path, report)
    else:
        found, names = read_items(path, report, "row"), []
    rows: list[tuple[Fields, conll.Rows]] = []
    for number, fields in enumerate(found, start=1):
        if sentence := _sentence(fields, tag_names or names, number):
            rows.append((fields, sentence))
        else:
            report.note(EMPTY_SENTENCES, fields.place)
    with in_file(name):
        scheme = conll.scheme_of([sentence for _, sentence in rows], conll.AUTO, report)
    for fields, sentence in rows:
        document = conll.document_of([sentence], scheme, name, report)
        document.id, document.meta = fields.identifier("id"), fields.rest()
        yield document


def _sentence(fields: Fields, names: Sequence[str], number: int) -> conll.Rows:
    """The words of a row with their tags."""
    words = fields.strings(WORDS)
    key = fields.only_one(*TAGS) or TAGS[0]
    tags: list[Any] = fields.take(key, list, "a list of tags")
    if len(tags) != len(words):
        raise fields.error(f'"{key}" has {counted(len(tags), "tags")} for {counted(len(words), "words")}')
    return [conll.Row(word, _tag(fields, tag, names), number) for word, tag in zip(words, tags, strict=True)]


def _tag(fields: Fields, tag: object, names: Sequence[str]) -> str:
    if isinstance(tag, int) and not isinstance(tag, bool):
        if not names:
            remedy = (
                "give these in their order by --tag-names O,B-PER,..., in a configuration by `tag_names =`"
            )
            raise fields.error(f"the tag {tag} is a number without a name", remedy)
        if not 0 <= tag < len(names):
            raise fields.error(f"the tag {tag} is not one of the {len(names)} that have names, from 0")
        tag = names[tag]
    if not isinstance(tag, str) or not is_tag(tag):
        raise fields.error(f"{tag!r} is not a tag", "a tag is O or like B-PER")
    return tag


def _parquet_rows(path: str | Path, report: Report) -> tuple[Iterator[Fields], list[str]]:
    """The rows of a parquet file, and the names of its tags as far as its schema has them."""
    with needs("parquet files need pyarrow", "parquet", "pyarrow"):
        import pyarrow as pa
        from pyarrow.parquet import read_table
    name = display_name(path)
    with open_bytes(path) as stream:
        data = stream.read()
    try:
        table = read_table(pa.BufferReader(data))
        rows = table.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"is no parquet file that can be read: {error}", path=name) from None
    if not rows:
        report.note(EMPTY_FILES, name)
    fields = (Fields(row, name, number, "row") for number, row in enumerate(rows, start=1))
    return fields, _names((table.schema.metadata or {}).get(b"huggingface", b""))


def _names(metadata: bytes) -> list[str]:
    """The names of the tags in the description of the columns that Hugging Face adds to a schema."""
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError, IndexError):
        features = json.loads(metadata)["info"]["features"]
        feature = features.get(TAGS[0]) or features[TAGS[1]]
        names = (feature[0] if isinstance(feature, list) else feature["feature"])["names"]
        return [str(name) for name in names]
    return []


def write(documents: Iterable[Document], target: Target, report: Report, *, scheme: str = "IOB2") -> None:
    """Write a line for each sentence."""
    if str(target).lower().endswith(PARQUET):
        remedy = "name a .jsonl file; data sets of Hugging Face read it too"
        raise InputError("parquet is not written", path=str(target), remedy=remedy)
    tags = tag_scheme(scheme)
    with open_output(target) as stream:
        for place, document in common.places(documents):
            common.note_losses(document, report, "hugging-face", place, kept="metadata, tokens")
            common.note_several_sentences(document, report, place)
            meta = common.id_and_meta(document, RESERVED_KEYS, report, place)
            for words, of_words in conll.tagged_sentences(document, tags, report, place, "hugging-face"):
                row = {**meta, WORDS: words, TAGS[0]: of_words}
                stream.write(common.json_line(row, report, place) + "\n")
