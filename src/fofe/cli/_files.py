"""The files of commands: corpora that are read, and outputs that must not replace an input."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fofe.base.errors import InputError
from fofe.base.files import STANDARD, display_name
from fofe.base.report import Report
from fofe.cli._options import reading_options
from fofe.cli._terminal import say_report

if TYPE_CHECKING:
    from fofe.text.document import Document

STANDARD_INPUT = 0
"""Its file descriptor."""


def read_documents(path: str, args: argparse.Namespace, language: str | None = None) -> list[Document]:
    """Read a corpus into memory; what the reader mended or dropped goes to standard error.

    Text without tokens is tokenised by --lang, else by `language`, else left as it is.
    """
    from fofe.formats import read_corpus

    report = Report()
    options = {"language": language, **reading_options(args)}
    documents = list(read_corpus(path, args.format, report, **options))
    say_report(report, f"{path}: ")
    if not documents:
        raise no_document(path)
    return documents


def no_document(path: str) -> InputError:
    """The error of an empty corpus: a score of nothing would pass for a bad one."""
    remedy = "give a corpus of at least one"
    if Path(path).is_dir():
        remedy = "of a directory only the files right in it are read: give a pattern such as 'DIR/**/*.jsonl'"
    return InputError("holds no document", path=display_name(path), remedy=remedy)


def refuse_input(
    output: str, inputs: Iterable[str | Path], *, what: str = "input", remedy: str = "choose another name"
) -> None:
    """Refuse to overwrite an input, which would be lost; `inputs` is looked at only if `output` exists.

    A device or a pipe, such as /dev/null, is never replaced: it may be both.
    """
    if output == STANDARD or not (os.path.isfile(output) or os.path.isdir(output)):
        return
    for path in inputs:
        file = STANDARD_INPUT if str(path) == STANDARD else path
        if os.path.exists(file) and os.path.samefile(file, output):
            raise InputError(f"is the {what} itself", path=output, remedy=remedy)


def files_read(path: str | Path, format: str) -> Iterator[str | Path]:
    """The path of a corpus and, for brat, the pairs of files that it stands for."""
    from fofe.formats import brat

    yield path
    if format == "brat":
        folder, suffixes = Path(path), (brat.TEXT_SUFFIX, brat.ANNOTATION_SUFFIX)
        files = folder.rglob("*") if folder.is_dir() else map(folder.with_suffix, suffixes)
        yield from (file for file in files if file.suffix in suffixes)
