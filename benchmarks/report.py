"""Write the recorded results to docs/benchmarks.html, with plots, and their main figures to Markdown.

docs/benchmarks.md gets a summary, README.md the comparison with other taggers.

python benchmarks/report.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from _comparison import comparison_table
from _record import HERE, Entry, as_command, commits, read_results
from _report_plots import comparison, plots
from _shown import f1_only, latest, metrics_of, steps, table1, table2, table3, table4
from _tables import Table
from _topics import GLANCES, SECTIONS, Topic

from fofe.base.files import write_atomically

DOCS = HERE.parent / "docs"
README = HERE.parent / "README.md"
PAGE = DOCS / "benchmarks.md"
HTML = DOCS / "benchmarks.html"
FIGURE = DOCS / "images" / "conll2003.svg"

STYLE = """
body { font-family: sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5 }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto }
td, th { border: 1px solid #cbd5e0; padding: .2rem .7rem }
td { text-align: right } td.text, caption { text-align: left } caption { font-weight: bold }
code { background: #edf2f7; padding: 0 .2rem } svg { max-width: 100% }
"""

IN_FULL = (
    "[The full record](benchmarks.html) has everything else: precision and recall of this table, the paper's "
    "Tables 3, 4 and 5 (TAC-KBP), other languages and corpora, incomplete annotation, word vectors, "
    "gazetteers, calibration, and the speed of tagging, serving and Spark."
)
"""What follows the tables of the summary."""

PAPER_TABLES: dict[str, Callable[[dict[str, Any]], list[Table]]] = {
    "table1": lambda metrics: [table1(metrics)],
    "table1_seen": lambda metrics: [table1(metrics, "--epochs 32 --seen")],
    "steps": lambda metrics: [steps(metrics)],
    "table3": lambda metrics: [table3(metrics)],
    "trilingual": table4,
}
"""The results that the paper has a table for."""


@dataclass(frozen=True)
class Part:
    """A heading with what stands under it."""

    title: str
    level: int = 2
    caption: str = ""
    source: Entry | None = None
    tables: Sequence[Table] = ()
    plots: Sequence[str] = ()
    closing: str = ""

    def markdown(self) -> Iterator[str]:
        yield from ("", f"{'#' * self.level} {self.title}")
        if self.caption:
            yield from ("", self.caption)
        if self.source:
            yield from ("", f"`{self.source['command']}`, {_dated(self.source)}.")
        for table in self.tables:
            yield from ("", table.markdown())
        if self.closing:
            yield from ("", self.closing)

    def html(self) -> Iterator[str]:
        yield f"<h{self.level}>{escape(self.title)}</h{self.level}>"
        if self.caption:
            yield f"<p>{_with_code(self.caption)}</p>"
        if self.source:
            yield f"<p><code>{escape(self.source['command'])}</code>, {_dated(self.source)}.</p>"
        yield from self.plots
        for table in self.tables:
            yield table.html()


def main() -> None:
    """Write the full page and the figure, and replace what stands between the marks of the Markdown pages."""
    results = read_results()
    summary = [line for part in _summary() for line in part.markdown()]
    _replace(PAGE, "results", "\n".join(summary))
    if beside_others := comparison_table():
        _replace(README, "comparison", f"\n{beside_others}")
    with write_atomically(HTML) as stream:
        stream.write(_page(list(_parts(results))))
    FIGURE.parent.mkdir(exist_ok=True)
    with write_atomically(FIGURE) as stream:
        stream.write(comparison())


def _replace(page: Path, mark: str, text: str) -> None:
    """Replace what stands between `<!-- mark -->` and `<!-- /mark -->`."""
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    before, _, rest = page.read_text("utf-8").partition(begin)
    _, _, after = rest.partition(end)
    with write_atomically(page) as stream:
        stream.write(f"{before}{begin}\n{text}\n\n{end}{after}")


def _opening() -> Iterator[Part]:
    """What both pages begin with: the main figures."""
    yield Part("At a glance", caption="F1, in percent; the mean of several seeds.", tables=[_glance()])
    yield Part("Beside other systems", tables=[table2()], plots=[comparison()])


def _summary() -> Iterator[Part]:
    """The main figures, and the F1 of the paper's Tables 1 and 2."""
    yield from _opening()
    by_feature = f1_only(table1(latest("table1") or {}))
    recipe = latest("steps")
    tables = [by_feature, *([steps(recipe)] if recipe else [])]
    yield Part("What each feature is worth", tables=tables, closing=IN_FULL)


def _parts(results: Sequence[Entry]) -> Iterator[Part]:
    """The main figures, then every benchmark by its topic, then earlier results of the same commands."""
    yield from _opening()
    newest = _newest(results)
    for title, topics in _sections(results).items():
        shown = [(topic, entry) for topic in topics for entry in _of_topic(topic, newest)]
        if shown:
            yield Part(title)
        for topic, entry in shown:
            tables = _tables(topic.benchmark, entry)
            yield Part(topic.benchmark, 3, topic.caption, entry, tables, _plots(entry))
    earlier = [entry for entry in results if not any(entry is kept for kept in newest)]
    if earlier:
        yield Part("Earlier results", caption="Recorded before the code or the configuration changed.")
    for entry in earlier:
        title = f"{entry['benchmark']}, {', '.join(dict.fromkeys(commits(entry)))}"
        yield Part(title, 3, "", entry, _tables(entry["benchmark"], entry))


def _sections(results: Sequence[Entry]) -> dict[str, Sequence[Topic]]:
    """The topics by their sections; benchmarks without a topic come last."""
    known = {topic.benchmark for topics in SECTIONS.values() for topic in topics}
    others = dict.fromkeys(entry["benchmark"] for entry in results if entry["benchmark"] not in known)
    return {**SECTIONS, "Others": [Topic(name, "") for name in others]}


def _newest(results: Sequence[Entry]) -> list[Entry]:
    """The last result of each command, and of each of the paper's tables."""
    return list({_shown_as(entry): entry for entry in results}.values())


def _shown_as(entry: Entry) -> tuple[str, str]:
    """What stands once on the page: a table of the paper, or else what one command gives."""
    return entry["benchmark"], "" if entry["benchmark"] in PAPER_TABLES else entry["command"]


def _of_topic(topic: Topic, newest: Iterable[Entry]) -> list[Entry | None]:
    """The results that a topic's caption is for; None stands for a table of the paper without a result."""
    entries: list[Entry | None] = [entry for entry in newest if _is_about(topic, entry)]
    return entries or ([None] if topic.benchmark in PAPER_TABLES else [])


def _is_about(topic: Topic, entry: Entry) -> bool:
    """Whether a result is of a topic's benchmark, by a command with the topic's option."""
    same = [other for topics in SECTIONS.values() for other in topics if other.benchmark == topic.benchmark]
    by_option = [other for other in same if other.option and other.option in entry["command"]]
    return entry["benchmark"] == topic.benchmark and (topic in by_option if by_option else not topic.option)


def _glance() -> Table:
    rows = []
    for glance in GLANCES:
        found = latest(glance.benchmark) or {}
        if glance.metric in found:
            rows.append([glance.task, glance.published, f"{found[glance.metric]:.2f}"])
    return Table(["task", "published, without language models", "here"], rows, texts=(0, 1))


def _dated(entry: Entry) -> str:
    """The commit and the date of a result; where seeds have different commits, each with its seeds."""
    of_seeds = commits(entry)
    if len(set(of_seeds)) == 1:
        return f"commit {of_seeds[0]}, {entry['date']}"
    seeds: dict[str, list[str]] = {}
    for seed, commit in zip(entry["metrics"]["seed"], of_seeds, strict=True):
        seeds.setdefault(commit, []).append(str(seed))
    shown = [f"{commit} (seed {', '.join(some)})" for commit, some in seeds.items()]
    return f"commits {', '.join(shown)}, {entry['date']}"


def _with_code(text: str) -> str:
    """Markdown's `code` as HTML; captions have nothing else of Markdown."""
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


def _tables(benchmark: str, entry: Entry | None) -> list[Table]:
    """A result as the paper has it, if the paper has it; else a line for each metric."""
    metrics = metrics_of(entry) if entry else {}
    if benchmark in PAPER_TABLES:
        means = {name: _mean(value) if _is_number(value) else value for name, value in metrics.items()}
        return PAPER_TABLES[benchmark](means)
    rows = [[name, _shown(value)] for name, value in metrics.items() if name != "seed"]
    return [Table(["metric", "value"], rows)]


def _plots(entry: Entry | None) -> list[str]:
    if entry is None:
        return []
    means = {name: _mean(value) for name, value in metrics_of(entry).items() if _is_number(value)}
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
