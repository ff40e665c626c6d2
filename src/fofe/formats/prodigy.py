"""Prodigy: the JSON lines of a task each, as `db-out` writes them, and as recipes and `db-in` take them.

A task has `text`, `spans` with `start`, `end` and `label`, and `answer`: those that were not accepted are
counted and left out. Offsets are half-open code points. Tokens are written, since Prodigy selects whole ones,
but not read: text is tokenised as it is when it is tagged. Tasks without scores are written as accepted.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fofe.base.files import Target, open_output
from fofe.base.report import Report
from fofe.formats import common
from fofe.formats.json_fields import read_objects
from fofe.text.document import Document

ACCEPT = "accept"
RESERVED_KEYS = frozenset({"id", "text", "spans", "answer"})


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The accepted tasks of a file, or of standard input for the path `-`."""
    for task in read_objects(path, report):
        answer = task.string("answer") if task.which("answer") else ACCEPT
        if answer != ACCEPT:
            report.note(f"tasks with the answer {answer!r} left out", task.place)
            continue
        document = Document(task.string("text", empty=True), id=task.identifier("id"))
        for span in task.objects("spans", optional=True):
            start, end = span.span(len(document.text), "characters")
            span.check_text(document.text[start:end])
            label, score = span.string("label"), span.number("score", 1.0)
            document.mentions.append(common.labelled(start, end, label, document.text, score))
        document.meta = {key: value for key, value in task.rest().items() if key != "tokens"}
        yield document


def write(documents: Iterable[Document], target: Target, report: Report, *, predicted: bool = False) -> None:
    """Write a task for each document; those with scores, or all with `predicted`, are not accepted yet."""
    with open_output(target) as stream:
        for place, document, found in common.with_origin(documents, predicted=predicted):
            common.note_losses(document, report, "prodigy", place, kept="metadata, tokens, scores")
            meta = common.id_and_meta(document, RESERVED_KEYS, report, place)
            answer = {} if found else {"answer": ACCEPT}
            stream.write(common.json_line({**meta, **_task(document), **answer}, report, place) + "\n")


def _task(document: Document) -> dict[str, Any]:
    text, tokens = document.text, list(document.tokens)
    task: dict[str, Any] = {"text": text}
    if tokens:
        task["tokens"] = [
            {"text": one.text, "start": one.start, "end": one.end, "id": number}
            | {"ws": text[one.end : one.end + 1].isspace()}
            for number, one in enumerate(tokens)
        ]
    starts = {token.start: number for number, token in enumerate(tokens)}
    ends = {token.end: number for number, token in enumerate(tokens)}
    task["spans"] = []
    for mention in document.mentions:
        span = {"start": mention.start, "end": mention.end, "label": mention.label}
        if mention.start in starts and mention.end in ends:
            span |= {"token_start": starts[mention.start], "token_end": ends[mention.end]}
        task["spans"].append(span | ({"score": float(mention.score)} if common.has_scores(mention) else {}))
    return task
