"""Offsets in other units, with the encoders of Python as the oracle."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.text.offsets import OffsetMap, OffsetUnit

any_text = st.text(st.characters(codec=None), max_size=30)
units: list[OffsetUnit] = ["codepoints", "utf16", "bytes"]


def length(text: str, unit: OffsetUnit) -> int:
    """How long a text is in a unit, by its encoding character by character."""
    if unit == "utf16":
        return sum(len(character.encode("utf-16-le", "surrogatepass")) // 2 for character in text)
    if unit == "bytes":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text)


def test_all_units_are_tested() -> None:
    assert set(units) == set(get_args(OffsetUnit))


@given(any_text, st.sampled_from(units))
def test_positions_are_lengths_of_the_text_before_them(text: str, unit: OffsetUnit) -> None:
    offsets = OffsetMap(text, unit)
    for position in range(len(text) + 1):
        converted = offsets.from_codepoints(position)
        assert converted == length(text[:position], unit)
        assert offsets.to_codepoints(converted) == position


@given(any_text, st.sampled_from(units))
def test_positions_inside_a_character_or_outside_the_text_are_errors(text: str, unit: OffsetUnit) -> None:
    offsets = OffsetMap(text, unit)
    good = {length(text[:position], unit) for position in range(len(text) + 1)}
    for position in set(range(-2, max(good) + 3)) - good:
        with pytest.raises(InputError, match=f"offset {position} "):
            offsets.to_codepoints(position)
    for position in (-1, len(text) + 1):
        with pytest.raises(InputError, match="outside the text"):
            offsets.from_codepoints(position)


def test_an_example() -> None:
    text = "né 😀 John"
    assert OffsetMap(text, "utf16").from_codepoints(5) == 6
    assert OffsetMap(text, "bytes").from_codepoints(5) == 9
    assert OffsetMap(text, "bytes").to_codepoints(9) == 5


def test_an_unknown_unit_is_an_error_that_names_the_units() -> None:
    with pytest.raises(InputError, match="codepoints, utf16, bytes"):
        OffsetMap("x", "utf8")  # type: ignore[arg-type]
