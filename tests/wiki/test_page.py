from __future__ import annotations

import json

import pytest

from fofe.base.report import Report
from fofe.wiki.dump import RawPage
from fofe.wiki.languages import wiki_language
from fofe.wiki.mapping import load_mapping
from fofe.wiki.page import Page, looks_like_name, normalise, read_page


def page(title: str, markup: str, language: str = "en") -> Page:
    found = read_page(RawPage(title, 0, markup), load_mapping(language), frozenset(), Report())
    assert found is not None
    assert Page.from_json(json.loads(json.dumps(vars(found)))) == found
    return found


BOTH = {"infobox": "PER", "sentence": "PER"}
PLACE = {"category": "GPE", "sentence": "GPE"}


@pytest.mark.parametrize(
    ("language", "markup", "types"),
    [
        ("en", "{{Infobox officeholder\n| name = {{x}}}}\nText.", {"infobox": "PER"}),
        ("en", "Text.\n[[Category:1900 births]]\n[[Category:Cities in Peru]]", {"category": "PER"}),
        (
            "en",
            "'''X''' (born {{date}}) is a [[Poland|Polish]] [[footballer]].",
            {"sentence": "PER"},
        ),
        ("en", "'''X''' was one of the small [[town]]s in Peru.", {}),
        ("en", "'''X''' is the capital and largest city of Peru.", {"sentence": "GPE"}),
        ("en", "'''X''' is a chemical element.", {}),
        ("en", "'''X''' may be a city.\n{{disambiguation}}\n[[Category:1900 births]]", {}),
        (
            "es",
            "{{Ficha de persona}}\n'''X''' fue una escritora peruana.",
            BOTH,
        ),
        (
            "es",
            "'''X''' es un municipio.\n[[Categoría:Municipios de Soria]]",
            PLACE,
        ),
        (
            "zh",
            "{{Infobox person|x}}\n'''X'''（1900年－），是著名的作家。",
            BOTH,
        ),
        (
            "zh",
            "'''X'''是[[日本]]的城市，人口多。\n[[分類:日本城市]]",
            PLACE,
        ),
    ],
)
def test_a_page_gives_evidence_of_its_type(language: str, markup: str, types: dict[str, str]) -> None:
    assert page("X", markup, language).types == types


@pytest.mark.parametrize(
    ("language", "template"),
    [
        ("en", "disambiguation"),
        ("en", "hndis"),
        ("en", "Human name disambiguation"),
        ("es", "Desambiguación"),
        ("zh", "消歧义"),
    ],
)
def test_disambiguation_pages_are_known(language: str, template: str) -> None:
    assert page("X", f"'''X''' is a city.\n{{{{{template}}}}}", language).ambiguous


def test_links_in_lower_case_show_common_nouns() -> None:
    found = page(
        "X", "An [[astronomer]] of the [[Moon]], many [[moon]]s and the [[Anna Berg|mayor]], a [[mayor]]."
    )
    assert list(found.common_nouns()) == ["Astronomer", "Moon", "Mayor"]


def test_a_redirect_into_a_part_of_a_page_leads_nowhere() -> None:
    mapping = load_mapping("en")
    whole = read_page(RawPage("a", 0, "", "b_c"), mapping, frozenset(), Report())
    part = read_page(RawPage("a", 0, "", "b#c"), mapping, frozenset(), Report())
    assert whole is not None
    assert part is not None
    assert (whole.title, whole.redirect, part.redirect) == ("A", "B c", "")


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
def test_a_title_with_lower_case_words_is_no_name(title: str, name: bool) -> None:
    assert looks_like_name(title, wiki_language("en")) == name


def test_titles_are_normalised_as_mediawiki_does() -> None:
    assert normalise("_new  york_City#History ") == "New york City"
    assert normalise(":éire") == "Éire"
