"""Results as plain-text tables for people and as data for programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from fofe.evaluate.scores import Counts, Evaluation

SCORE_COLUMNS = ("precision", "recall", "F1", "gold", "predicted", "right")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a command's output: people read `text`; in JSON, `data` is the value of `name`."""

    name: str
    text: str
    data: object


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Columns under their headings: those in `left` aligned to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return "\n".join(_line(row, widths, left) for row in (header, *rows))


def score_row(name: str, counts: Counts) -> list[str]:
    """A row of the table with the heading `SCORE_COLUMNS`."""
    return [
        name,
        *(f"{value:.2f}" for value in (counts.precision, counts.recall, counts.f1)),
        *(str(value) for value in (counts.tp + counts.fn, counts.tp + counts.fp, counts.tp)),
    ]


def score_table(title: str, groups: Mapping[str, Counts]) -> str:
    """The scores of named groups, one per row."""
    return table((title, *SCORE_COLUMNS), [score_row(name, counts) for name, counts in groups.items()])


def scores_section(evaluation: Evaluation) -> Section:
    """The scores of each label and of all; also of names and of nominals where both occur."""
    summary = {"names": evaluation.names, "nominals": evaluation.nominals, "overall": evaluation.overall}
    if Counts() in (evaluation.names, evaluation.nominals):
        summary = {"overall": evaluation.overall}
    return Section("scores", score_table("label", {**evaluation.labels, **summary}), evaluation.as_dict())


def breakdown_section(name: str, title: str, groups: Mapping[str, Counts]) -> Section:
    data = {group: counts.as_dict() for group, counts in groups.items()}
    return Section(name, score_table(title, groups), data)


def _line(cells: Sequence[str], widths: Sequence[int], left: Collection[int]) -> str:
    aligned = (
        cell.ljust(width) if column in left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(aligned).rstrip()
