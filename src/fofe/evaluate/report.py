"""The parts of a report, each readable as a table and as data for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from fofe.evaluate.bootstrap import LEVEL, Comparison, Interval
from fofe.evaluate.curve import Point
from fofe.evaluate.errors import KINDS, MentionError, examples, in_context
from fofe.evaluate.scores import Counts, Evaluation
from fofe.evaluate.spans import Span
from fofe.evaluate.table import score_table, table
from fofe.text.document import Document

CONFUSIONS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: `data` stands under `name` in JSON, `text` is what people read."""

    name: str
    text: str
    data: object


def as_text(sections: Sequence[Section]) -> str:
    return _printable("\n\n".join(section.text for section in sections))


def as_json(sections: Sequence[Section]) -> str:
    data = {section.name: section.data for section in sections}
    return _printable(json.dumps(data, ensure_ascii=False, indent=2))


def scores_section(evaluation: Evaluation) -> Section:
    """The scores of each label, then of all; names and nominals apart where there are both."""
    summary = {"names": evaluation.names, "nominals": evaluation.nominals, "overall": evaluation.overall}
    if Counts() in (evaluation.names, evaluation.nominals):
        summary = {"overall": evaluation.overall}
    return Section("scores", score_table("label", {**evaluation.labels, **summary}), evaluation.as_dict())


def breakdown_section(name: str, title: str, groups: Mapping[str, Counts]) -> Section:
    data = {group: counts.as_dict() for group, counts in groups.items()}
    return Section(name, score_table(title, dict(groups)), data)


def ceiling_section(ceilings: Mapping[int, float]) -> Section:
    """How much of the gold a window of n tokens can hold; stops where nothing is gained any more."""
    useful = {n: share for n, share in ceilings.items() if share > ceilings.get(n - 1, -1.0)}
    rows = [[str(n), f"{share:.2f}"] for n, share in useful.items()]
    return Section("recall_ceiling", table(("tokens at most", "best recall"), rows), dict(ceilings))


def intervals_section(intervals: Mapping[str, Interval], samples: int, unit: str) -> Section:
    rows = [[metric, f"{two.low:.2f}", f"{two.high:.2f}"] for metric, two in intervals.items()]
    heading = f"{LEVEL:.0f} % interval ({samples} samples of {unit}s)"
    data = {metric: asdict(two) for metric, two in intervals.items()}
    return Section(
        "intervals",
        table((heading, "low", "high"), rows),
        {"samples": samples, "unit": unit, "level": LEVEL, **data},
    )


def curve_section(points: Sequence[Point]) -> Section:
    groups = {f"{point.threshold:.2f}": point.counts for point in points}
    data = [{"threshold": point.threshold, **point.counts.as_dict()} for point in points]
    return Section("curve", score_table("threshold", groups), data)


def errors_section(errors: Sequence[MentionError], gold: Sequence[Document], number: int) -> Section:
    """How many errors of each kind, which labels are taken for which, and `number` examples of each kind."""
    of_kind = {kind: [error for error in errors if error.kind == kind] for kind in KINDS}
    confusions = Counter(
        (error.gold.label, error.predicted.label)
        for error in errors
        if error.gold and error.predicted and error.gold.label != error.predicted.label
    ).most_common()
    chosen = {kind: examples(found, number) for kind, found in of_kind.items()}
    rows = [[f"{kind}: {KINDS[kind]}", str(len(found))] for kind, found in of_kind.items()]
    parts = [table(("error", "number"), rows)]
    if confusions:
        shown = [[f"{a} taken for {b}", str(times)] for (a, b), times in confusions[:CONFUSIONS_SHOWN]]
        parts.append(table(("most frequent confusions", "number"), shown))
    for kind, found in chosen.items():
        if found:
            parts.append("\n".join([f"{kind}:", *(f"  {in_context(error, gold)}" for error in found)]))
    data = {
        "counts": {kind: len(found) for kind, found in of_kind.items()},
        "confusions": [{"gold": a, "predicted": b, "number": times} for (a, b), times in confusions],
        "examples": [_example(error, gold) for found in chosen.values() for error in found],
    }
    return Section("errors", "\n\n".join(parts), data)


def comparison_section(
    comparison: Mapping[str, Comparison], names: tuple[str, str], samples: int, unit: str
) -> Section:
    rows = [
        [
            metric,
            f"{row.a:.2f}",
            f"{row.b:.2f}",
            f"{row.difference:+.2f}",
            f"{row.low:+.2f} to {row.high:+.2f}",
            f"{row.p:.4f}",
        ]
        for metric, row in comparison.items()
    ]
    heading = ("", *names, "difference", f"{LEVEL:.0f} % interval", "p")
    note = f"paired bootstrap, {samples} samples of {unit}s; p is two-sided"
    data = {metric: row.as_dict() for metric, row in comparison.items()}
    return Section(
        "comparison",
        f"{table(heading, rows)}\n\n{note}",
        {"a": names[0], "b": names[1], "samples": samples, "unit": unit, "level": LEVEL, **data},
    )


def _printable(text: str) -> str:
    """Escapes lone surrogates, which UTF-8 cannot hold; the escape is that of JSON too."""
    return text.encode(errors="backslashreplace").decode()


def _example(error: MentionError, gold: Sequence[Document]) -> dict[str, object]:
    document = gold[error.place.document]

    def mention(span: Span | None) -> dict[str, object] | None:
        if span is None:
            return None
        text = document.text[span.start : span.end]
        return {"start": span.start, "end": span.end, "label": span.label, "text": text}

    return {
        "kind": error.kind,
        "document": document.id or error.place.document + 1,
        "gold": mention(error.gold),
        "predicted": mention(error.predicted),
        "context": in_context(error, gold),
    }
