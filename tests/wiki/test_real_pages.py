"""Every typed link of real pages, where they are at hand, points at the link's own text."""

from __future__ import annotations

from pathlib import Path

import pytest

from fofe.base.report import Report
from fofe.wiki.dump import read_pages, read_site
from fofe.wiki.label import Labeller
from fofe.wiki.mapping import load_mapping
from fofe.wiki.page import read_page
from fofe.wiki.types import TypeIndex

WIKIPEDIA = Path(__file__).resolve().parents[3] / "shared" / "data" / "wikipedia"


@pytest.mark.skipif(not WIKIPEDIA.exists(), reason=f"the real pages are not here: {WIKIPEDIA}")
def test_all_offsets_point_at_the_text_of_links() -> None:
    mapping, report = load_mapping("en"), Report()
    index, pages = TypeIndex(mapping), []
    for dump in sorted(WIKIPEDIA.glob("*.xml.bz2")):
        namespaces = read_site(dump).namespaces
        for raw in read_pages(dump, report):
            page = read_page(raw, mapping, namespaces, report)
            if page is not None:
                pages.append((page, raw.markup))
                index.add_page(page)
                index.add_common_nouns(page.common_nouns())
    index.add_table(WIKIPEDIA / "enwiki-classes.tsv.xz", report)
    labeller = Labeller(index)
    mentions = 0
    for page, markup in pages:
        document = labeller.label(page, Report()) if page.redirect is None else None
        for mention in document.mentions if document else ():
            mentions += 1
            assert mention.text == page.text[mention.start : mention.end] == mention.text.strip()
            (link,) = (one for one in page.links if one.start <= mention.start and mention.end <= one.end)
            shown = page.text[link.start : link.end]
            assert mention.text in shown
            assert f"[[{shown}" in markup or f"|{shown}" in markup or "''" in markup
    assert mentions >= 2000
