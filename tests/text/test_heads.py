"""Heads of English noun phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.text.document import Document, Mention
from fofe.text.heads import head_word, with_heads


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
