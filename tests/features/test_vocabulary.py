"""From words to rows: shapes of unknown words, digit classes, case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import ConfigError
from fofe.features.vocabulary import CASED_UNKNOWNS, Alphabet, Vocabulary


@pytest.mark.parametrize(
    ("word", "unknown"),
    [
        ("berg", "<unk-lower>"),
        ("ñandú", "<unk-lower>"),
        ("e-mail", "<unk-lower>"),
        ("Berg", "<unk-capitalised>"),
        ("É", "<unk-capitalised>"),
        ("A", "<unk-capitalised>"),
        ("BERG", "<unk-caps>"),
        ("U.S.", "<unk-caps>"),
        ("McDonald", "<unk-mixed>"),
        ("iPhone", "<unk-mixed>"),
        ("Saint-Denis", "<unk-mixed>"),
        ("--", "<unk-other>"),
        ("北京", "<unk-other>"),
        ("😀", "<unk-other>"),
        ("\ud800", "<unk-other>"),
        ("", "<unk-other>"),
    ],
)
def test_unknown_words_differ_by_shape_in_the_cased_view(word: str, unknown: str) -> None:
    vocabulary = Vocabulary(["known"], cased=True, digits="shape")
    assert CASED_UNKNOWNS[vocabulary.row(word)] == unknown
    assert word not in vocabulary


def test_uncased_view_has_one_unknown_and_ignores_case() -> None:
    vocabulary = Vocabulary(["paris", "straße"], cased=False, digits="shape")
    assert vocabulary.rows(["PARIS", "Paris", "paris", "Straße", "London", "london", "--"]).tolist() == [
        1, 1, 1, 2, 0, 0, 0,
    ]  # fmt: skip
    assert len(vocabulary) == 3
    assert "PARIS" in vocabulary


def test_cased_view_keeps_case() -> None:
    vocabulary = Vocabulary(["Paris", "paris"], cased=True, digits="shape")
    assert vocabulary.rows(["Paris", "paris", "PARIS", "Paris"]).tolist() == [5, 6, 2, 5]


@pytest.mark.parametrize(
    ("digits", "word", "row"),
    [
        ("shape", "1996", 1),
        ("shape", "2,014", 5),
        ("shape", "B2B", 2),
        ("classes", "3rd", 3),
        ("none", "1996", 4),
        ("none", "1997", 0),
    ],
)
def test_words_with_digits_share_the_row_of_their_class(digits: str, word: str, row: int) -> None:
    listed = ["<num4>", "<a0a>", "<ordinal>", "1996", "<num5>"]
    assert Vocabulary(listed, cased=False, digits=digits).row(word) == row


def test_unknown_digit_rule_is_named() -> None:
    with pytest.raises(ConfigError, match=r"no digit rule 'roman' .*shape, classes, none"):
        Vocabulary([], cased=True, digits="roman")


def test_a_word_is_listed_once() -> None:
    with pytest.raises(ValueError, match="each word once"):
        Vocabulary(["a", "b", "a"], cased=True, digits="none")


@given(st.lists(st.text(max_size=6), unique=True, max_size=20), st.lists(st.text(max_size=6), max_size=20))
def test_rows_of_many_words_are_the_rows_of_each(listed: list[str], words: list[str]) -> None:
    vocabulary = Vocabulary(listed, cased=True, digits="none")
    asked = listed + words
    rows = vocabulary.rows(asked).tolist()
    assert rows == [vocabulary.row(word) for word in asked]
    assert rows[: len(listed)] == list(range(5, 5 + len(listed)))
    assert max(rows, default=0) < len(vocabulary)


def test_alphabet() -> None:
    alphabet = Alphabet("abc")
    assert alphabet.rows("cab").tolist() == [4, 2, 3]
    assert alphabet.rows("a\u00a0b?").tolist() == [2, Alphabet.SPACE, 3, Alphabet.UNKNOWN]
    assert alphabet.rows("\ud800\U0010ffff").tolist() == [Alphabet.UNKNOWN] * 2
    assert Alphabet("\U0010ffff").rows("\U0010ffffa").tolist() == [2, Alphabet.UNKNOWN]
    assert len(alphabet) == 5


def test_white_space_is_what_python_takes_for_it() -> None:
    everything = "".join(map(chr, range(0x110000)))
    spaces = np.flatnonzero(Alphabet("").rows(everything) == Alphabet.SPACE)
    assert spaces.tolist() == [place for place, character in enumerate(everything) if character.isspace()]
