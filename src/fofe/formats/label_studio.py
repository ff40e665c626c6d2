"""Label Studio: the tasks of a text project, as its JSON export has them and its import takes them.

A task has `data.text` and, under `annotations` or `predictions`, results of type `labels` whose `value` has
`start`, `end`, `text` and `labels`. Offsets are half-open code points. Older versions counted UTF-16 units;
these are recognised by the text of a mention and converted. Of several annotations the last that was not
cancelled counts; a task without any is read from its predictions. Mentions with scores are written as
predictions.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.files import Target, display_name, open_output, read_text
from fofe.base.report import EMPTY_FILES, Report
from fofe.formats import common
from fofe.formats.json_fields import Fields
from fofe.text.document import Document
from fofe.text.offsets import OffsetMap

FROM_NAME, TO_NAME = "label", "text"
"""The usual names of labels and text in a labelling configuration."""
RESERVED_KEYS = frozenset({"id", "text"})

_BEGINNING = re.compile(r"[^\s,]")
"""Of a value, after blanks and commas."""


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The tasks of an export: a JSON array, or an object a line."""
    name, document = display_name(path), None
    for line, value in _objects(read_text(path), name):
        document = _document(Fields(value, name, line, "the task"), report)
        yield document
    if document is None:
        report.note(EMPTY_FILES, name)


def _objects(text: str, path: str) -> Iterator[tuple[int, object]]:
    """The values of an array, or one after another, each with the line where it begins."""
    decoder = json.JSONDecoder()
    opening = re.match(r"[\s,]*\[", text)
    position = opening.end() if opening else 0
    line, counted = 1, 0
    while (found := _BEGINNING.search(text, position)) and not (opening and found[0] == "]"):
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        try:
            value, position = decoder.raw_decode(text, counted)
        except (ValueError, RecursionError) as error:
            remedy = "export the project as JSON"
            raise InputError(f"not JSON: {error}", path=path, line=line, remedy=remedy) from None
        yield line, value
    if opening and not found:
        raise InputError("the list of tasks has no end", path=path, remedy="export the project again")


def _document(task: Fields, report: Report) -> Document:
    data = task.inner("data")
    document = Document(data.string("text", empty=True))
    document.id = data.identifier("id") or task.identifier("id")
    document.meta = data.rest()
    utf16 = OffsetMap(document.text, "utf16")
    for result in _results(task, report):
        if result.string("type") != "labels":
            report.note(f"results of type {result.string('type')} left out", result.place)
            continue
        value = result.inner("value")
        start, end = _span(value, document.text, utf16, report)
        score = result.number("score", 1.0)
        for label in value.strings("labels"):
            document.mentions.append(common.labelled(start, end, label, document.text, score))
    return document


def _results(task: Fields, report: Report) -> list[Fields]:
    annotations = task.objects("annotations", optional=True)
    done = [annotation for annotation in annotations if not annotation.flag("was_cancelled")]
    for _ in range(len(annotations) - len(done)):
        report.note("cancelled annotations left out", task.place)
    for _ in done[1:]:
        report.note("annotations before the last one of their task left out", task.place)
    predictions = [] if done else task.objects("predictions", optional=True)
    if predictions:
        report.note("tasks without annotations read from their predictions", task.place)
    chosen = (done or predictions)[-1:]
    return chosen[0].objects("result") if chosen else []


def _span(value: Fields, text: str, utf16: OffsetMap, report: Report) -> tuple[int, int]:
    shown = value.string("text", empty=True) if value.which("text") else None
    start, end = value.span(utf16.from_codepoints(len(text)), "characters")
    if shown in (None, text[start:end]) and end <= len(text):
        return start, end
    try:
        converted = utf16.to_codepoints(start), utf16.to_codepoints(end)
    except InputError as error:
        raise value.error(error.problem, error.remedy) from None
    if shown != text[slice(*converted)]:
        problem = f'"text" is {shown!r} but {start}:{end} of the text is {text[start:end]!r}'
        raise value.error(problem, "was the text changed after annotation?")
    report.note("offsets in UTF-16 units converted", value.place)
    return converted


def write(documents: Iterable[Document], target: Target, report: Report, *, predicted: bool = False) -> None:
    """Write a list of tasks to import; mentions with scores become predictions, others annotations.

    With `predicted`, all are predictions.
    """
    with open_output(target) as stream:
        before = "[\n"
        for place, document in common.places(documents):
            task = common.to_json(_task(document, report, place, predicted=predicted), place)
            stream.write(before + common.without_surrogates(task, report, place))
            before = ",\n"
        stream.write("[]\n" if before == "[\n" else "\n]\n")


def _task(document: Document, report: Report, place: str, *, predicted: bool) -> dict[str, Any]:
    common.note_losses(document, report, "label-studio", place, kept="metadata, scores")
    meta = common.id_and_meta(document, RESERVED_KEYS, report, place)
    data = {**meta, "text": document.text}
    results: list[dict[str, Any]] = []
    for number, mention in enumerate(document.mentions, start=1):
        shown = mention.text or document.text[mention.start : mention.end]
        value = {"start": mention.start, "end": mention.end, "text": shown, "labels": [mention.label]}
        result = {"id": f"m{number}", "from_name": FROM_NAME, "to_name": TO_NAME, "type": "labels"}
        scored = {"score": float(mention.score)} if common.has_scores(mention) else {}
        results.append({**result, "value": value, **scored})
    if predicted or any(map(common.has_scores, document.mentions)):
        return {"data": data, "predictions": [{"model_version": "fofe", "result": results}]}
    return {"data": data, "annotations": [{"result": results}]}
