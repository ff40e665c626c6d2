"""Sentences as integers, chosen sentences, and all fragments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.features.config import ModelConfig, ViewConfig
from fofe.features.encoded import EncodedText, Encoder
from fofe.features.fragments import all_fragments
from fofe.features.vocabulary import Alphabet, Vocabulary

words = st.text(alphabet="abcX é😀", min_size=1, max_size=6)
texts = st.lists(st.lists(words, min_size=1, max_size=7), min_size=1, max_size=6)


def encoder(*, characters: bool = True) -> Encoder:
    vocabularies = {
        "cased": Vocabulary(["a", "ab", "X"], cased=True, digits="shape"),
        "uncased": Vocabulary(["a", "x", "bc"], cased=False, digits="shape"),
    }
    return Encoder(ModelConfig(), vocabularies, Alphabet("abcX") if characters else None)


def assert_same(one: EncodedText, other: EncodedText) -> None:
    assert one.words.keys() == other.words.keys()
    for name, rows in one.words.items():
        assert np.array_equal(rows, other.words[name])
    assert np.array_equal(one.token_offsets, other.token_offsets)
    assert (one.spelling is None) == (other.spelling is None)
    if one.spelling is not None:
        for name, values in vars(one.spelling).items():
            assert np.array_equal(values, getattr(other.spelling, name)), name


@given(texts)
def test_every_word_and_character_is_found_where_it_should_be(sentences: list[list[str]]) -> None:
    made = encoder()
    text = made.encode(sentences)
    assert len(text) == len(sentences)
    assert text.token_count == sum(map(len, sentences))
    alphabet = Alphabet("abcX")
    token = 0
    for number, sentence in enumerate(sentences):
        assert text.spelling is not None
        offsets = text.spelling.token_offsets
        spelt = text.spelling.characters[offsets[number] : offsets[number + 1]]
        assert spelt.tolist() == alphabet.rows(" " + " ".join(sentence) + " ").tolist()
        for word in sentence:
            start, end = text.spelling.word_starts[token], text.spelling.word_ends[token]
            assert text.spelling.characters[start:end].tolist() == alphabet.rows(word).tolist()
            for name, vocabulary in made.vocabularies.items():
                assert text.words[name][token] == vocabulary.row(word)
            token += 1


@given(texts, st.data(), st.booleans())
def test_taking_sentences_is_encoding_them(
    sentences: list[list[str]], data: st.DataObject, characters: bool
) -> None:
    made = encoder(characters=characters)
    chosen = data.draw(st.lists(st.integers(0, len(sentences) - 1), max_size=8))
    taken = made.encode(sentences).take(np.array(chosen, dtype=np.int64))
    assert_same(taken, made.encode([sentences[number] for number in chosen]))


def test_taking_all_sentences_in_order_changes_nothing() -> None:
    text = encoder().encode([["ab", "X"], ["c"], ["a", "b", "c"]])
    assert_same(text.take(np.arange(3)), text)


@given(texts)
def test_borders_and_distances_in_sentences(sentences: list[list[str]]) -> None:
    text = encoder().encode(sentences)
    before, after = text.from_start, text.to_end
    assert before.tolist() == [place for sentence in sentences for place in range(len(sentence))]
    assert after.tolist() == [place for sentence in sentences for place in reversed(range(len(sentence)))]
    assert np.array_equal(text.starts(), before == 0)
    assert np.array_equal(text.ends(), after == 0)


@given(st.lists(st.integers(1, 12), max_size=6), st.integers(1, 9))
def test_all_fragments_are_those_of_a_double_loop(lengths: list[int], max_words: int) -> None:
    offsets = np.cumsum([0, *lengths])
    expected = [
        (sentence, first, last)
        for sentence, (start, end) in enumerate(itertools.pairwise(offsets))
        for first in range(start, end)
        for last in range(first, min(end, first + max_words))
    ]
    found = all_fragments(offsets, max_words)
    assert len(found) == len(expected)
    assert list(zip(found.sentences, found.firsts, found.lasts, strict=True)) == expected


def test_the_vector_of_a_segmented_word_is_shared_by_its_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabularies = {
        "character": Vocabulary(["北", "京"], cased=True, digits="shape"),
        "word": Vocabulary(["北京"], cased=True, digits="shape"),
    }
    monkeypatch.setattr("fofe.features.encoded.segmenter", lambda _: lambda run: [run[:2], *run[2:]])
    made = Encoder(ModelConfig(segmenter="jieba", views=(ViewConfig("word", "word"),)), vocabularies, None)
    text = made.encode([["北", "京", "人"], ["iPhone"]])
    known = len(vocabularies["word"].unknowns)
    assert text.words["word"].tolist()[:2] == [known, known]
    assert text.words["character"].tolist()[:2] == [known, known + 1]
    assert text.shares is not None
    assert text.shares.tolist() == [0.5, 0.5, 1, 1]
    assert text.positions_in_word is not None
    assert text.positions_in_word.tolist() == [0, 1, 0, 0]
    taken = text.take(np.array([1, 0])).positions_in_word
    assert taken is not None
    assert taken.tolist() == [0, 0, 1, 0]
    apart = made.encode_isolated(made.in_words([["北", "京"]]))
    assert apart.shares is not None
    assert apart.shares.tolist() == [0.5, 0.5], "as in the sentence"
