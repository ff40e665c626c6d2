"""Tables give the vectors that were put in, as near as their storage can hold them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fofe.base.arrays import FloatArray
from fofe.features.word_table import TABLE_KINDS, Table

VECTORS = np.random.default_rng(1).normal(size=(50, 20)).astype(np.float32)


@pytest.mark.parametrize("kind", TABLE_KINDS)
def test_some_rows_are_those_of_the_whole(kind: str) -> None:
    table = Table(VECTORS).stored_as(kind)
    assert table.values.dtype == kind
    chosen = np.array([3, 49, 3, 0])
    rows = table.rows(chosen)
    assert rows.dtype == np.float32
    assert np.array_equal(rows, table.whole()[chosen])
    assert np.array_equal(table.only(chosen).whole(), rows)
    assert Table.from_weights(table.to_weights("cased"), "cased").values.dtype == kind


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 5), st.integers(1, 6)),
        elements=st.floats(-(2.0**100), 2.0**100, width=32),
    )
)
def test_int8_is_off_by_half_a_step_at_most(vectors: FloatArray) -> None:
    table = Table(vectors).stored_as("int8")
    assert table.values.dtype == np.int8
    steps = np.abs(vectors.astype(np.float64)).max(axis=1, keepdims=True) / 127
    errors = np.abs(table.whole().astype(np.float64) - vectors)
    assert (errors <= 0.501 * steps + 1e-35).all()


def test_float32_comes_back_exactly_and_twice_int8_is_once() -> None:
    assert np.array_equal(Table(VECTORS).stored_as("float32").whole(), VECTORS)
    once = Table(VECTORS).stored_as("int8")
    again = Table(once.whole()).stored_as("int8")
    assert np.array_equal(once.values, again.values)
    assert once.whole() == pytest.approx(again.whole(), rel=1e-6)
    assert np.array_equal(once.stored_as("float32").whole(), once.whole())


def test_a_row_of_zeros_stays_zero() -> None:
    assert not Table(np.zeros((2, 3), np.float32)).stored_as("int8").whole().any()


@pytest.mark.parametrize(("value", "kind"), [(1e6, "float16"), (np.nan, "int8"), (np.inf, "int8")])
def test_what_cannot_be_held_is_refused(value: float, kind: str) -> None:
    vectors = np.array([[1, value]], dtype=np.float32)
    with pytest.raises(ValueError, match=f"cannot hold|{kind}"):
        Table(vectors).stored_as(kind)
