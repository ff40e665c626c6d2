from __future__ import annotations

import pytest

from fofe.wiki.languages import wiki_language
from fofe.wiki.names import name_in
from fofe.wiki.titles import looks_like_name, normalise


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


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("United States", True),
        ("University of Oslo", True),
        ("Arabic language", True),
        ("Ludwig van Beethoven", True),
        ("Aristotle", True),
        ("Animated cartoon", False),
        ("Bose–Einstein condensate", False),
    ],
)
def test_a_title_with_small_words_is_no_name(title: str, name: bool) -> None:
    assert looks_like_name(title, wiki_language("en")) == name


def test_titles_are_normalised_as_mediawiki_does() -> None:
    assert normalise("_new  york_City#History ") == "New york City"
    assert normalise(":éire") == "Éire"
