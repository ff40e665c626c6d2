"""Write the recorded results into docs/benchmarks.md.

python benchmarks/report.py
"""

from __future__ import annotations

from statistics import mean, pstdev
from typing import Any

from _record import HERE, read_results

from fofe._files import write_whole

PAGE = HERE.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- results -->", "<!-- /results -->"


def main() -> None:
    """Replace what stands between the marks of the page."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    with write_whole(PAGE) as stream:
        stream.write(f"{before}{BEGIN}\n{_sections()}{END}{after}")


def _sections() -> str:
    lines: list[str] = []
    for entry in read_results():
        lines += ["", f"## {entry['benchmark']}", ""]
        lines += [f"`{entry['command']}`, commit {entry['commit']}, {entry['date']}.", ""]
        lines += ["| metric | value |", "| --- | ---: |"]
        lines += [
            f"| {name} | {_shown(value)} |" for name, value in entry["metrics"].items() if name != "seed"
        ]
    return "\n".join([*lines, "", ""])


def _shown(value: Any) -> str:
    """A number, or the numbers of several seeds with their mean and spread."""
    if not isinstance(value, list):
        return str(value)
    if len(value) == 1:
        return f"{value[0]} (one seed)"
    return f"{mean(value):.2f} ± {pstdev(value):.2f} ({', '.join(map(str, value))})"


if __name__ == "__main__":
    main()
