"""Which languages there are, and what a tokeniser does outside the rules of one language."""

import pytest

from fofe.base.errors import InputError
from fofe.text.tokenise import languages, tokeniser


def words(language: str, text: str) -> list[list[str]]:
    return [sentence.words for sentence in tokeniser(language).document(text).sentences]


def test_languages_with_rules() -> None:
    assert languages() == ["en", "es", "xx", "zh"]


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("en-GB", "en"),
        ("zh_TW", "zh"),
        ("zh-Hant-HK", "zh"),
        ("spa", "es"),
        ("cmn", "zh"),
    ],
)
def test_regions_and_three_letter_codes_lead_to_the_same_rules(asked: str, given: str) -> None:
    assert tokeniser(asked) is tokeniser(given)


@pytest.mark.parametrize("code", ["xx", "plain", "fr", "de-AT", "ceb"])
def test_other_codes_have_the_plain_rules(code: str) -> None:
    assert words(code, "L'été n'est pas là. Il pleut!") == [
        ["L'été", "n'est", "pas", "là", "."],
        ["Il", "pleut", "!"],
    ]


@pytest.mark.parametrize("code", ["", "english", "qq", "e", "en english", "12", "xy"])
def test_what_is_no_code_is_an_error_that_names_the_codes(code: str) -> None:
    with pytest.raises(InputError, match=r"two letters such as de: en, es, zh have rules .*; xx is for any"):
        tokeniser(code)


def test_unspaced_scripts_are_cut_into_characters_by_the_plain_rules() -> None:
    assert words("ja", "東京へ行く。Tokyo 2020!") == [
        ["東", "京", "へ", "行", "く", "。"],
        ["Tokyo", "2020", "!"],
    ]


def test_marks_of_indic_scripts_stay_in_their_words() -> None:
    assert words("hi", "नमस्ते दुनिया। ठीक है") == [["नमस्ते", "दुनिया", "।"], ["ठीक", "है"]]


def test_cyrillic_initials_and_question_marks() -> None:
    assert words("ru", "А. С. Пушкин жил? Да, в г.Москве.") == [
        ["А.", "С.", "Пушкин", "жил", "?"],
        ["Да", ",", "в", "г", ".", "Москве", "."],
    ]


def test_empty_text_has_no_sentences() -> None:
    assert tokeniser("en").document("").sentences == []
    assert tokeniser("en").document(" \n\n\t\u3000").sentences == []
