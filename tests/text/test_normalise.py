"""What the network sees of words: the same for the same text, and no more than it can use."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from fofe.text.normalise import MOST_CHARACTERS, as_read

WORDS = st.lists(st.text(st.sampled_from("abñéü中😀e\u0301\u0303-"), min_size=1, max_size=300), min_size=1)


@given(WORDS)
def test_words_keep_their_number_and_their_composed_form(words: list[str]) -> None:
    read = as_read(words)
    assert len(read) == len(words)
    for word, given_word in zip(read, words, strict=True):
        composed = unicodedata.normalize("NFC", given_word)
        assert len(word) <= MOST_CHARACTERS
        assert word == composed or (len(composed) > MOST_CHARACTERS and composed.startswith(word[:40]))


@given(WORDS)
def test_normal_forms_read_the_same(words: list[str]) -> None:
    apart = [unicodedata.normalize("NFD", word) for word in words]
    assert as_read(apart) == as_read([unicodedata.normalize("NFC", word) for word in words])
