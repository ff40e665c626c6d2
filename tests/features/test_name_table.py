"""Names in text, against plain string comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.features.fragments import all_fragments
from fofe.features.gazetteer import make_table
from fofe.features.name_table import KINDS, MOST_TYPES, NameTable, keys_of

WORDS = st.sampled_from(
    ["New", "York", "new", "YORK", "Anna", "Berg", "Straße", "STRASSE", "北", "京", "\ud800", "a b"]
)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
TYPES = ("PER", "LOC", "ORG")


def spelled(words: list[str]) -> str:
    return "".join("".join(words).split())


def expected(words: list[str], names: dict[str, list[str]]) -> set[tuple[str, str]]:
    """What a fragment matches, by the definition."""
    text = spelled(words)
    found = set()
    for type, of_type in names.items():
        if text in {spelled([name]) for name in of_type}:
            found.add(("exact", type))
        if text.casefold() in {spelled([name]).casefold() for name in of_type}:
            found.add(("folded", type))
        if len(words) == 1 and text in {name.split()[-1] for name in of_type if " " in name}:
            found.add(("last", type))
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from(TYPES), st.lists(NAMES, min_size=1, max_size=5), min_size=1),
    st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=4),
    st.integers(1, 4),
)
def test_fragments_match_what_is_written_the_same(
    names: dict[str, list[str]], sentences: list[list[str]], max_words: int
) -> None:
    table = make_table(names)
    words = [word for sentence in sentences for word in sentence]
    offsets = np.cumsum([0, *map(len, sentences)])
    fragments = all_fragments(offsets, max_words)
    bits = table.look_up(words, offsets, fragments).of_fragments()
    columns = [(kind, type) for kind in KINDS for type in table.types]
    assert bits.shape == (len(fragments), len(columns))
    for first, last, row in zip(fragments.firsts, fragments.lasts, bits, strict=True):
        matched = {column for column, bit in zip(columns, row, strict=True) if bit}
        assert matched == expected(words[first : last + 1], names)


def test_the_same_name_can_have_several_types() -> None:
    table = make_table({"LOC": ["Paris"], "PER": ["Paris"]})
    bits = table.look_up(["Paris", "x"], np.array([0, 2]), all_fragments(np.array([0, 2]), 2))
    assert bits.patterns[bits.rows[0]].tolist() == [True, True, True, True, False, False]
    assert bits.rows[1:].tolist() == [0, 0]


def test_merging_keeps_what_each_table_knows() -> None:
    one, other = make_table({"LOC": ["Oslo", "Paris"]}), make_table({"PER": ["Paris"], "LOC": ["Rome"]})
    both = one.merged(other)
    assert both.types == ("LOC", "PER")
    again = make_table({"LOC": ["Oslo", "Paris", "Rome"], "PER": ["Paris"]})
    assert np.array_equal(both.keys, again.keys)
    assert np.array_equal(both.members[both.sets], again.members[again.sets])


@pytest.mark.parametrize("count", [0, 1, 3000])
def test_tables_of_any_size_find_their_keys_and_no_others(count: int) -> None:
    names = [f"Name {number}" for number in range(count)]
    table = make_table({"X": names} if names else {})
    inside, outside = keys_of(names, 0), keys_of([f"Other {number}" for number in range(3000)], 0)
    assert (table.find(inside) > 0).all()
    assert not table.find(outside).any()


def test_there_is_a_most_of_types() -> None:
    with pytest.raises(InputError, match="too many"):
        NameTable.from_pairs(
            [str(number) for number in range(MOST_TYPES + 1)], keys_of(["a"], 0), np.array([0])
        )
