"""The words of a lexicon that run through tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fofe.features.lexicon import ALONE, BEGINS, ENDS, INSIDE, LONGEST, PLACES, Matches, WordFinder
from fofe.features.vocabulary import Vocabulary

LISTED = ("北", "北京", "京大", "北京大学", "大学", "学生", "iPhone", "<num2>", "大" * (LONGEST + 1))
VOCABULARY = Vocabulary(LISTED, cased=True, digits="shape")
TOKENS = st.lists(st.sampled_from([*"北京大学生1。", "iPhone", "12", "大学"]), min_size=1, max_size=20)


def found_words(sentence: list[str]) -> list[tuple[set[str], ...]]:
    """For each token, the words by its place in them."""
    first = len(VOCABULARY.unknowns)
    return [
        tuple({LISTED[row - first] for row in rows} for rows in found)
        for found in WordFinder(VOCABULARY).find(sentence)
    ]


def test_all_words_count_wherever_a_segmenter_would_cut() -> None:
    begins, inside, ends, alone = zip(*found_words([*"北京大学生"]), strict=True)
    assert begins == ({"北京", "北京大学"}, {"京大"}, {"大学"}, {"学生"}, set())
    assert inside == (set(), {"北京大学"}, {"北京大学"}, set(), set())
    assert ends == (set(), {"北京"}, {"京大"}, {"北京大学", "大学"}, {"学生"})
    assert alone == ({"北"}, set(), set(), set(), set())


def test_tokens_of_several_letters_stand_alone_and_part_what_is_around_them() -> None:
    assert found_words(["北", "iPhone", "京"])[1] == (set(), set(), set(), {"iPhone"})
    assert found_words(["北", "iPhone", "京"])[0] == (set(), set(), set(), {"北"})
    assert found_words(["北", "。", "京"])[2] == (set(), set(), set(), set())


@given(TOKENS)
def test_words_are_those_of_a_plain_search(sentence: list[str]) -> None:
    expected: list[tuple[set[str], ...]] = [(set(), set(), set(), set()) for _ in sentence]
    for start in range(len(sentence)):
        for end in range(start + 1, len(sentence) + 1):
            tokens = sentence[start:end]
            joined = all(len(token) == 1 and token.isalnum() for token in tokens)
            if "".join(tokens) not in LISTED or len(tokens) > LONGEST or not (joined or len(tokens) == 1):
                continue
            for place in range(start, end):
                if end == start + 1:
                    where = ALONE
                elif place in (start, end - 1):
                    where = BEGINS if place == start else ENDS
                else:
                    where = INSIDE
                expected[place][where].add("".join(tokens))
    assert found_words(sentence) == expected


@given(TOKENS, st.data())
def test_means_of_some_tokens_are_those_of_their_words(sentence: list[str], data: st.DataObject) -> None:
    table = np.random.default_rng(1).normal(size=(len(VOCABULARY), 3)).astype(np.float32)
    chosen = data.draw(st.lists(st.integers(0, len(sentence) - 1), min_size=1))
    found = WordFinder(VOCABULARY).find(sentence)
    matches = Matches.of(found).take(np.array(chosen))
    means = matches.means(table[matches.rows]).reshape(len(chosen), PLACES, 3)
    for number, token in enumerate(chosen):
        for place, rows in enumerate(found[token]):
            expected = table[list(rows)].mean(axis=0) if rows else np.zeros(3)
            assert np.allclose(means[number, place], expected, atol=1e-6)
