"""Charts are sound SVG and show what they are given."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from fofe.evaluate.calibration import Bin
from fofe.show.svg import axis, line_chart, reliability_diagram


@pytest.mark.parametrize("values", [[3.0], [0.0, 0.0], [18.8, 94.1], [1e-6, 2e-6], [-2.0, 5.0]])
def test_axes_hold_their_values(values: list[float]) -> None:
    found = axis("x", values)
    assert found.low <= min(values) <= max(values) <= found.high
    assert 2 <= len(found.ticks) <= 8
    chart = line_chart({"a < b": [(value, value) for value in values]}, found, found)
    ElementTree.fromstring(chart)


def test_a_diagram_has_a_bar_for_every_bin() -> None:
    drawing = reliability_diagram({"a < b": [Bin(0.7, 0.8, 1, 0.75, 0.0), Bin(0.9, 1.0, 1, 0.95, 1.0)]})
    assert drawing.count("<title>") == 2
    assert "a &lt; b" in drawing
    ElementTree.fromstring(drawing)
