"""Results as plain-text tables for people and as data for programs."""

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


def table(header: Sequence[str], rows: Sequence[Sequence[str | float]], left: Collection[int] = (0,)) -> str:
    """Columns under their headings: those in `left` aligned to the left, the others to the right."""
    columns = []
    for number, column in enumerate(zip(header, *rows, strict=True)):
        cells = list(map(shown, column))
        width = max(map(len, cells))
        columns.append([cell.ljust(width) if number in left else cell.rjust(width) for cell in cells])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def shown(cell: str | float) -> str:
    """A cell of a table; numbers that are not whole have two decimals."""
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def score_row(name: str, counts: Counts) -> list[str | float]:
    """A row of the table with the heading `SCORE_COLUMNS`."""
    rates = (counts.precision, counts.recall, counts.f1)
    return [name, *rates, counts.tp + counts.fn, counts.tp + counts.fp, counts.tp]


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
    return Section(name, score_table(title, groups), groups)
