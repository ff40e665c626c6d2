"""Time that grows with the length of the input, not with its square, whatever the markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fofe.base.report import Report
from fofe.wiki.languages import wiki_language
from fofe.wiki.markup import parse

if TYPE_CHECKING:
    from tests.conftest import LeastSeconds

PIECES = (
    "<nowiki>",
    "<nowiki>a<b>",
    "<ref>",
    "<!--",
    "[http://a ",
    "[[Category:",
    "{{Infobox ",
    "-{",
    "\n{|",
)


@pytest.mark.parametrize("piece", PIECES)
def test_markup_that_is_never_closed(piece: str, least_seconds: LeastSeconds) -> None:
    source = piece * (800_000 // len(piece))
    assert least_seconds(lambda: parse(source, wiki_language("en"), Report()), 1.0) < 3
