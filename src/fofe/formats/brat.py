"""brat standoff: a `.txt` file with the text and an `.ann` file of the same name with the mentions.

A mention is a line `T1<TAB>PER 0 5<TAB>Maria`; the offsets are half-open code points of the text, and a
nominal has the label `PER_NOM`. The text of each mention must agree with the offsets, where brat writes a
line break as a space. Discontinuous mentions and lines that are no mentions (relations, events, attributes,
notes) are counted and left out. Documents have no tokens.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, count
from pathlib import Path
from typing import IO

from fofe.base.errors import InputError, in_file, os_errors
from fofe.base.files import STANDARD, Target, atomic_directory, read_text
from fofe.base.report import EMPTY_FILES, Report, counted
from fofe.formats import common
from fofe.text.document import Document, Mention

TEXT_SUFFIX = ".txt"
ANNOTATION_SUFFIX = ".ann"

_OTHER_LINES = {
    "R": "relations",
    "*": "equivalences",
    "E": "events",
    "A": "attributes",
    "M": "attributes",
    "N": "normalisations",
    "#": "notes",
}
_LINE_BREAKS = str.maketrans("\r\n\t", "   ")
_SPAN = re.compile(r"(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]+ [0-9]+)*)")
_LONGEST_NAME = 200


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The documents of a directory and those below it, or of one `.txt` or `.ann` file."""
    for text, id in texts(path, report):
        yield read_document(text, id, report)


def texts(path: str | Path, report: Report) -> list[tuple[Path, str]]:
    """The text files that `read` reads, each with the id of its document: its path inside, without suffix."""
    path = Path(path)
    if not path.is_dir():
        return [(path.with_suffix(TEXT_SUFFIX), path.stem)]
    for annotation in visible(path, ANNOTATION_SUFFIX):
        if not annotation.with_suffix(TEXT_SUFFIX).exists():
            raise InputError("there is no .txt file of that name", path=annotation, remedy="put it beside")
    found = visible(path, TEXT_SUFFIX)
    if not found:
        report.note(EMPTY_FILES, str(path))
    return [(text, text.relative_to(path).with_suffix("").as_posix()) for text in found]


def visible(folder: Path, suffix: str = "") -> list[Path]:
    """The files with that suffix in a directory and below it, except hidden ones."""
    return sorted(
        file
        for file in folder.rglob(f"*{suffix}")
        if not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def read_document(text_path: Path, id: str, report: Report) -> Document:
    """The document of a text file and the annotation file beside it."""
    document = Document(read_text(text_path), id=id)
    path = text_path.with_suffix(ANNOTATION_SUFFIX)
    if not path.exists():
        report.note("texts without an .ann file, read without mentions", str(text_path))
        return document
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        line = line.removesuffix("\r")
        if line.startswith("T"):
            with in_file(path, number):
                document.mentions += _mentions(line, document.text, report, f"{path}:{number}")
        elif line[:1] in _OTHER_LINES:
            report.note(f"brat {_OTHER_LINES[line[0]]} left out", f"{path}:{number}")
        elif line.strip():
            problem = f"{line[:40]!r} is no brat annotation"
            remedy = "a mention reads T1<TAB>TYPE START END<TAB>TEXT"
            raise InputError(problem, path=path, line=number, remedy=remedy)
    return document


def _mentions(line: str, text: str, report: Report, place: str) -> Iterator[Mention]:
    """The mention of a T line; none for a discontinuous one."""
    columns = line.split("\t", 2)
    found = _SPAN.fullmatch(columns[1]) if len(columns) == 3 else None
    if found is None:
        problem = f"{line[:60]!r} cannot be read as a mention"
        raise InputError(problem, remedy="write T1<TAB>TYPE START END<TAB>TEXT")
    if ";" in found[2]:
        report.note("discontinuous brat mentions left out", place)
        return
    start, end = (int(offset) for offset in found[2].split(" "))
    if not start < end <= len(text):
        problem = f"span {start}:{end} is empty or outside the {counted(len(text), 'characters')} of the text"
        raise InputError(problem, remedy="offsets count code points from 0, line breaks included")
    covered = text[start:end]
    if covered.translate(_LINE_BREAKS) != columns[2].translate(_LINE_BREAKS):
        problem = f"the mention reads {columns[2]!r} but {start}:{end} of the text is {covered!r}"
        raise InputError(problem, remedy="offsets count code points; was the text changed after annotation?")
    yield common.labelled(start, end, found[1], text)


def write(documents: Iterable[Document], target: Target, report: Report) -> None:
    """Write a pair of files for each document into a new or empty directory, named by the ids."""
    used: set[str] = set()
    with atomic_directory(_empty_folder(target)) as folder:
        for number, document in enumerate(documents, start=1):
            name = _file_name(document, number, used, report)
            common.note_losses(document, report, "brat", name)
            text = common.without_surrogates(document.text, report, name)
            with open(folder / (name + ANNOTATION_SUFFIX), "w", encoding="utf-8", newline="\n") as stream:
                write_mentions(document.mentions, text, stream, report)
            # A text that begins with U+FEFF needs a byte order mark, or U+FEFF would be taken for it.
            mark = common.BYTE_ORDER_MARK if text.startswith(common.BYTE_ORDER_MARK) else ""
            (folder / (name + TEXT_SUFFIX)).write_text(mark + text, "utf-8", newline="\n")


def _empty_folder(target: Target) -> Path:
    if not isinstance(target, (str, Path)) or str(target) == STANDARD:
        raise InputError("brat needs a directory to write to, not a stream")
    folder = Path(target)
    with os_errors("written", folder):
        if folder.exists() and any(folder.iterdir()):
            remedy = "old files would mix with the new: name another"
            raise InputError("the directory is not empty", path=folder, remedy=remedy)
    return folder


def write_mentions(mentions: list[Mention], text: str, stream: IO[str], report: Report) -> None:
    """Write the lines of an annotation file."""
    for number, mention in enumerate(mentions, start=1):
        label = common.without_surrogates(common.label_without_spaces(mention, report), report, "label")
        covered = text[mention.start : mention.end].translate(_LINE_BREAKS)
        stream.write(f"T{number}\t{label} {mention.start} {mention.end}\t{covered}\n")


def _file_name(document: Document, number: int, used: set[str], report: Report) -> str:
    """A safe and new file name, whatever the id."""
    safe = re.sub(r"[^\w.-]+", "_", document.id).strip(".").encode()[:_LONGEST_NAME].decode(errors="ignore")
    base = safe or f"document-{number:06}"
    names = chain([base], (f"{base}-{again}" for again in count(2)))
    # Some file systems take a.txt and A.txt for the same file.
    name = next(name for name in names if name.casefold() not in used)
    used.add(name.casefold())
    if document.id and name != document.id:
        report.note("document ids changed to fit a file name", f"{document.id!r} -> {name}")
    return name
