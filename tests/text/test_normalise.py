"""Words as the network sees them, and digit classes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import ConfigError
from fofe.text.normalise import DIGIT_RULES, MOST_CHARACTERS, digit_rule, normalise

WORDS = st.lists(st.text(st.sampled_from("abñéü中😀e\u0301\u0303-"), min_size=1, max_size=300), min_size=1)


@given(WORDS)
def test_words_keep_their_number_and_their_composed_form(words: list[str]) -> None:
    read = normalise(words)
    assert len(read) == len(words)
    for word, given_word in zip(read, words, strict=True):
        composed = unicodedata.normalize("NFC", given_word)
        assert len(word) <= MOST_CHARACTERS
        assert word == composed or (len(composed) > MOST_CHARACTERS and composed.startswith(word[:40]))


@given(WORDS)
def test_normal_forms_read_the_same(words: list[str]) -> None:
    apart = [unicodedata.normalize("NFD", word) for word in words]
    assert normalise(apart) == normalise([unicodedata.normalize("NFC", word) for word in words])


def test_traditional_chinese_reads_as_simplified() -> None:
    """Each character becomes one, so offsets stay. 乾 is simplified text's own; Japanese keeps its forms."""
    assert normalise(["馬", "英", "九", "於", "臺灣", "乾"], "zh") == ["马", "英", "九", "于", "台湾", "乾"]
    assert normalise(["馬"], "ja") == ["馬"]


SHAPES = {
    "7": "<num1>", "42": "<num2>", "3.5": "<num3>", "1996": "<num4>", "1,000": "<num5>", "10,000": "<num6>",
    "5,778,000.00": "<num6>", ".556": "<num4>", "1.": "<num2>", "٤٢": "<num2>", "1996-12-06": "<date>",
    "1996-8-6": "<0-0-0>", "26-year-old": "<0-a-a>", "10-round": "<0-a>", "F16": "<a0>", "1980s": "<0a>",
    "10:30": "<0:0>", "1/2": "<0/0>", "20:36:54": "<0:0:0>", "+44": "<+0>", "foo_1": "<a_0>", "É2é": "<a0a>",
    "km²": "<a>", "½": "½", "...": "...", "Toronto": "Toronto", "U.S.": "U.S.", "": "",
}  # fmt: skip


@pytest.mark.parametrize(("token", "expected"), SHAPES.items())
def test_shapes(token: str, expected: str) -> None:
    assert digit_rule("shape")(token) == expected


CLASSES = {
    "42": "<number>", "5,778.00": "<number>", "+0.5": "<number>", "-5": "<number>", ".556": "<number>",
    "1996": "<year>", "2024": "<year>", "1980s": "<decade>", "'90s": "<decade>",
    "1996-12-06": "<date>", "11/1/96": "<date>", "24.12.2020": "<date>",
    "10:30": "<time>", "20:36:54": "<time>", "4:08.22": "<time>", "10pm": "<time>", "9a.m.": "<time>",
    "212-859-1761": "<phone>", "+91-22-265": "<phone>", "235-6745": "<phone>",
    "$5": "<money>", "US$1,000": "<money>", "£1.2m": "<money>", "20€": "<money>",
    "5%": "<percent>", "-0.7％": "<percent>", "1st": "<ordinal>", "182ND": "<ordinal>", "1.º": "<ordinal>",
    "1/2": "<fraction>", "106-26/32": "<fraction>", "6-4": "<range>", "1990–95": "<range>",
    "10-0-41-2": "<numeric>", "6-": "<numeric>", "F-16": "<alphanumeric>", "26-year-old": "<alphanumeric>",
    "MI6": "<alphanumeric>", "Boeing": "Boeing", "&": "&",
}  # fmt: skip


@pytest.mark.parametrize(("token", "expected"), CLASSES.items())
def test_classes(token: str, expected: str) -> None:
    assert digit_rule("classes")(token) == expected


@given(st.sampled_from(sorted(DIGIT_RULES)), st.text(max_size=12))
def test_a_token_without_digits_is_never_changed(name: str, token: str) -> None:
    without = "".join(character for character in token if not character.isdigit())
    assert digit_rule(name)(without) == without


@given(st.sampled_from(["shape", "classes"]), st.text(max_size=6), st.integers(0, 9), st.text(max_size=6))
def test_a_token_with_a_digit_becomes_a_class(name: str, before: str, digit: int, after: str) -> None:
    found = digit_rule(name)(f"{before}{digit}{after}")
    assert found[0] == "<"
    assert found[-1] == ">"


@given(st.text(max_size=12))
def test_the_rule_none_changes_nothing(token: str) -> None:
    assert digit_rule("none")(token) == token


def test_an_unknown_rule_is_an_error_that_names_the_rules() -> None:
    with pytest.raises(ConfigError, match="shape, classes, none"):
        digit_rule("shapes")
