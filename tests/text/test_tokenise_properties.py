"""What holds for any text in any language, checked on generated text and on long hostile text."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fofe.text.document import Document
from fofe.text.tokenise import languages, tokeniser

if TYPE_CHECKING:
    from tests.conftest import LeastSeconds

# Pieces that the rules look for, so that generated text meets them often.
PIECES = [
    "Mr.", "U.S.", "J.", "Inc.", "No.", "etc.", "p.m.", "don't", "O'Brien's", "it’s", "'90s", "Sr.",
    "EE.UU.", "p. ej.", "¿", "¡", "«", "»", '"', "“", "”", "(", ")", "...", "…", "--", ".", "!",
    "?", "?!", "。", "！", "？”", "；", "，", "a@b.co.uk", "http://x.org/?q=1.", "www.x.com",
    "@user", "#tag", "&amp;", ":)", "C++", "US$", "$", "€", "+44", "-5", ".5", "1,000.50", "10:30",
    "1996-12-06", "1/2", "5%", "1.º", "26-year-old", "km/h", "AT&T", "北京", "ひらがな", "한국",
    "नमस्ते", "e\u0301", "n\u0303o", "\u0301", "\u200d", "\u200b", "\ufeff", "\u00ad", "👩‍👩‍👧",
    "👍🏽", "🇨🇦", "1️⃣", "\x00", "\ud83d", "\udc00", "\r\n", "\n\n", "\n", "\t", "\u2029", "\x0c",
    "\x1f", "\x85", "\u3000", "\u1680", " ", " ", "The", "He", "word",
]  # fmt: skip

any_character = st.characters(codec=None)
texts = st.one_of(
    st.text(any_character, max_size=60),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(any_character, max_size=3)), max_size=25).map(
        "".join
    ),
)
any_language = st.sampled_from(languages())


@settings(max_examples=400, deadline=None)
@given(any_language, texts)
@example("en", "")
@example("zh", " \n\t ")
@example("en", "\ufeffJohn\u200bSmith\r\n\r\nleft.\x00")
def test_every_visible_character_is_in_exactly_one_token(language: str, text: str) -> None:
    document = tokeniser(language).document(text, id="d")
    assert document.text == text
    assert document.id == "d"
    position = 0
    for token in document.tokens:
        assert token.start < token.end
        assert text[token.start : token.end] == token.text
        assert text[position : token.start].strip() == ""
        assert not any(map(str.isspace, token.text))
        position = token.end
    assert text[position:].strip() == ""


@settings(max_examples=200, deadline=None)
@given(any_language, texts)
def test_sentences_have_tokens(language: str, text: str) -> None:
    assert all(sentence.tokens for sentence in tokeniser(language).document(text).sentences)


@settings(max_examples=200, deadline=None)
@given(any_language, texts, texts)
def test_a_blank_line_ends_a_sentence_in_every_language(language: str, first: str, second: str) -> None:
    document = tokeniser(language).document(f"{first}x\n\nx{second}")
    border = len(first) + 2
    assert all(sentence.end < border or sentence.start > border for sentence in document.sentences)


@settings(max_examples=200, deadline=None)
@given(any_language, st.text(st.characters(categories=("Ll", "Lu")), min_size=1, max_size=12))
def test_letters_are_cut_alike_composed_and_decomposed(language: str, word: str) -> None:
    composed, decomposed = (
        [
            unicodedata.normalize("NFC", token.text)
            for token in tokeniser(language).document(unicodedata.normalize(form, word)).tokens
        ]
        for form in ("NFC", "NFD")
    )
    assert composed == decomposed


@settings(max_examples=100, deadline=None)
@given(
    any_language, st.lists(st.sampled_from(["Anna", "Paris", "left", ",", "rain", "Ω", "über"]), min_size=1)
)
def test_plain_words_survive_being_joined_and_cut_again(language: str, words: list[str]) -> None:
    document = Document.from_words([words])
    again = tokeniser(language).document(document.text)
    assert list(again.tokens) == list(document.tokens)


HOSTILE = [
    "a", "A.", "a.", "a-", "a'", "n", "a.b@", "a@b.", "x+", "http://", "http://!", "!", ".", "?!a",
    '"', ".)", ")", " ", "\n ", "\r", "\n1. ", "Mr. ", "A. ", "1,", "1.", "&#1", "_", "e\u0301",
    "\u0301", "👩\u200d", "。", "？”", "中", "\x00", "\ud83d", "x" * 63 + ".", "x.x.x.@",
]  # fmt: skip


@pytest.mark.parametrize("language", languages())
def test_no_text_makes_a_pattern_scan_again_and_again(language: str, least_seconds: LeastSeconds) -> None:
    """Linear time is some hundredths of a second here; quadratic time would be many seconds."""
    cut = tokeniser(language).document
    for unit in HOSTILE:
        text = unit * (30_000 // len(unit))
        assert least_seconds(lambda: cut(text), enough=1) < 1, f"slow on {unit!r} repeated"  # noqa: B023


@pytest.mark.parametrize("unit", ["a", "a.b@", "http://!", ".)", "\n ", "x" * 63 + "."])
def test_hostile_text_of_200_kilobytes_takes_seconds_at_most(unit: str, least_seconds: LeastSeconds) -> None:
    text = unit * (200_000 // len(unit))
    assert least_seconds(lambda: tokeniser("en").document(text), enough=5) < 5


def test_a_long_line_without_punctuation_is_one_sentence() -> None:
    document = tokeniser("en").document("word " * 50_000)
    assert [len(sentence) for sentence in document.sentences] == [50_000]
