from __future__ import annotations

from collections import Counter
from functools import cache
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.report import Report
from fofe.text.document import Document
from fofe.wiki import label as reasons
from fofe.wiki import types as why
from fofe.wiki.dump import RawPage
from fofe.wiki.label import Labeller, name_in
from fofe.wiki.languages import wiki_language
from fofe.wiki.mapping import TABLE, load_mapping
from fofe.wiki.page import read_page
from fofe.wiki.types import TypeIndex

ENGLISH = {
    "Anna Berg": "engineer",
    "Norway": "country",
    "Oslo": "city",
    "Leeds, Yorkshire": "town",
    "Yorkshire": "county",
    "Acme Corporation": "company",
    "Friends": "sitcom",
    "City Museum": "museum",
    "Astronomer": "scientist",
    "Moss": "city",
}

mapping_of = cache(load_mapping)


class Labelled(NamedTuple):
    document: Document | None
    report: Report


def label(
    markup: str,
    *others: RawPage,
    language: str = "en",
    classes: dict[str, str] = ENGLISH,
    repeats: bool = False,
) -> Labelled:
    mapping = mapping_of(language)
    raw = [RawPage("Port Anna", 0, markup), *others]
    pages = [page for one in raw if (page := read_page(one, mapping, frozenset(), Report()))]
    index = TypeIndex(mapping)
    for page in pages:
        index.add_page(page)
        index.add_common_nouns(page.common_nouns())
    for title, name in classes.items():
        index.add_class(title, TABLE, name)
    labeller = Labeller(index, repeats=repeats)
    report = Report()
    return Labelled(labeller.label(pages[0], report), report)


def mentions(labelled: Labelled) -> list[tuple[str, str]]:
    document = labelled.document
    if document is None:
        return []
    assert all(mention.text == document.text[mention.start : mention.end] for mention in document.mentions)
    return [(mention.text, mention.type) for mention in document.mentions]


def unknown(document: Document) -> list[str]:
    return [document.text[region.start : region.end] for region in document.regions]


def test_links_become_mentions_of_their_targets_type() -> None:
    text = "[[Anna Berg|Berg]] of [[Oslo]], [[Norway|Norwegian]] [[Friends]], [[City Museum]], [[Lake Voss]]."
    assert mentions(label(text)) == [
        ("Berg", "PER"),
        ("Oslo", "GPE"),
        ("Norwegian", "MISC"),
        ("Friends", "MISC"),
        ("City Museum", "FAC|ORG"),
        ("Lake Voss", "LOC"),
    ]


def test_redirects_are_followed() -> None:
    text = "[[Christiania]] and [[Kristiania]]."
    others = (RawPage("Kristiania", 0, "", "Christiania"), RawPage("Christiania", 0, "", "Oslo"))
    assert mentions(label(text, *others)) == [("Christiania", "GPE"), ("Kristiania", "GPE")]


def test_a_place_and_its_region_are_two_mentions() -> None:
    assert mentions(label("In [[Leeds, Yorkshire]], [[Leeds, Yorkshire|Leeds]].")) == [
        ("Leeds", "GPE"),
        ("Yorkshire", "GPE"),
        ("Leeds", "GPE"),
    ]


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("[[Nowhere]]", why.NOWHERE),
        ("[[Loop]]", why.LOOP),
        ("[[Part]]", why.SECTION),
        ("[[Many]]", why.AMBIGUOUS),
        ("[[Plain]]", why.UNTYPED),
        ("[[Torn]]", why.CONFLICT),
        ("Each [[astronomer]]: [[Astronomer]]", why.COMMON),
        ("the [[Anna Berg|mayor]]", reasons.NO_CAPITAL),
        ("[[Oslo]]ers", reasons.STUCK),
        ("the [[Anna Berg|Mayor]]", reasons.NOT_A_NAME),
        ("[[Oslo]]123", reasons.NO_TOKENS),
    ],
)
def test_a_link_that_is_dropped_is_counted_with_its_reason(markup: str, reason: str) -> None:
    others = (
        RawPage("Loop", 0, "", "Loop 2"),
        RawPage("Loop 2", 0, "", "Loop"),
        RawPage("Part", 0, "", "Oslo#History"),
        RawPage("Many", 0, "'''Many''' is a city.\n{{disambiguation}}"),
        RawPage("Plain", 0, "'''Plain''' is plain."),
        RawPage("Torn", 0, "{{Infobox person}}\n'''Torn''' is a city in Norway."),
    )
    done = label(markup, *others)
    assert mentions(done) == []
    assert done.report.counts[reason] == markup.count("[[")
    assert done.report.places[reason][0].startswith("Port Anna: ")
    assert done.report.counts[reasons.NO_MENTION] == 1


def test_only_mentions_and_small_words_are_known() -> None:
    text = "The mayor met [[Anna Berg]] in Bergen, where friends of hers, all 12, lived. Rain fell on moss."
    document = label(text).document
    assert document is not None
    # "friends" and "moss" are names of pages of a known type, and "Rain" may be one.
    assert unknown(document) == ["Bergen", "friends", "12", "Rain", "moss"]


