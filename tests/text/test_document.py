"""Documents made of words, and labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.text.document import NAME, NOMINAL, Document, Mention, join_label, split_label

word = st.text(st.characters(codec=None), min_size=1, max_size=6)
sentences_of_words = st.lists(st.lists(word, max_size=5), max_size=5)


@given(sentences_of_words)
def test_words_are_found_again_at_their_offsets(sentences: list[list[str]]) -> None:
    document = Document.from_words(sentences, id="d")
    assert [sentence.words for sentence in document.sentences] == [words for words in sentences if words]
    for token in document.tokens:
        assert document.text[token.start : token.end] == token.text
    assert document.text == "\n".join(" ".join(words) for words in sentences if words)


def test_words_may_hold_spaces_and_line_breaks() -> None:
    document = Document.from_words([["New York", "a\nb"], ["c"]])
    assert document.text == "New York a\nb\nc"
    assert [(token.start, token.end) for token in document.tokens] == [(0, 8), (9, 12), (13, 14)]


def test_an_empty_word_is_an_error_that_says_where() -> None:
    with pytest.raises(InputError, match="word 3 of sentence 2 is empty"):
        Document.from_words([["a"], ["b", "c", "", "d"]])


def test_a_string_is_not_taken_for_a_list_of_words() -> None:
    with pytest.raises(InputError, match="sentence 1 is a string"):
        Document.from_words(["John Smith"])


def test_sentences_know_where_they_are() -> None:
    first, second = Document.from_words([["John", "left"], ["Mary", "too"]]).sentences
    assert (first.start, first.end, second.start, second.end) == (0, 9, 10, 18)
    assert len(first) == 2


@given(st.text(min_size=1).filter(lambda name: not name.endswith("_NOM")), st.sampled_from([NAME, NOMINAL]))
def test_labels_hold_type_and_kind(type: str, kind: str) -> None:
    assert split_label(join_label(type, kind)) == (type, kind)
    assert Mention(0, 1, type, kind).label == join_label(type, kind)
