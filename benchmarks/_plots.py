"""Plain SVG charts, written by hand: no plotting library is worth its install for a few bars."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

ROW = 28
LABEL = 150
BAR = 420


def bars(path: Path, title: str, values: Mapping[str, float]) -> None:
    """Write a chart of horizontal bars."""
    height = ROW * (len(values) + 1) + 10
    most = max(values.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + BAR + 90}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="8" y="20" font-weight="bold">{escape(title)}</text>',
    ]
    for number, (name, value) in enumerate(values.items(), 1):
        top = ROW * number + 6
        width = BAR * value / most
        colour = "#2b6cb0" if name.startswith("fofe") else "#a0aec0"
        parts += [
            f'<text x="{LABEL - 6}" y="{top + 15}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{LABEL}" y="{top}" width="{width:.1f}" height="{ROW - 8}" fill="{colour}"/>',
            f'<text x="{LABEL + width + 6:.1f}" y="{top + 15}">{value:,.0f}</text>',
        ]
    path.write_text("\n".join([*parts, "</svg>", ""]), "utf-8")
