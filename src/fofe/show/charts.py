"""Line charts as SVG, in the colours of the page that they stand in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 460, 240
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 28, 40
COLOURS = ("#2b7bba", "#c2590a", "#12805c", "#8a2a82")

Line = Sequence[tuple[float, float]]


class Axis(NamedTuple):
    """What an axis shows, from where to where, and the values that are written beside it."""

    name: str
    low: float
    high: float
    ticks: Sequence[float]

    def share(self, value: float) -> float:
        """Where a value lies between the ends."""
        return (value - self.low) / ((self.high - self.low) or 1.0)


def axis(name: str, values: Sequence[float], *, low: float | None = None, high: float | None = None) -> Axis:
    """An axis that holds all values, with about five round ticks."""
    start = min(values) if low is None else low
    end = max(values) if high is None else high
    step = _round_step((end - start) / 4 or 1.0)
    first, last = math.floor(start / step), math.ceil(end / step)
    ticks = [number * step for number in range(first, max(last, first + 1) + 1)]
    return Axis(name, ticks[0], ticks[-1], ticks)


def _round_step(rough: float) -> float:
    """The least of 1, 2, 5, 10 and so on, times a power of ten, that is not below."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)


def line_chart(lines: Mapping[str, Line], across: Axis, up: Axis) -> str:
    """Some named lines over two axes; each point tells its values when it is pointed at."""
    told = f"{', '.join(lines)} by {across.name}"
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(told)}">',
        *(_tick_across(tick, across) for tick in across.ticks),
        *(_tick_up(tick, up) for tick in up.ticks),
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">'
        f"{escape(across.name)}</text>",
    ]
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = [(_x(x, across), _y(y, up)) for x, y in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (x, y), (value, height) in zip(points, line, strict=True):
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}">'
                f"<title>{escape(name)}: {height:.4g} at {value:.4g}</title></circle>"
            )
        place = LEFT + 110 * number
        parts.append(
            f'<rect x="{place}" y="6" width="12" height="12" rx="3" fill="{colour}"/>'
            f'<text x="{place + 17}" y="16">{escape(name)}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def _tick_across(tick: float, across: Axis) -> str:
    x = _x(tick, across)
    return f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{tick:.4g}</text>'


def _tick_up(tick: float, up: Axis) -> str:
    y = _y(tick, up)
    return (
        f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="currentColor" stroke-opacity="0.15"/>'
        f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:.4g}</text>'
    )


def _x(value: float, across: Axis) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * across.share(value)


def _y(value: float, up: Axis) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * up.share(value)
