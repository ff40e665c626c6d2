"""Heads of noun phrases, and bare names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.text.document import Document, Mention
from fofe.text.phrases import bare_name, head_word, with_bare_names, with_heads


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("friend", "friend"),
        ("his closest friend", "friend"),
        ("the same company", "company"),
        ("a cello player", "player"),
        ("the mayor of a small town in the north", "mayor"),
        ("people who live near the river", "people"),
        ("the man I met there", "man"),
        ("the house the banker bought", "house"),
        ("the king 's eldest daughter", "daughter"),
        ("the king 's", "king"),
        ("the neighbours '", "neighbours"),
        ("my brothers and sisters", "brothers"),
        ("an old , tired horse", "horse"),
        ("a rich and famous lawyer", "lawyer"),
        ("the retired teacher", "teacher"),
        ("a bridge built by the Romans", "bridge"),
        ("the workers repairing the road", "workers"),
        ("the people involved", "people"),
        ("the people waiting", "people"),
        ("the men sleeping", "men"),
        ("two women singing", "women"),
        ("the old building", "building"),
        ("the co - founder of the club", "founder"),
        ("visitors familiar with the town", "visitors"),
        ("the governor himself", "governor"),
        ("the pilot Maria Lund", "pilot"),
        ("the British government", "government"),
        ("the Old Man", "Man"),
        ("a woman named Ruth", "woman"),
        ("many of them", "many"),
        ("those who stayed", "those"),
        ("all the ships", "ships"),
        ("the two", "two"),
        ("six or eight sailors", "sailors"),
        ("three Norwegians", "Norwegians"),
        ("250 guests and their dogs", "guests"),
        ("the old one", "one"),
        ("one of the brothers", "one"),
        ("an old-fashioned but comfortable house", "house"),
        ("established , trusted bankers", "bankers"),
        ("only a settler", "settler"),
        ("quite a number of people", "number"),
        ("the sailor passing just now", "sailor"),
        ("the poor", "poor"),
        ('" the winner "', "winner"),
        ("the city ( and its suburbs )", "city"),
    ],
)
def test_the_head_of_a_phrase(phrase: str, head: str) -> None:
    words = phrase.split()
    assert words[head_word(words)] == head


PARTS = ["the", "of", "and", ",", "'", "'s", "-", "running", "Man", "ships", '"', "(", "old", "7", "…"]


@given(st.lists(st.sampled_from(PARTS), min_size=1))
def test_every_phrase_has_a_head(words: list[str]) -> None:
    assert 0 <= head_word(words) < len(words)


def test_nominals_of_a_document_are_reduced_and_names_are_not() -> None:
    document = Document.from_words([["Ann", "saw"], ["the", "Queen", "of", "Norway", "'s", "old", "boat"]])
    whole = (8, len(document.text))
    document.mentions = [
        Mention(0, 3, "PER"),
        Mention(*whole, "VEH", "NOM", text=document.text[8:]),
        Mention(*whole, "PER", "NOM", head=(12, 17)),
        Mention(9, whole[1], "X", "NOM"),
    ]
    ann, boat, queen, odd = with_heads(document).mentions
    assert (ann.start, ann.end) == (0, 3)
    assert document.text[queen.start : queen.end] == queen.text == "Queen", "as the corpus gives it"
    assert (boat.start, boat.end, boat.text) == (12, 17, "Queen"), "by rule, which takes the owner here"
    assert odd == document.mentions[3], "no token begins there"
    assert document.mentions[1].end == whole[1], "the document itself stays"


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
