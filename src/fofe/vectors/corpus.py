"""The text that vectors are trained on: plain or packed files, directories of them, and Wikipedia dumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.files import read_valid_lines
from fofe.base.report import Report
from fofe.wiki.dump import is_dump, read_pages, read_site
from fofe.wiki.languages import wiki_language
from fofe.wiki.markup import parse

MAX_SENTENCE = 10_000
"""gensim drops the words of a sentence beyond so many."""


def text_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files of some paths, those of a directory sorted by name."""
    files: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = [file for file in path.rglob("*") if file.is_file() and not file.name.startswith(".")]
            files += sorted(inside)
        elif path.exists():
            files.append(path)
        else:
            raise InputError("cannot be read: No such file or directory", path=path)
    if not files:
        raise InputError("there is no text", remedy="give files, or directories with files")
    return files


def paragraphs(path: Path, language: str, report: Report) -> Iterator[str]:
    """The lines of a text, or the paragraphs of the articles of a Wikipedia dump."""
    if is_dump(path):
        yield from _articles(path, language, report)
        return
    for _, line in read_valid_lines(path, report):
        if line.strip():
            yield line.rstrip("\r\n")


def _articles(path: Path, language: str, report: Report) -> Iterator[str]:
    namespaces = read_site(path).namespaces
    for page in read_pages(path, report):
        if page.namespace or page.redirect is not None:
            continue
        markup = parse(page.markup, wiki_language(language), report, namespaces=namespaces, place=page.title)
        yield from (line for line in markup.text.splitlines() if line.strip())


class Sentences:
    """The sentences of files, one a line with spaces between words; they can be iterated over many times."""

    def __init__(self, texts: list[Path], *, lower: bool) -> None:
        self._texts = texts
        self._lower = lower

    def __iter__(self) -> Iterator[list[str]]:
        for text in self._texts:
            with open(text, encoding="utf-8", newline="\n") as stream:
                for line in stream:
                    words = line.rstrip("\n").split(" ")
                    if self._lower:
                        words = [word.lower() for word in words]
                    for start in range(0, len(words), MAX_SENTENCE):
                        yield words[start : start + MAX_SENTENCE]
