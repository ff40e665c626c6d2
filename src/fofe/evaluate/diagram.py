"""A reliability diagram as SVG, written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from fofe.evaluate.calibration import BINS, Bin, calibration_error

SIDE = 240
MARGIN = 44
TOP = 58
TICKS = (0.0, 0.5, 1.0)


def reliability_diagram(panels: Mapping[str, Sequence[Bin]]) -> str:
    """One panel for each set of bins: the share that is right by score, beside the ideal line."""
    width = len(panels) * (SIDE + MARGIN) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + SIDE + MARGIN}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, (title, bins) in enumerate(panels.items()):
        parts += _panel(MARGIN + number * (SIDE + MARGIN), title, bins)
    return "\n".join([*parts, "</svg>", ""])


def _panel(left: float, title: str, bins: Sequence[Bin]) -> list[str]:
    bottom = TOP + SIDE
    error = calibration_error(bins)
    parts = [
        f'<text x="{left}" y="20" font-weight="bold">{escape(title)}</text>',
        f'<text x="{left}" y="38">calibration error {error:.2f} %</text>',
    ]
    for of_bin in bins:
        height = SIDE * of_bin.right
        x, y = left + SIDE * of_bin.low, bottom - height
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{SIDE / BINS - 1:.1f}" '
            f'height="{height:.1f}" fill="#2b6cb0"><title>{of_bin.fragments} fragments, mean score '
            f"{of_bin.score:.3f}, right {of_bin.right:.3f}</title></rect>"
        )
    parts += [
        f'<rect x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#a0aec0"/>',
        f'<path d="M{left} {bottom}L{left + SIDE} {TOP}" stroke="#c53030" stroke-dasharray="4"/>',
        f'<text x="{left + SIDE / 2}" y="{bottom + 34}" text-anchor="middle">score</text>',
    ]
    for tick in TICKS:
        parts += [
            f'<text x="{left + SIDE * tick}" y="{bottom + 18}" text-anchor="middle">{tick}</text>',
            f'<text x="{left - 6}" y="{bottom - SIDE * tick + 4}" text-anchor="end">{tick}</text>',
        ]
    return parts
