"""Marks that come in pairs, at the ends of fragments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.text.marks import without_lone_marks


@pytest.mark.parametrize(
    ("words", "language", "left"),
    [
        ("Pedro Sánchez ?", "es", "Pedro Sánchez"),
        ("¿ Quién ?", "es", "¿ Quién ?"),
        ("¡ Viva Sevilla", "es", "Viva Sevilla"),
        ("« Sevilla", "es", "Sevilla"),
        ("« La Vanguardia »", "es", "« La Vanguardia »"),
        ("Jeopardy !", "en", "Jeopardy !"),
        ("[ Anna", "en", "Anna"),
        ("Lima (", "en", "Lima"),
        ("《 红楼梦", "zh", "红楼梦"),
        ("» »", "en", ""),
    ],
)
def test_lone_marks(words: str, language: str, left: str) -> None:
    cut = words.split()
    first, last = without_lone_marks(cut, language)
    assert " ".join(cut[first:last]) == left


@given(st.lists(st.sampled_from("a«»()¿?"), min_size=1), st.sampled_from(["en", "es"]))
def test_what_is_left_lies_inside_and_needs_no_second_look(words: list[str], language: str) -> None:
    first, last = without_lone_marks(words, language)
    assert 0 <= first <= last <= len(words)
    rest = words[first:last]
    assert not rest or without_lone_marks(rest, language) == (0, len(rest))
    assert all(word in "«»()¿?" for word in words[:first] + words[last:])
