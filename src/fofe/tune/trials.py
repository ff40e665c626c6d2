"""The trials of a search: as a table, and as a plot of dev F1 over each of the values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from fofe.show import svg

PANEL, GAP, MARGIN, PADDING = 240, 36, 44, 10
COMPLETE, PRUNED = "#2b6cb0", "#cbd5e0"


@dataclass(frozen=True)
class Trial:
    """The result of one set of values."""

    number: int
    values: dict[str, Any]
    f1: float | None
    """The best dev F1, in percent; of a pruned trial, the last one."""
    state: str
    """complete or pruned."""


def table(trials: Sequence[Trial]) -> str:
    """Tab-separated lines: number, state, dev F1, and a column for each value."""
    keys = sorted({key for trial in trials for key in trial.values})
    lines = ["\t".join(["trial", "state", "dev_f1", *keys])]
    for trial in trials:
        f1 = "" if trial.f1 is None else f"{trial.f1:.2f}"
        values = [_shown(trial.values.get(key, "")) for key in keys]
        lines.append("\t".join([str(trial.number), trial.state, f1, *values]))
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plot(trials: Sequence[Trial]) -> str:
    """An SVG with a panel for each key that was varied: a dot for each trial, grey if it was pruned."""
    scored = [trial for trial in trials if trial.f1 is not None]
    keys = sorted({key for trial in scored for key in trial.values})
    parts: list[str] = []
    for number, key in enumerate(keys):
        parts += _panel(scored, key, MARGIN + number * (PANEL + GAP))
    return svg.picture(MARGIN + max(1, len(keys)) * (PANEL + GAP), PANEL + 2 * MARGIN, parts, font_size=12)


def _panel(trials: Sequence[Trial], key: str, left: float) -> list[str]:
    """One key's panel: dev F1 over its values."""
    scores = [trial.f1 or 0.0 for trial in trials]
    shares, ticks = _shares([trial.values[key] for trial in trials])
    low, high = min(scores), max(max(scores), min(scores) + 0.01)
    inner = PANEL - 2 * PADDING
    parts = [
        svg.element("rect", x=left, y=MARGIN, width=PANEL, height=PANEL, fill="none", stroke="#a0aec0"),
        svg.text(left + PANEL / 2, MARGIN - 10, key, text_anchor="middle"),
        svg.text(left + 4, MARGIN + 14, f"{high:.2f}", fill="#718096"),
        svg.text(left + 4, MARGIN + PANEL - 6, f"{low:.2f}", fill="#718096"),
    ]
    for share, label in ticks:
        x = left + PADDING + share * inner
        parts.append(svg.text(x, MARGIN + PANEL + 16, label, text_anchor="middle"))
    for trial, score, share in zip(trials, scores, shares, strict=True):
        title = escape(f"trial {trial.number}: {_shown(trial.values[key])}, {score:.2f}")
        x, y = left + PADDING + share * inner, MARGIN + PADDING + (high - score) / (high - low) * inner
        colour = COMPLETE if trial.state == "complete" else PRUNED
        parts.append(svg.element("circle", svg.element("title", title), cx=x, cy=y, r=4, fill=colour))
    return parts


def _shares(values: Sequence[Any]) -> tuple[list[float], list[tuple[float, str]]]:
    """The positions of values from 0 to 1, and ticks: linear, logarithmic if they differ much, or by name."""
    if all(isinstance(value, (int, float)) for value in values):
        numbers = list(map(float, values))
        if min(numbers) > 0 and max(numbers) > 5 * min(numbers):
            numbers = list(map(math.log, numbers))
        low, span = min(numbers), (max(numbers) - min(numbers)) or 1.0
        ends = [(0.0, _shown(min(values))), (1.0, _shown(max(values)))]
        return [(number - low) / span for number in numbers], ends if len(set(values)) > 1 else ends[:1]
    names = sorted({str(value) for value in values})
    step = 1 / max(1, len(names) - 1)
    ticks = [(number * step, name) for number, name in enumerate(names)]
    return [names.index(str(value)) * step for value in values], ticks
