"""Plain SVG charts, written by hand: no plotting library is worth its install for a few bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

ROW = 28
LABEL = 150
BAR = 420
WIDTH, HEIGHT, MARGIN = 640, 260, 56


def bars(path: Path, title: str, values: Mapping[str, float]) -> None:
    """Write a chart of horizontal bars."""
    path.write_text(bar_chart(title, values), "utf-8")


def bar_chart(title: str, values: Mapping[str, float], *, label: int = LABEL, least: float = 0.0) -> str:
    """A chart of horizontal bars, which begin at `least`; those whose name begins with fofe stand out."""
    height = ROW * (len(values) + 1) + 10
    span = max(values.values()) - least or 1.0
    digits = 0 if max(values.values()) >= 1000 else 2
    parts = _opening(label + BAR + 90, height, title)
    for number, (name, value) in enumerate(values.items(), 1):
        top = ROW * number + 6
        width = max(0.0, BAR * (value - least) / span)
        colour = "#2b6cb0" if name.startswith("fofe") else "#a0aec0"
        parts += [
            f'<text x="{label - 6}" y="{top + 15}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{label}" y="{top}" width="{width:.1f}" height="{ROW - 8}" fill="{colour}"/>',
            f'<text x="{label + width + 6:.1f}" y="{top + 15}">{value:,.{digits}f}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def curve(title: str, values: Mapping[str, float]) -> str:
    """Points side by side in their order, joined by a line."""
    places = _places(list(values.values()), min(values.values()), max(values.values()))
    parts = _opening(WIDTH, HEIGHT, title)
    parts.append(_polyline(places, "#a0aec0", 1.5))
    for (name, value), (across, down) in zip(values.items(), places, strict=True):
        parts += [
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" fill="#2b6cb0"/>',
            f'<text x="{across:.1f}" y="{down - 9:.1f}" text-anchor="middle">{value:.2f}</text>',
            f'<text x="{across:.1f}" y="{HEIGHT - 16}" text-anchor="middle">{escape(name)}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def lines(title: str, series: Mapping[str, Mapping[str, float]]) -> str:
    """Several lines over the same places; the first stands out."""
    values = [value for points in series.values() for value in points.values()]
    low, high = min(values), max(values)
    colours = ("#2b6cb0", "#718096", "#c05621", "#2f855a")
    parts = _opening(WIDTH + LABEL, HEIGHT, title)
    for number, (name, points) in enumerate(series.items()):
        colour = colours[number % len(colours)]
        places = _places(list(points.values()), low, high)
        parts.append(_polyline(places, colour, 2))
        for (at, value), (across, down) in zip(points.items(), places, strict=True):
            parts += [
                f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="{colour}"/>',
                f'<text x="{across:.1f}" y="{down - 7:.1f}" text-anchor="middle" '
                f'fill="{colour}">{value:.1f}</text>',
                f'<text x="{across:.1f}" y="{HEIGHT - 16}" text-anchor="middle">{escape(at)}</text>',
            ]
        top = MARGIN + 20 * number
        parts.append(f'<text x="{WIDTH - 30}" y="{top}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _places(values: Sequence[float], low: float, high: float) -> list[tuple[float, float]]:
    """Where values stand, from left to right, between the lowest at the bottom and the highest at the top."""
    step = (WIDTH - 2 * MARGIN) / max(1, len(values) - 1)
    span = (high - low) or 1.0
    return [
        (MARGIN + number * step, MARGIN + (high - value) / span * (HEIGHT - 2 * MARGIN))
        for number, value in enumerate(values)
    ]


def _polyline(places: Sequence[tuple[float, float]], colour: str, width: float) -> str:
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _opening(width: int, height: int, title: str) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="8" y="20" font-weight="bold">{escape(title)}</text>',
    ]
