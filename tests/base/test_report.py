"""Counts as people read them."""

from __future__ import annotations

import pytest

from fofe.base.report import Report, counted


@pytest.mark.parametrize(
    ("what", "one"),
    [
        ("documents without tokens tokenised as en", "1 document without tokens tokenised as en"),
        ("discontinuous brat mentions left out", "1 discontinuous brat mention left out"),
        ("directories inside of one left out", "1 directory inside of one left out"),
        ("B- tags where IOB1 has I-", "1 B- tag where IOB1 has I-"),
    ],
)
def test_one_is_not_several(what: str, one: str) -> None:
    report = Report()
    report.note(what, "a.txt")
    assert report.lines() == [f"{one} (first: a.txt)"]
    assert counted(0, what) == f"0 {what}"
    assert counted(12345, what, ",") == f"12,345 {what}"
