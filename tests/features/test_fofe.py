"""The encoding itself: its definition, its inverse, and the scan against the definition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.arrays import BoolArray, FloatArray
from fofe.features.fofe import decode, encode, scan, scan_back

FACTORS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


@pytest.mark.parametrize("a", [Fraction(1, 2), Fraction(1, 3), Fraction(7, 10)])
def test_encode_is_the_textbook_code(a: Fraction) -> None:
    assert encode("ABC", a) == {"A": a**2, "B": a, "C": 1}
    assert encode("ABCBC", a) == {"A": a**4, "B": a + a**3, "C": 1 + a**2}
    assert encode("", a) == {}


def test_encode_takes_floats_and_any_symbols() -> None:
    assert encode(["the", "cat", "the"], 0.5) == {"the": 1.25, "cat": 0.5}
    assert encode([3, 3, 3], 0.25) == {3: 1.3125}


halves_or_less = st.fractions(min_value=Fraction(1, 50), max_value=Fraction(1, 2), max_denominator=50)


@given(st.lists(st.sampled_from("ABCD"), max_size=60), halves_or_less)
def test_decode_gives_back_every_sequence(sequence: list[str], a: Fraction) -> None:
    assert decode(encode(sequence, a), a) == sequence


@given(st.lists(st.sampled_from("ABC"), max_size=25), st.sampled_from([0.5, 0.25, 0.125]))
def test_decode_gives_back_short_sequences_from_floats(sequence: list[str], a: float) -> None:
    if len(sequence) * -np.log2(a) < 52:  # what the digits of a float hold
        assert decode(encode(sequence, a), a) == sequence


@dataclass(frozen=True)
class Golden:
    """x + y * g exactly, where g is the golden ratio's inverse: g * g = 1 - g."""

    x: int
    y: int = 0

    def __add__(self, other: Golden) -> Golden:
        return Golden(self.x + other.x, self.y + other.y)

    def __mul__(self, other: Golden) -> Golden:
        both = self.y * other.y
        return Golden(self.x * other.x + both, self.x * other.y + self.y * other.x - both)


def test_above_one_half_different_sequences_can_share_a_code() -> None:
    factor: Any = Golden(0, 1)
    assert encode("BBA", factor) == encode("AAB", factor) == {"A": Golden(1), "B": Golden(1)}
    as_float = (5**0.5 - 1) / 2
    assert encode("BBA", as_float) == pytest.approx(encode("AAB", as_float))
    with pytest.raises(ValueError, match=r"0 < factor <= 0\.5"):
        decode(encode("BBA", as_float), as_float)


@pytest.mark.parametrize("factor", [Fraction(51, 100), Fraction(1), Fraction(0), Fraction(-1, 2)])
def test_decode_refuses_other_factors(factor: Fraction) -> None:
    with pytest.raises(ValueError, match="decodable"):
        decode({"A": Fraction(1)}, factor)


@pytest.mark.parametrize(
    "code",
    [
        {"A": Fraction(1, 3)},
        {"A": Fraction(3, 2), "B": Fraction(1, 5)},
        {"A": Fraction(3)},
        {"A": Fraction(4, 3), "B": Fraction(2, 3)},  # what "...ABAB" without a beginning would weigh
        {"A": Fraction(1), "B": Fraction(1)},
    ],
)
def test_decode_tells_what_is_no_code(code: dict[str, Fraction]) -> None:
    with pytest.raises(ValueError, match="not a FOFE code"):
        decode(code, Fraction(1, 2))


def naive(values: FloatArray, factor: float) -> FloatArray:
    """The recursion z_t = a * z_{t-1} + e_t in double precision: [T, D] from [T, D]."""
    codes = np.zeros(values.shape)
    code = np.zeros(values.shape[1])
    for position, value in enumerate(values.astype(np.float64)):
        code = factor * code + value
        codes[position] = code
    return codes


def starts_of(lengths: list[int]) -> BoolArray:
    marks = np.zeros(sum(lengths), dtype=bool)
    marks[np.cumsum([0, *lengths[:-1]])] = True
    return marks


def ends_of(lengths: list[int]) -> BoolArray:
    return starts_of(lengths[::-1])[::-1]


def random_rows(count: int, seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=8),
    st.floats(0.3, 0.95),
    st.integers(0, 1000),
    st.booleans(),
)
def test_scans_are_the_recursion_for_each_sequence(
    lengths: list[int], factor: float, seed: int, few_and_long: bool
) -> None:
    values = random_rows(sum(lengths), seed)
    left = scan(values, factor, starts_of(lengths), few_and_long=few_and_long)
    right = scan_back(values, factor, ends_of(lengths), few_and_long=few_and_long)
    for part in np.split(np.arange(len(values)), np.cumsum(lengths)[:-1]):
        assert left[part] == pytest.approx(naive(values[part], factor), abs=2e-5)
        assert right[part] == pytest.approx(naive(values[part][::-1], factor)[::-1], abs=2e-5)


@pytest.mark.parametrize("few_and_long", [False, True])
@pytest.mark.parametrize("factor", FACTORS)
def test_scan_of_a_very_long_sequence(factor: float, few_and_long: bool) -> None:
    lengths = [1, 5000, 1, 3]
    values = random_rows(sum(lengths), 1)
    left = scan(values, factor, starts_of(lengths), few_and_long=few_and_long)
    assert left[1:5001] == pytest.approx(naive(values[1:5001], factor), abs=5e-5)
    assert np.array_equal(left[0], values[0])
    assert np.array_equal(left[5001], values[5001])


@given(
    st.lists(st.integers(1, 30), min_size=2, max_size=6),
    st.sampled_from(FACTORS),
    st.integers(0, 1000),
    st.booleans(),
)
def test_neighbours_do_not_change_a_bit(
    lengths: list[int], factor: float, seed: int, few_and_long: bool
) -> None:
    values = random_rows(sum(lengths), seed)
    left = scan(values, factor, starts_of(lengths), few_and_long=few_and_long)
    right = scan_back(values, factor, ends_of(lengths), few_and_long=few_and_long)
    for length, part in zip(lengths, np.split(np.arange(len(values)), np.cumsum(lengths)[:-1]), strict=True):
        one, start, end = values[part], starts_of([length]), ends_of([length])
        assert np.array_equal(left[part], scan(one, factor, start, few_and_long=few_and_long))
        assert np.array_equal(right[part], scan_back(one, factor, end, few_and_long=few_and_long))


def test_scan_leaves_its_input_alone() -> None:
    values = random_rows(9, 1)
    before = values.copy()
    scan(values, 0.5, starts_of([4, 5]))
    scan_back(values, 0.5, ends_of([4, 5]))
    assert np.array_equal(values, before)
    assert scan(values[:0], 0.5, np.zeros(0, dtype=bool)).shape == (0, 3)
