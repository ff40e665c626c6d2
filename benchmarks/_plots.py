"""The charts of the benchmarks, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fofe.show.svg import element, picture, polyline, text

ROW = 28
LABEL = 150
BAR = 420
WIDTH, HEIGHT, MARGIN = 640, 260, 56


def bars(path: Path, title: str, values: Mapping[str, float]) -> None:
    """Write a chart of horizontal bars."""
    path.write_text(bar_chart(title, values), "utf-8")


def bar_chart(title: str, values: Mapping[str, float], *, label: int = LABEL, least: float = 0.0) -> str:
    """A chart of horizontal bars, which begin at `least`; those whose name begins with fofe stand out."""
    span = max(values.values()) - least or 1.0
    digits = 0 if max(values.values()) >= 1000 else 2
    parts = [_title(title)]
    for number, (name, value) in enumerate(values.items(), 1):
        top = ROW * number + 6
        width = max(0.0, BAR * (value - least) / span)
        colour = "#2b6cb0" if name.startswith("fofe") else "#a0aec0"
        parts += [
            text(label - 6, top + 15, name, text_anchor="end"),
            element("rect", x=label, y=top, width=width, height=ROW - 8, fill=colour),
            text(label + width + 6, top + 15, f"{value:,.{digits}f}"),
        ]
    return picture(label + BAR + 90, ROW * (len(values) + 1) + 10, parts)


def curve(title: str, values: Mapping[str, float]) -> str:
    """Points side by side in their order, joined by a line."""
    points = _points(list(values.values()), min(values.values()), max(values.values()))
    parts = [_title(title), polyline(points, "#a0aec0", 1.5)]
    for (name, value), (x, y) in zip(values.items(), points, strict=True):
        parts += [
            element("circle", cx=x, cy=y, r=4, fill="#2b6cb0"),
            text(x, y - 9, f"{value:.2f}", text_anchor="middle"),
            text(x, HEIGHT - 16, name, text_anchor="middle"),
        ]
    return picture(WIDTH, HEIGHT, parts)


def lines(title: str, series: Mapping[str, Mapping[str, float]]) -> str:
    """Several lines over the same positions; the first stands out."""
    values = [value for points in series.values() for value in points.values()]
    low, high = min(values), max(values)
    colours = ("#2b6cb0", "#718096", "#c05621", "#2f855a")
    parts = [_title(title)]
    for number, (name, of_series) in enumerate(series.items()):
        colour = colours[number % len(colours)]
        points = _points(list(of_series.values()), low, high)
        parts.append(polyline(points, colour, 2))
        for (at, value), (x, y) in zip(of_series.items(), points, strict=True):
            parts += [
                element("circle", cx=x, cy=y, r=3, fill=colour),
                text(x, y - 7, f"{value:.1f}", text_anchor="middle", fill=colour),
                text(x, HEIGHT - 16, at, text_anchor="middle"),
            ]
        parts.append(text(WIDTH - 30, MARGIN + 20 * number, name, fill=colour))
    return picture(WIDTH + LABEL, HEIGHT, parts)


def _title(title: str) -> str:
    return text(8, 20, title, font_weight="bold")


def _points(values: Sequence[float], low: float, high: float) -> list[tuple[float, float]]:
    """The positions of values from left to right; the lowest is at the bottom, the highest at the top."""
    step = (WIDTH - 2 * MARGIN) / max(1, len(values) - 1)
    span = (high - low) or 1.0
    return [
        (MARGIN + number * step, MARGIN + (high - value) / span * (HEIGHT - 2 * MARGIN))
        for number, value in enumerate(values)
    ]
