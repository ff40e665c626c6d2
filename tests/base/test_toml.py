"""What is written as TOML reads back the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fofe.base.toml import read_toml, to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = (
    st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
VALUES = st.recursive(
    SCALARS | st.lists(SCALARS, max_size=3),
    lambda inner: (
        st.dictionaries(TEXT, inner, max_size=3)
        | st.lists(st.dictionaries(TEXT, inner, max_size=2), min_size=1, max_size=2)
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_a_round_trip_changes_nothing(tmp_path: Path, table: dict[str, Any]) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(to_toml(table).encode())
    assert read_toml(path) == table
