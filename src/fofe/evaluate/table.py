"""Plain-text tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fofe.evaluate.scores import Counts

SCORE_COLUMNS = ("precision", "recall", "F1", "gold", "predicted", "right")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Columns under their headings: those in `left` aligned to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return "\n".join(_line(row, widths, left) for row in (header, *rows))


def score_row(name: str, counts: Counts) -> list[str]:
    """A row of the table whose heading is `SCORE_COLUMNS`."""
    return [
        name,
        *(f"{value:.2f}" for value in (counts.precision, counts.recall, counts.f1)),
        *(str(value) for value in (counts.tp + counts.fn, counts.tp + counts.fp, counts.tp)),
    ]


def score_table(title: str, groups: dict[str, Counts]) -> str:
    """The scores of named groups, one in a row."""
    return table((title, *SCORE_COLUMNS), [score_row(name, counts) for name, counts in groups.items()])


def _line(cells: Sequence[str], widths: Sequence[int], left: Collection[int]) -> str:
    aligned = (
        cell.ljust(width) if column in left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(aligned).rstrip()
