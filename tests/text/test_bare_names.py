"""English names without determiners and possessives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.text.bare_names import bare_name, with_bare_names
from fofe.text.document import Document, Mention


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("Thames", "Thames"),
        ("the Thames", "Thames"),
        ("the late John Graves", "John Graves"),
        ("my dear Miss Taylor", "Miss Taylor"),
        ("The Hague", "The Hague"),
        ("a", "a"),
        ("the maya", "the maya"),
        ("van Gogh", "van Gogh"),
        ("the Bank of the West", "Bank of the West"),
        ("the UK 's", "UK"),
        ("Anna ’s", "Anna"),
        ("'s", "'s"),
        ("the 7 Dwarfs", "7 Dwarfs"),
        ("his fellow - Scots", "Scots"),
        ("the iPod", "iPod"),
        ("the main north - south roads", "the main north - south roads"),
        ('the " Far East "', 'the " Far East "'),
        ("a - 1", "a - 1"),
    ],
)
def test_what_a_name_is_without_what_leads_up_to_it(phrase: str, name: str) -> None:
    words = phrase.split()
    first, last = bare_name(words)
    assert words[first:last] == name.split()


def test_the_first_word_of_a_sentence_has_its_capital_from_there() -> None:
    assert bare_name(["The", "Thames"], opens=True) == (1, 2)


@given(
    st.lists(st.sampled_from(["the", "The", "old", "Anna", "of", "'s", "my", "7", "-", ","]), min_size=1),
    st.booleans(),
)
def test_only_small_words_in_front_and_a_possessive_behind_are_cut_off(words: list[str], opens: bool) -> None:
    first, last = bare_name(words, opens=opens)
    assert 0 <= first < last <= len(words)
    assert not any(word in ("Anna", "The", "7") for word in words[1:first])
    assert words[first] not in ("-", ",") or first == 0
    assert words[last:] in ([], ["'s"])


def test_names_of_a_document_and_nothing_else_become_bare() -> None:
    document = Document.from_words([["The", "Thames", "and", "the", "old", "river"], ["In", "the", "Alps"]])
    document.mentions = [
        Mention(0, 10, "LOC", text="The Thames"),
        Mention(15, 28, "LOC", "NOM", text="the old river"),
        Mention(32, 40, "LOC", text="the Alps"),
        Mention(33, 40, "LOC", text="he Alps"),
    ]
    bare = with_bare_names(document)
    assert [mention.text for mention in bare.mentions] == ["Thames", "the old river", "Alps", "he Alps"]
    assert all(bare.text[mention.start : mention.end] == mention.text for mention in bare.mentions)