def test_links_of_unknown_type_are_unknown() -> None:
    document = label("[[Anna Berg]] read [[Nowhere at All]] and left.").document
    assert document is not None
    assert unknown(document) == ["Nowhere", "All"]


def test_later_plain_mentions_are_labelled_on_request() -> None:
    text = "Oslo is old. [[Oslo]] and [[Anna Berg|Berg]]: Berg left Oslo, Port Anna says, and Bergen."
    assert Counter(mentions(label(text, repeats=True))) == {("Oslo", "GPE"): 2, ("Berg", "PER"): 2}
    assert Counter(mentions(label(text))) == {("Oslo", "GPE"): 1, ("Berg", "PER"): 1}
    own = "'''Port Anna''' is a city. [[Oslo]] lies near Port Anna."
    assert mentions(label(own, repeats=True)) == [("Port Anna", "GPE"), ("Oslo", "GPE"), ("Port Anna", "GPE")]


def test_spanish_and_chinese_pages() -> None:
    spanish = label(
        "[[Ana Ruiz]] vive en [[Soria]] con sus amigos.",
        language="es",
        classes={"Ana Ruiz": "escritora", "Soria": "ciudad"},
    )
    assert mentions(spanish) == [("Ana Ruiz", "PER"), ("Soria", "GPE")]
    assert spanish.document is not None
    assert unknown(spanish.document) == []
    chinese = label("[[李伟]]住在[[南京]]城。", language="zh", classes={"李伟": "作家", "南京": "城市"})
    assert mentions(chinese) == [("李伟", "PER"), ("南京", "GPE")]
    assert chinese.document is not None
    assert unknown(chinese.document) == ["住在", "城。"]


@pytest.mark.parametrize(
    ("text", "titles", "types", "name"),
    [
        ("Oslo", ["Oslo"], "GPE", "Oslo"),
        ("Dahme", ["Dahme (river)"], "LOC", "Dahme"),
        ("Atlantic", ["Atlantic Ocean"], "LOC", "Atlantic"),
        ("the Beatles", ["The Beatles"], "ORG", "Beatles"),
        ("Springfield", ["Springfield, Illinois"], "GPE", "Springfield"),
        ("Springfield, Illinois", ["Springfield, Illinois"], "GPE", "Springfield, Illinois"),
        ("U.S.", ["United States"], "GPE", "U.S."),
        ("Lincoln", ["Abraham Lincoln"], "PER", "Lincoln"),
        ("President Abraham Lincoln", ["Abraham Lincoln"], "PER", "Abraham Lincoln"),
        ("Anna Berg", ["Berg, Anna", "Anna Berg"], "PER", "Anna Berg"),
        ("Whig Party leader", ["Whig Party (United States)"], "ORG", "Whig Party"),
        (
            "Christian Democratic Union",
            ["Christian Democratic Union of Germany"],
            "ORG",
            "Christian Democratic Union",
        ),
        ("Arabic language", ["Arabic language"], "MISC", "Arabic"),
        ("Arabic", ["Arabic language"], "MISC", "Arabic"),
        ("Peking", ["Peking", "Beijing"], "GPE", "Peking"),
        ("French", ["France"], "GPE", None),
        ("president", ["Abraham Lincoln"], "PER", None),
        ("President", ["Abraham Lincoln"], "PER", None),
        ("Republican", ["Republican Party (United States)"], "ORG", None),
        ("Berlin Wall", ["Berlin"], "GPE", None),
        ("post-Berlin", ["Berlin"], "GPE", None),
        ("2009 Games", ["Games"], "MISC", None),
        ("Abraham", ["George Abraham Smith"], "PER", None),
    ],
)
def test_a_name_is_found_in_a_links_text_or_not(
    text: str, titles: list[str], types: str, name: str | None
) -> None:
    span = name_in(text, titles, frozenset({types}), wiki_language("en"))
    assert (None if span is None else text[slice(*span)]) == name


@pytest.mark.parametrize(
    ("text", "title", "found"),
    [("奥巴马", "巴拉克·奥巴马", True), ("北京", "北京市", False), ("北京", "北京 (电影)", True)],
)
def test_chinese_names(text: str, title: str, found: bool) -> None:
    span = name_in(text, [title], frozenset({"PER"}), wiki_language("zh"))
    assert span == ((0, len(text)) if found else None)


PARTS = st.sampled_from(
    [
        "[[Oslo]]",
        "[[Anna Berg|Berg]]",
        "[[Leeds, Yorkshire]]",
        "[[Nowhere]]",
        "rain",
        "Rain",
        "12",
        ". ",
        "{{x}}",
        "\n* ",
        "''",
    ]
)


@given(st.lists(PARTS, max_size=30), st.booleans())
def test_every_token_is_a_mention_or_unknown_or_small(parts: list[str], repeats: bool) -> None:
    document = label(" ".join(parts), repeats=repeats).document
    if document is None:
        return
    regions = [(region.start, region.end) for region in document.regions]
    spans = [(mention.start, mention.end) for mention in document.mentions]
    assert spans == sorted(spans)
    for token in document.tokens:
        covering = [1 for start, end in regions + spans if start <= token.start and token.end <= end]
        capital = token.text != token.text.lower() or token.text.isdigit()
        assert len(covering) == 1 if capital else len(covering) <= 1
