"""SVG: elements, stand-alone pictures, line charts and reliability diagrams."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from fofe.evaluate.calibration import BINS, Bin, calibration_error

WIDTH, HEIGHT = 460, 240
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 28, 40
COLOURS = ("#2b7bba", "#c2590a", "#12805c", "#8a2a82")
SIDE, MARGIN, HEADING = 240, 44, 58
"""Of a panel of a reliability diagram."""


def element(tag: str, content: str = "", **attributes: str | float) -> str:
    """An element around content that is SVG; `text_anchor=` sets the attribute `text-anchor`."""
    written = "".join(f' {name.replace("_", "-")}="{_value(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, words: str, **attributes: str | float) -> str:
    """Words at a point."""
    return element("text", escape(words), x=x, y=y, **attributes)


def polyline(points: Iterable[tuple[float, float]], colour: str, width: float) -> str:
    """A line through some points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return element("polyline", points=path, fill="none", stroke=colour, stroke_width=str(width))


def picture(width: float, height: float, parts: Iterable[str], *, font_size: int = 13) -> str:
    """A file of its own, on white."""
    background = element("rect", width="100%", height="100%", fill="white")
    content = "\n".join(["", background, *parts, ""])
    size: dict[str, str | float] = {"width": width, "height": height, "font_family": "sans-serif"}
    return element("svg", content, xmlns="http://www.w3.org/2000/svg", **size, font_size=font_size) + "\n"


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


class Axis(NamedTuple):
    """The name of an axis, its range, and the values written beside it."""

    name: str
    low: float
    high: float
    ticks: Sequence[float]

    def share(self, value: float) -> float:
        """The position of a value between the ends, from 0 to 1."""
        return (value - self.low) / ((self.high - self.low) or 1.0)


def axis(name: str, values: Sequence[float], *, low: float | None = None, high: float | None = None) -> Axis:
    """An axis that includes all values, with about five round ticks."""
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


def line_chart(lines: Mapping[str, Sequence[tuple[float, float]]], across: Axis, up: Axis) -> str:
    """Named lines over two axes, in the colours of the page; each point has its values as a tooltip."""

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * across.share(value)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * up.share(value)

    parts = [
        *(text(x(tick), HEIGHT - BOTTOM + 17, f"{tick:.4g}", text_anchor="middle") for tick in across.ticks),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, across.name, text_anchor="middle"),
    ]
    for tick in up.ticks:
        grid = f"M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}"
        parts.append(element("path", d=grid, stroke="currentColor", stroke_opacity="0.15"))
        parts.append(text(LEFT - 6, y(tick) + 4, f"{tick:.4g}", text_anchor="end"))
    for number, (name, line) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(polyline([(x(value), y(height)) for value, height in line], colour, 2))
        for value, height in line:
            tip = element("title", escape(f"{name}: {height:.4g} at {value:.4g}"))
            parts.append(element("circle", tip, cx=x(value), cy=y(height), r=3, fill=colour))
        key = LEFT + 110 * number
        parts.append(element("rect", x=key, y=6, width=12, height=12, rx=3, fill=colour))
        parts.append(text(key + 17, 16, name))
    described = f"{', '.join(lines)} by {across.name}"
    view = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "aria_label": described}
    return element("svg", "\n".join(["", *parts, ""]), **view)


def reliability_diagram(panels: Mapping[str, Sequence[Bin]]) -> str:
    """A picture with a panel for each set of bins: the share that is right by score, and the diagonal."""
    parts = [
        part
        for number, (title, bins) in enumerate(panels.items())
        for part in _panel(MARGIN + number * (SIDE + MARGIN), title, bins)
    ]
    width = len(panels) * (SIDE + MARGIN) + MARGIN
    return picture(width, HEADING + SIDE + MARGIN, parts, font_size=12)


def _panel(left: float, title: str, bins: Sequence[Bin]) -> Iterator[str]:
    bottom = HEADING + SIDE
    yield text(left, 20, title, font_weight="bold")
    yield text(left, 38, f"calibration error {calibration_error(bins):.2f} %")
    for one in bins:
        height = SIDE * one.right
        tip = f"{one.fragments} fragments, mean score {one.score:.3f}, right {one.right:.3f}"
        bar = {"x": left + SIDE * one.low, "y": bottom - height, "width": SIDE / BINS - 1, "height": height}
        yield element("rect", element("title", tip), **bar, fill="#2b6cb0")
    yield element("rect", x=left, y=HEADING, width=SIDE, height=SIDE, fill="none", stroke="#a0aec0")
    diagonal = f"M{left} {bottom}L{left + SIDE} {HEADING}"
    yield element("path", d=diagonal, stroke="#c53030", stroke_dasharray="4")
    yield text(left + SIDE / 2, bottom + 34, "score", text_anchor="middle")
    for tick in (0.0, 0.5, 1.0):
        yield text(left + SIDE * tick, bottom + 18, str(tick), text_anchor="middle")
        yield text(left - 6, bottom - SIDE * tick + 4, str(tick), text_anchor="end")
