"""Collect the recorded results into docs/benchmarks.md and, with plots, docs/benchmarks.html.

python benchmarks/report.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from statistics import mean, pstdev
from typing import Any

from _record import HERE, as_command, read_results
from _report_plots import comparison, plots
from _shown import latest, table1, table2, table3, table4
from _tables import Table
from _topics import GLANCES, SECTIONS, Topic

from fofe.base.files import write_atomically

DOCS = HERE.parent / "docs"
PAGE = DOCS / "benchmarks.md"
HTML = DOCS / "benchmarks.html"
FIGURE = DOCS / "images" / "conll2003.svg"
BEGIN, END = "<!-- results -->", "<!-- /results -->"

STYLE = """
body { font-family: sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5 }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
td, th { border: 1px solid #cbd5e0; padding: .2rem .7rem }
td { text-align: right } td.text, caption { text-align: left } caption { font-weight: bold }
code { background: #edf2f7; padding: 0 .2rem } svg { max-width: 100% }
"""

Entry = dict[str, Any]

PAPER_TABLES: dict[str, Callable[[dict[str, Any]], list[Table]]] = {
    "table1": lambda metrics: [table1(metrics)],
    "table3": lambda metrics: [table3(metrics)],
    "trilingual": table4,
}
"""The results that the paper has a table for."""


@dataclass(frozen=True)
class Part:
    """A heading with what stands under it."""

    title: str
    level: int = 2
    told: str = ""
    source: Entry | None = None
    tables: Sequence[Table] = ()
    plots: Sequence[str] = ()

    def markdown(self) -> Iterator[str]:
        yield from ("", f"{'#' * self.level} {self.title}")
        if self.told:
            yield from ("", self.told)
        if self.source:
            yield from ("", f"`{self.source['command']}`, {_dated(self.source)}.")
        for table in self.tables:
            yield from ("", table.markdown())

    def html(self) -> Iterator[str]:
        yield f"<h{self.level}>{escape(self.title)}</h{self.level}>"
        if self.told:
            yield f"<p>{_with_code(self.told)}</p>"
        if self.source:
            yield f"<p><code>{escape(self.source['command'])}</code>, {_dated(self.source)}.</p>"
        yield from self.plots
        for table in self.tables:
            yield table.html()


def main() -> None:
    """Replace what stands between the marks of the page, and write the page with plots anew."""
    results = read_results()
    parts = list(_parts(results))
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    shown = [line for part in parts for line in part.markdown()]
    with write_atomically(PAGE) as stream:
        stream.write("\n".join([f"{before}{BEGIN}", *shown, "", f"{END}{after}"]))
    with write_atomically(HTML) as stream:
        stream.write(_page(parts))
    FIGURE.parent.mkdir(exist_ok=True)
    with write_atomically(FIGURE) as stream:
        stream.write(comparison())


def _parts(results: Sequence[Entry]) -> Iterator[Part]:
    """The page: the main figures, then every benchmark by its topic, then what was found earlier."""
    newest = {_shown_as(entry): entry for entry in results}
    yield Part("At a glance", told="F1, in percent; of several seeds the mean.", tables=[_glance()])
    yield Part("Beside other systems", tables=[table2()], plots=[comparison()])
    known = {topic.benchmark for topics in SECTIONS.values() for topic in topics}
    others = tuple(Topic(name, "") for name in dict.fromkeys(name for name, _ in newest) if name not in known)
    for title, topics in {**SECTIONS, "Others": others}.items():
        shown = [part for topic in topics for part in _of_topic(topic, newest.values())]
        if shown:
            yield Part(title)
        yield from shown
    earlier = [entry for entry in results if not any(entry is kept for kept in newest.values())]
    if earlier:
        yield Part("Earlier results", told="Found before something was changed.")
    for entry in earlier:
        yield Part(f"{entry['benchmark']}, {entry['commit']}", 3, "", entry, _tables(entry))


def _shown_as(entry: Entry) -> tuple[str, str]:
    """What stands once on the page: a table of the paper, or else what one command gives."""
    return entry["benchmark"], "" if entry["benchmark"] in PAPER_TABLES else entry["command"]


def _of_topic(topic: Topic, newest: Iterable[Entry]) -> Iterator[Part]:
    """What is recorded of a benchmark; what the paper has is shown even if nothing is recorded."""
    entries = [entry for entry in newest if entry["benchmark"] == topic.benchmark]
    for entry in entries:
        yield Part(topic.benchmark, 3, topic.told, entry, _tables(entry), _plots(entry))
    if not entries and topic.benchmark in PAPER_TABLES:
        yield Part(topic.benchmark, 3, topic.told, tables=PAPER_TABLES[topic.benchmark]({}))


def _glance() -> Table:
    rows = []
    for glance in GLANCES:
        found = latest(glance.benchmark) or {}
        if glance.metric in found:
            rows.append([glance.task, glance.published, f"{found[glance.metric]:.2f}"])
    return Table(["task", "published, without language models", "here"], rows, texts=(0, 1))


def _dated(entry: Entry) -> str:
    return f"commit {entry['commit']}, {entry['date']}"


def _with_code(text: str) -> str:
    """Markdown's `code` as HTML; nothing else of Markdown stands in what is told."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _page(parts: Sequence[Part]) -> str:
    """One page that needs nothing else: tables, and plots as SVG in it."""
    opening = [
        "<!doctype html>",
        '<html lang="en"><meta charset="utf-8"><title>fofe: benchmarks</title>',
        f"<style>{STYLE}</style>",
        "<h1>fofe: benchmarks</h1>",
        "<p>What is recorded in <code>benchmarks/results.jsonl</code>, with the command and the commit that "
        "gave each result. Of several seeds the mean and the standard deviation are shown, "
        "and each seed in brackets; SEED in a command stands for any of them.</p>",
    ]
    return "\n".join([*opening, *(line for part in parts for line in part.html()), "</html>", ""])


def _tables(entry: Entry) -> list[Table]:
    """A result as the paper has it, where the paper has it; else a line for each metric."""
    metrics = entry["metrics"]
    if entry["benchmark"] in PAPER_TABLES:
        means = {name: _mean(value) if _is_number(value) else value for name, value in metrics.items()}
        return PAPER_TABLES[entry["benchmark"]](means)
    rows = [[name, _shown(value)] for name, value in metrics.items() if name != "seed"]
    return [Table(["metric", "value"], rows)]


def _plots(entry: Entry) -> list[str]:
    means = {name: _mean(value) for name, value in entry["metrics"].items() if _is_number(value)}
    return list(plots(entry["benchmark"], means))


def _is_number(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, (int, float)) for item in items)


def _mean(value: Any) -> float:
    return float(mean(value)) if isinstance(value, list) else float(value)


def _shown(value: Any) -> str:
    """A number, or the numbers of several seeds with their mean and spread."""
    if not isinstance(value, list):
        return str(value)
    if len(value) == 1:
        return f"{value[0]} (one seed)"
    if len(set(map(str, value))) == 1:
        return f"{value[0]} ({len(value)} seeds)"
    if not _is_number(value):
        return ", ".join(map(str, value))
    return f"{mean(value):.2f} ± {pstdev(value):.2f} ({', '.join(map(str, value))})"


if __name__ == "__main__":
    as_command(main)
