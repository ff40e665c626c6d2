"""Label Studio: the tasks of a text project, as its JSON export has them and its import takes them.

A task has `data.text` and, under `annotations` or `predictions`, results of type `labels` whose `value` has
`start`, `end`, `text` and `labels`. Offsets are half-open code points. Older versions counted UTF-16 units;
these are recognised by the text of a mention and converted. Of several annotations the last that was not
cancelled counts. A task of an export without any is left out: nobody has read it. Tasks to import, which have
no field `annotations`, are read from their predictions. Mentions with scores are written as predictions.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fofe.base.errors import InputError
from fofe.base.files import Target
from fofe.base.report import Report
from fofe.formats import common
from fofe.formats.json_fields import Fields, read_items
from fofe.text.document import Document
from fofe.text.offsets import OffsetMap

FROM_NAME, TO_NAME = "label", "text"
"""The usual names of labels and text in a labelling configuration."""
RESERVED_KEYS = frozenset({"id", "text"})


def read(path: str | Path, report: Report) -> Iterator[Document]:
    """The tasks of an export: a JSON array, or an object a line."""
    for task in read_items(path, report, "task"):
        annotations = task.objects("annotations", optional=True)
        done = [annotation for annotation in annotations if not annotation.flag("was_cancelled")]
        if done:
            for _ in range(len(annotations) - len(done)):
                report.note("cancelled annotations left out", task.place)
            for _ in done[1:]:
                report.note("annotations before the last one of the task left out", task.place)
            yield _document(task, done[-1], report, annotated=True)
        elif task.which("annotations"):
            report.note("tasks that nobody has annotated left out", task.place)
        else:
            predictions = task.objects("predictions", optional=True)
            yield _document(task, predictions[-1] if predictions else None, report, annotated=False)


def _document(task: Fields, chosen: Fields | None, report: Report, *, annotated: bool) -> Document:
    data = task.inner("data")
    document = Document(data.string("text", empty=True))
    document.id = data.identifier("id") or task.identifier("id")
    document.meta = data.rest()
    utf16 = OffsetMap(document.text, "utf16")
    for result in chosen.objects("result") if chosen is not None else []:
        if result.string("type") != "labels":
            report.note(f"results of type {result.string('type')} left out", result.place)
            continue
        value = result.inner("value")
        start, end = _span(value, document.text, utf16, report)
        score = 1.0 if annotated else result.number("score", 1.0)  # people are sure of what a model was not
        for label in value.strings("labels"):
            document.mentions.append(common.labelled(start, end, label, document.text, score))
    return document


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
    tasks = (
        (_task(document, report, place, predicted=found), place)
        for place, document, found in common.with_origin(documents, predicted=predicted)
    )
    common.write_items((common.json_line(task, report, place) for task, place in tasks), target)


def _task(document: Document, report: Report, place: str, *, predicted: bool) -> dict[str, Any]:
    # What a model has found comes with its own tokens, which annotators have no use for.
    kept = "metadata, scores, tokens" if predicted else "metadata, scores"
    common.note_losses(document, report, "label-studio", place, kept=kept)
    meta = common.id_and_meta(document, RESERVED_KEYS, report, place)
    data = {**meta, "text": document.text}
    results: list[dict[str, Any]] = []
    for number, mention in enumerate(document.mentions, start=1):
        shown = mention.text or document.text[mention.start : mention.end]
        value = {"start": mention.start, "end": mention.end, "text": shown, "labels": [mention.label]}
        result = {"id": f"m{number}", "from_name": FROM_NAME, "to_name": TO_NAME, "type": "labels"}
        scored = {"score": float(mention.score)} if common.has_scores(mention) else {}
        results.append({**result, "value": value, **scored})
    if predicted:
        return {"data": data, "predictions": [{"model_version": "fofe", "result": results}]}
    return {"data": data, "annotations": [{"result": results}]}
