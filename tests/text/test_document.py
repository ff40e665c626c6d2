"""Documents made of words, and labels."""

import json
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.formats.jsonl import parse_line
from fofe.text.document import NAME, NOMINAL, Document, Mention, Region, join_label, split_label

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


def test_documents_and_mentions_in_json_types() -> None:
    mention = Mention(0, 9, "PER", NAME, 0.75, "Anna Berg", (("ORG", 0.2),), (5, 9))
    expected = {
        "start": 0,
        "end": 9,
        "type": "PER",
        "kind": "NAM",
        "score": 0.75,
        "head": [5, 9],
        "alternatives": [["ORG", 0.2]],
        "text": "Anna Berg",
    }
    assert mention.to_dict() == expected
    assert "head" not in Mention(0, 9, "PER").to_dict()
    document = Document.from_words([["Anna", "Berg", "left"]], id="d1", meta={"genre": "news"})
    document.mentions.append(mention)
    document.regions += [Region(10, 14, "negative")]
    content = {
        "id": "d1",
        "genre": "news",
        "text": "Anna Berg left",
        "mentions": [expected],
        "negatives": [[10, 14]],
    }
    assert document.to_dict() == content
    tokens = [[0, 4], [5, 9], [10, 14]]
    assert document.to_dict(tokens=True) == {**content, "sentences": [{"tokens": tokens}]}
    assert json.loads(document.to_json(tokens=True)) == document.to_dict(tokens=True)


@given(sentences_of_words)
def test_a_document_comes_back_from_its_json(sentences: list[list[str]]) -> None:
    document = Document.from_words(sentences, id="d")
    document.mentions += [
        Mention(token.start, token.end, "PER", text=token.text) for token in islice(document.tokens, 2)
    ]
    line = document.to_json(tokens=True)
    assert "\n" not in line
    if document.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") == document.text:
        assert parse_line(line, "file", 1, Report()) == document


@pytest.mark.parametrize("value", [float("inf"), object()])
def test_metadata_that_json_cannot_hold_is_an_error(value: object) -> None:
    with pytest.raises(InputError, match="the metadata of d is not JSON"):
        Document("Lima", id="d", meta={"views": value}).to_json()


def test_a_document_shows_its_beginning() -> None:
    document = Document("Anna Berg left. " * 99)
    assert repr(document) == (
        "<Document 'Anna Berg left. Anna Berg left. Anna Berg left. Anna Berg...': no mentions>"
    )
    document.mentions = [Mention(0, 9, "PER", text="Anna Berg")] * 5
    assert repr(document).endswith("...': 'Anna Berg' PER, 'Anna Berg' PER, 'Anna Berg' PER and 2 more>")


@pytest.mark.parametrize("words", [None, 3, b"ab"])
def test_sentences_that_are_no_lists_of_words(words: Any) -> None:
    with pytest.raises(InputError, match=r"sentence 2 is of type .* not a list of words"):
        Document.from_words([["a"], words])


@pytest.mark.parametrize("word", [None, 3, ["a"], b"a"])
def test_words_that_are_no_strings(word: Any) -> None:
    with pytest.raises(InputError, match="word 2 of sentence 1 is of type"):
        Document.from_words([["a", word]])
