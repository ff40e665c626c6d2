"""Tables for people: the same rows as Markdown and as HTML."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Table:
    """A table of strings, and what has to be said about it."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: Collection[int] = (0,)
    """The columns that hold text; numbers stand to the right."""
    title: str = ""
    notes: Sequence[str] = ()

    def markdown(self) -> str:
        marks = ["---" if number in self.texts else "---:" for number in range(len(self.header))]
        lines = [_line(row) for row in (self.header, marks, *self.rows)]
        above = [f"**{self.title}**", ""] if self.title else []
        below = [part for note in self.notes for part in ("", note)]
        return "\n".join([*above, *lines, *below])

    def html(self) -> str:
        parts = ["<table>", f"<caption>{escape(self.title)}</caption>" if self.title else ""]
        parts += [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in self.header)}</tr>"]
        parts += [f"<tr>{''.join(map(self._cell, range(len(row)), row))}</tr>" for row in self.rows]
        parts += ["</table>", *(f"<p>{escape(note)}</p>" for note in self.notes)]
        return "\n".join(filter(None, parts))

    def _cell(self, number: int, text: str) -> str:
        return f"<td{' class=text' if number in self.texts else ''}>{escape(text)}</td>"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
