"""The `.tab` files of entity discovery: a mention a line, in eight columns.

Run id, mention id, mention string, `document:start-end`, KB id or NIL id, type, NAM or NOM, confidence. The
end is inclusive in the file and exclusive everywhere else. A line break in a mention is a space there.
"""

import html
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fofe.base.errors import InputError, in_file
from fofe.base.files import STANDARD, Target, display_name, open_output, read_lines
from fofe.base.report import Report, counted
from fofe.kbp.source import SourceDocument
from fofe.text.document import NAME, NOMINAL

SUFFIX = ".tab"
COLUMNS = "run id, mention id, mention string, document:start-end, KB id, type, kind, confidence"
WIDTH = len(COLUMNS.split(", "))
NIL = "NIL"

_PROVENANCE = re.compile(r"(.+):([0-9]{1,15})-([0-9]{1,15})")
_AFTER_HYPHEN = re.compile(r"(?<=-)\s+")
"""White space after a hyphen: LDC leaves out a line break there."""
_ONE_LINE = str.maketrans("\t\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " " * 11)


@dataclass(frozen=True, slots=True)
class TabMention:
    """A line of a `.tab` file; `start:end` is half-open."""

    document: str
    start: int
    end: int
    text: str
    type: str
    kind: str = NAME
    kb: str = ""
    """An id of the knowledge base, or one that begins with NIL."""
    score: float = 1.0
    run: str = ""
    id: str = ""

    @property
    def place(self) -> str:
        """`document:start-end`, as in the file."""
        return f"{self.document}:{self.start}-{self.end - 1}"

    def line(self) -> str:
        """The line of the file."""
        text = self.text.translate(_ONE_LINE)
        columns = (self.run, self.id, text, self.place, self.kb, self.type, self.kind)
        return "\t".join((*columns, repr(self.score))) + "\n"


def read_tab(path: str | Path, report: Report) -> list[TabMention]:
    """The mentions of a `.tab` file, or of standard input for the path `-`, in the order of the file."""
    name = display_name(path)
    mentions = []
    for number, line in read_lines(path):
        columns = line.rstrip("\r\n").split("\t")
        if len(columns) > WIDTH:
            report.note(f"lines with more than {WIDTH} columns, the others left out", f"{name}:{number}")
        if line.strip():
            with in_file(name, number):
                mentions.append(_mention(columns))
    return mentions


def _mention(columns: list[str]) -> TabMention:
    if len(columns) < WIDTH:
        raise InputError(counted(len(columns), "columns"), remedy=f"there should be {WIDTH}: {COLUMNS}")
    run, id, text, provenance, kb, type, kind, confidence = columns[:WIDTH]
    found = _PROVENANCE.fullmatch(provenance)
    if found is None:
        raise InputError(f"{provenance!r} is no place in a document", remedy="write DOCUMENT:START-END")
    start, last = int(found[2]), int(found[3])
    if last < start:
        raise InputError(f"{provenance} ends before it begins", remedy="the end is the last character")
    if not type.strip():
        raise InputError("the type is empty", remedy="write PER, ORG, GPE, LOC or FAC")
    if kind not in (NAME, NOMINAL):
        raise InputError(f"the kind is {kind!r}", remedy=f"write {NAME} for a name, {NOMINAL} for a nominal")
    try:
        score = float(confidence)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"the confidence is {confidence!r}", remedy="write a number from 0 to 1")
    return TabMention(found[1], start, last + 1, text, type, kind, kb, score, run, id)


def write_tab(mentions: Iterable[TabMention], target: Target) -> None:
    """Write mentions to a file, a stream or standard output (`-`)."""
    with open_output(target) as stream:
        stream.writelines(mention.line() for mention in mentions)


def by_document(mentions: Iterable[TabMention]) -> dict[str, list[TabMention]]:
    """The mentions of each document, in the order in which documents are first named."""
    found: dict[str, list[TabMention]] = {}
    for mention in mentions:
        found.setdefault(mention.document, []).append(mention)
    return found


def is_tab(path: str | Path) -> bool:
    """Whether a path is that of a `.tab` file."""
    return str(path) != STANDARD and Path(path).suffix.lower() == SUFFIX


def mismatch(mention: TabMention, document: SourceDocument) -> str | None:
    """What is wrong with the place of a mention: outside of its document, or another string; or nothing."""
    covered = document.text[mention.start : mention.end]
    if mention.end > len(document.text):
        problem = f"lies outside the document, which has {counted(len(document.text), 'characters')}"
    elif _spellings(covered).isdisjoint(_spellings(mention.text)):
        problem = f"is {covered!r} in the document, but {mention.text!r} in the mention"
    else:
        return None
    return f"{mention.place} {problem}"


def _spellings(text: str) -> set[str]:
    """A string as LDC may write it: white space normalised, entities resolved or not."""
    forms = (_AFTER_HYPHEN.sub("", form) for form in (text, html.unescape(text)))
    return {" ".join(form.split()) for form in forms}


def problems(mentions: Iterable[TabMention], documents: Mapping[str, SourceDocument]) -> Iterator[str]:
    """Everything that is wrong with mentions: places, strings, unknown documents, ids that are used twice."""
    ids: set[str] = set()
    for mention in mentions:
        if mention.document not in documents:
            yield f"{mention.place}: there is no document of that id"
        elif problem := mismatch(mention, documents[mention.document]):
            yield problem
        if mention.id in ids:
            yield f"{mention.place}: the mention id {mention.id!r} is used twice"
        ids.add(mention.id)
