"""Plain text to learn from: files, packed ones, directories of them, and Wikipedia dumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fofe.base.errors import InputError
from fofe.base.files import read_valid_lines
from fofe.base.report import Report
from fofe.wiki.dump import is_dump, read_pages, read_site
from fofe.wiki.languages import wiki_language
from fofe.wiki.markup import parse


def text_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files of some paths, those of directories in the order of their names."""
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
        raise InputError("there is no text", remedy="give files, or directories that hold some")
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
