"""What a search found: a table of its trials, and a plot of dev F1 over each of the values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from fofe.tune.search import Trial

PANEL, GAP, MARGIN = 240, 36, 44
COLOURS = {"complete": "#2b6cb0", "pruned": "#cbd5e0"}


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
    """An SVG with a panel for each key that was changed: a dot for each trial, grey if it was given up."""
    scored = [trial for trial in trials if trial.f1 is not None]
    keys = sorted({key for trial in scored for key in trial.values})
    width = MARGIN + max(1, len(keys)) * (PANEL + GAP)
    height = PANEL + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, key in enumerate(keys):
        parts += _panel(scored, key, MARGIN + number * (PANEL + GAP))
    return "\n".join([*parts, "</svg>", ""])


def _panel(trials: Sequence[Trial], key: str, left: float) -> list[str]:
    """One key's panel: dev F1 over its values, which stand in order where they are not numbers."""
    scores = [trial.f1 or 0.0 for trial in trials]
    places, ticks = _places([trial.values[key] for trial in trials])
    low, high = min(scores), max(max(scores), min(scores) + 0.01)
    parts = [
        f'<rect x="{left}" y="{MARGIN}" width="{PANEL}" height="{PANEL}" fill="none" stroke="#a0aec0"/>',
        f'<text x="{left + PANEL / 2}" y="{MARGIN - 10}" text-anchor="middle">{escape(key)}</text>',
        f'<text x="{left + 4}" y="{MARGIN + 14}" fill="#718096">{high:.2f}</text>',
        f'<text x="{left + 4}" y="{MARGIN + PANEL - 6}" fill="#718096">{low:.2f}</text>',
    ]
    for place, label in ticks:
        across = left + 10 + place * (PANEL - 20)
        parts.append(
            f'<text x="{across:.1f}" y="{MARGIN + PANEL + 16}" text-anchor="middle">{escape(label)}</text>'
        )
    for trial, score, place in zip(trials, scores, places, strict=True):
        across = left + 10 + place * (PANEL - 20)
        down = MARGIN + 10 + (high - score) / (high - low) * (PANEL - 20)
        title = f"<title>trial {trial.number}: {escape(_shown(trial.values[key]))}, {score:.2f}</title>"
        colour = COLOURS.get(trial.state, COLOURS["pruned"])
        parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" fill="{colour}">{title}</circle>')
    return parts


def _places(values: Sequence[Any]) -> tuple[list[float], list[tuple[float, str]]]:
    """Where values stand between 0 and 1, and the ticks: by size, by logarithm where they differ much."""
    if all(isinstance(value, (int, float)) for value in values):
        numbers = [float(value) for value in values]
        if min(numbers) > 0 and max(numbers) > 5 * min(numbers):
            numbers = [math.log(number) for number in numbers]
        low, span = min(numbers), (max(numbers) - min(numbers)) or 1.0
        ends = [(0.0, _shown(min(values))), (1.0, _shown(max(values)))]
        return [(number - low) / span for number in numbers], ends if len(set(values)) > 1 else ends[:1]
    names = list(dict.fromkeys(map(str, sorted(values, key=str))))
    step = 1 / max(1, len(names) - 1)
    return [names.index(str(value)) * step for value in values], [
        (number * step, name) for number, name in enumerate(names)
    ]
