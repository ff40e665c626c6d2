"""Corpora in and out: every format has the same two functions, `read` and `write`."""

import glob
import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.files import (
    STANDARD,
    WRITING,
    Target,
    check_is_text,
    display_name,
    is_standard_output,
    open_bytes,
)
from fofe.base.report import Report as Report
from fofe.text.document import NONE, Document, checked

FORMATS: dict[str, tuple[str, ...]] = {
    "conll": (".conll", ".iob", ".iob1", ".iob2", ".bio", ".bioes", ".bilou", ".bmes", ".tsv"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "brat": (".ann",),
    "spacy": (".spacy",),
    "hugging-face": (".parquet",),
    # These share the suffixes of JSON lines: some are known by their keys, the last two must be named.
    "prodigy": (),
    "gliner": (),
    "label-studio": (),
    "doccano": (),
}
"""The formats, each with the suffixes that its files usually have.

Each has a module of the same name with two functions: `read(path, report, **options)` yields the documents of
a file or directory, `write(documents, target, report, **options)` writes documents.
"""

GLANCE = 65_536
"""The bytes of a file that are enough for a guess."""
OTHER_FILES = "files of other kinds left out"
_NAME_IT = f"name the format: {', '.join(FORMATS)}"


def guess_format(path: str | Path) -> str:
    """The name of the format of a file or directory: by its suffix, else by its content."""
    path = Path(path)
    found = _format_of_file(path)
    if found is None and path.is_dir():
        # The one format of the files in a directory; for an empty one brat, which alone makes them.
        names = {name for _, name in corpus_files(path, None, Report())} or {"brat"}
        found = names.pop() if len(names) == 1 else None
    elif found is None and path.suffix == ".txt" and path.with_suffix(".ann").exists():
        found = "brat"
    elif found is None and (path.is_file() or str(path) == STANDARD):
        found = _format_of_content(path)
    if found is None:
        remedy = f"plain text without annotation is for fofe tag; else {_NAME_IT}"
        raise InputError("the format cannot be guessed", path=display_name(path), remedy=remedy)
    return found


def read_corpus(
    path: str | Path,
    format: str | None = None,
    report: Report | None = None,
    *,
    language: str | None = None,
    retokenise: bool = False,
    **options: Any,
) -> Iterator[Document]:
    """The documents of a file, a directory, a pattern such as `data/*.conll`, or standard input (`-`).

    Without a format it is guessed for each file. With a language, texts without tokens are tokenised; else
    they have no sentences. With `retokenise`, other sentences are tokenised again by the rules of the
    language: a corpus of Chinese words becomes one of characters. The options are those of the format's
    `read`.
    """
    if retokenise and language is None:
        raise InputError("retokenising needs a language", path=path, remedy="give its ISO 639 code")
    report = Report() if report is None else report
    for file, name in corpus_files(path, format, report):
        for document in format_function(name, "read", options)(file, report, **options):
            _strip_types(document, report)
            if any(mention.type == NONE for mention in document.mentions):
                remedy = "give the type another name, or leave these mentions out"
                raise InputError(
                    f"has mentions of type {NONE}, which stands for none", path=file, remedy=remedy
                )
            yield document if language is None else with_tokens(document, language, report, retokenise)


def _strip_types(document: Document, report: Report) -> None:
    """Leave out white space at the ends of types, which would else be types of their own."""
    for number, mention in enumerate(document.mentions):
        if mention.type != (type := mention.type.strip()):
            document.mentions[number] = replace(mention, type=type)
            report.note("labels with white space at an end, which was left out", repr(mention.type))


def write_corpus(
    documents: Iterable[Document],
    path: Target,
    format: str | None = None,
    report: Report | None = None,
    **options: Any,
) -> None:
    """Write documents to a file, a directory (brat), a stream or standard output (`-`).

    Without a format it is guessed from the suffix. The options are those of the format's `write`.
    """
    if format is None:
        if not isinstance(path, (str, Path)) or str(path) == STANDARD:
            raise InputError("a stream that is written has no format of its own", remedy=_NAME_IT)
        format = guess_format(path)
    write = format_function(format, "write", options)
    write(map(checked, documents), path, Report() if report is None else report, **options)


def with_tokens(document: Document, language: str, report: Report, retokenise: bool = False) -> Document:
    """The document itself, tokenised if it has text but no tokens, or in any case with `retokenise`."""
    from fofe.text.tokenise import tokeniser

    if not document.sentences and document.text.strip():
        document.sentences = tokeniser(language).document(document.text).sentences
        report.note(f"documents without tokens tokenised as {language}", document.id)
    elif retokenise:
        document.sentences = tokeniser(language).retokenised(document)
        report.note(f"documents retokenised as {language}", document.id)
    return document


def corpus_files(path: str | Path, format: str | None, report: Report) -> Iterator[tuple[str | Path, str]]:
    """The files of a path or pattern, each with the name of its format.

    Of a directory these are all files right in it if a format is given, else those whose suffix is known.
    """
    folder = Path(path)
    if str(path) != STANDARD and not folder.exists():
        matches = sorted(glob.glob(str(path), recursive=True))
        if not matches:
            raise InputError("there is no such file or directory", path=path)
        for match in matches:
            yield from corpus_files(match, format, report)
    elif str(path) == STANDARD or not folder.is_dir():
        yield path, format or guess_format(path)
    elif format == "brat":
        yield folder, "brat"
    else:
        yield from _corpora_in(folder, format, report)


def _corpora_in(folder: Path, format: str | None, report: Report) -> Iterator[tuple[Path, str]]:
    """The corpora right in a directory; if they are pairs of brat at most, those below it are read too."""
    from fofe.formats.brat import ANNOTATION_SUFFIX, TEXT_SUFFIX, visible

    noted = Report()
    files = [(file, format or _format_of_file(file)) for file in files_in(folder, noted)]
    only_brat = format is None and {name for _, name in files} <= {None, "brat"}
    if only_brat and visible(folder, ANNOTATION_SUFFIX):
        for file in visible(folder):
            if file.is_file() and file.suffix not in (TEXT_SUFFIX, ANNOTATION_SUFFIX):
                report.note(OTHER_FILES, str(file))
        yield folder, "brat"
        return
    report.add(noted)
    for file, name in files:
        if name is not None:
            yield file, name
        elif file.suffix != TEXT_SUFFIX or not file.with_suffix(ANNOTATION_SUFFIX).exists():
            report.note(OTHER_FILES, str(file))


def files_in(folder: Path, report: Report) -> Iterator[Path]:
    """The files right in a directory, without hidden ones; what we are writing ourselves does not count."""
    for file in sorted(folder.iterdir()):
        if file.name.endswith(WRITING) or is_standard_output(file):
            continue
        if file.is_dir():
            report.note("directories inside of one left out", str(file))
        elif file.name.startswith("."):
            report.note(OTHER_FILES, str(file))
        else:
            yield file


def _format_of_suffix(path: Path) -> str | None:
    return next((name for name, suffixes in FORMATS.items() if path.suffix.lower() in suffixes), None)


def _format_of_file(path: Path) -> str | None:
    """The format of a suffix; for JSON lines, the one whose keys the first object has."""
    found = _format_of_suffix(path)
    if found != "jsonl" or not path.is_file():
        return found
    with suppress(InputError, ValueError, RecursionError), open_bytes(path) as stream:
        head = stream.read(GLANCE).decode("utf-8", errors="ignore")
        value, _ = json.JSONDecoder().raw_decode(head, head.index("{"))
        if "tokenized_text" in value:
            return "gliner"
        if value.keys().isdisjoint(("mentions", "entities")):
            if "tokens" in value and not value.keys().isdisjoint(("ner_tags", "tags")):
                return "hugging-face"
            if "text" in value and isinstance(value.get("spans"), list):
                return "prodigy"
    return found


def _format_of_content(path: Path) -> str | None:
    """The format that the first line with content looks like, if any."""
    from fofe.formats.tag_schemes import is_tag

    with open_bytes(path) as stream:
        if str(path) != STANDARD:
            data = stream.read(GLANCE)
        else:  # what has come is looked at, and stays there to be read
            data = stream.peek(GLANCE) if isinstance(stream, BufferedReader) else b""
    check_is_text(data, path)
    for line in data.decode("utf-8-sig", errors="replace").split("\n"):
        if line.lstrip().startswith("{"):
            return "jsonl"
        columns = line.split()
        if any(is_tag(column) for column in columns[1:]):
            return "conll"
        if columns and not line.startswith("#"):
            return None
    return None


def format_function(format: str, name: str, options: Iterable[str] = ()) -> Callable[..., Any]:
    """`read` or `write` of a format; an error for an unknown format or option lists the known ones.

    The module is imported now, so that nobody loads formats for nothing.
    """
    if format not in FORMATS:
        raise InputError(f"unknown format {format!r}", remedy=f"use one of {', '.join(FORMATS)}")
    function: Callable[..., Any] = getattr(import_module(f"fofe.formats.{format.replace('-', '_')}"), name)
    accepted = inspect.signature(function).parameters
    for option in options:
        if option not in accepted:
            verb = {"read": "reading", "write": "writing"}[name]
            known = [key for key, of in accepted.items() if of.kind is of.KEYWORD_ONLY]
            remedy = f"it has: {', '.join(known) or 'none'}"
            raise InputError(f"{verb} {format} has no option {option!r}", remedy=remedy)
    return function
