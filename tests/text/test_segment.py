"""Tokens in the words that a segmenter cuts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import ConfigError
from fofe.text.segment import in_words, segmenter
from fofe.text.tokenise import tokeniser


def words_of(text: str) -> list[str]:
    tokens = [token.text for token in tokeniser("zh").document(text).tokens]
    return [token.word for token in in_words(tokens, segmenter("jieba")) if token.position == 0]


def test_characters_are_held_by_words_and_other_tokens_by_themselves() -> None:
    found = words_of("我在北京大学，用iPhone 12。")
    assert found == ["我", "在", "北京大学", "，", "用", "iPhone", "12", "。"]


def test_letters_that_stand_apart_are_joined() -> None:
    held = list(in_words([*"我用iPhone"], segmenter("jieba")))
    assert [(token.word, token.position, token.tokens) for token in held[2:]] == [
        ("iPhone", place, 6) for place in range(6)
    ]


@given(st.lists(st.text(alphabet="北京大学ab1 。😀\ud800葛\U000e0100", min_size=1, max_size=3), max_size=12))
def test_every_token_has_its_place_in_its_word(tokens: list[str]) -> None:
    held = list(in_words(tokens, segmenter("jieba")))
    assert [token.token for token in held] == tokens
    number = 0
    while number < len(held):
        word = held[number : number + held[number].tokens]
        assert [token.position for token in word] == list(range(len(word)))
        assert {(token.word, token.tokens) for token in word} == {(word[0].word, len(word))}
        assert "".join(token.token for token in word) == word[0].word
        number += len(word)


def test_an_unknown_segmenter_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="use one of jieba"):
        segmenter("scissors")


def test_a_missing_segmenter_is_an_error_that_names_what_to_install() -> None:
    script = (
        "import sys; sys.modules['rjieba'] = None\n"
        "from fofe.base.errors import FofeError\nfrom fofe.text.segment import segmenter\n"
        "try: segmenter('jieba')\nexcept FofeError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'fofe[zh]'" in done.stdout
