"""Settings from tables and TOML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fofe.base.errors import ConfigError
from fofe.base.settings import build, read_toml, to_table, to_toml
from fofe.features.config import CharacterConfig, ModelConfig, ViewConfig


@dataclass(frozen=True)
class Wheel:
    name: str
    spokes: int = 32
    pressure: float | None = None


@dataclass(frozen=True)
class Bicycle:
    wheels: tuple[Wheel, ...]
    gears: tuple[int, ...] = (1,)
    steel: bool = True
    weight: float = 12.0
    notes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.weight <= 0:
            raise ValueError(f"weight must be above 0, not {self.weight}")


def test_build_fills_in_defaults_and_converts() -> None:
    made = build(Bicycle, {"wheels": [{"name": "front", "pressure": 6}], "weight": 9, "notes": {"a": "b"}})
    assert made == Bicycle((Wheel("front", 32, 6.0),), weight=9.0, notes={"a": "b"})
    assert isinstance(made.weight, float)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"wheels": [], "gear": [1]}, r"unknown key 'gear' \(did you mean 'gears'\?\)"),
        ({"wheels": [], "zzz": 1}, r"unknown key 'zzz' \(known keys: wheels, gears, steel, weight, notes\)"),
        ({"wheels": [{"name": "a", "spoke": 1}]}, r"unknown key 'wheels\[0\]\.spoke' .*'spokes'"),
        ({}, "missing key 'wheels'"),
        ({"wheels": [{"name": "a"}, {}]}, r"missing key 'wheels\[1\]\.name'"),
        ({"wheels": "a"}, "wheels must be a list, not 'a'"),
        ({"wheels": ["a"]}, r"wheels\[0\] must be a table, not 'a'"),
        ({"wheels": [], "gears": [1, "2"]}, r"gears\[1\] must be a whole number, not '2'"),
        ({"wheels": [], "gears": [True]}, r"gears\[0\] must be a whole number, not True"),
        ({"wheels": [], "gears": [1.5]}, r"gears\[0\] must be a whole number, not 1.5"),
        ({"wheels": [], "steel": 1}, "steel must be true or false, not 1"),
        ({"wheels": [], "weight": "9"}, "weight must be a number, not '9'"),
        ({"wheels": [], "weight": True}, "weight must be a number, not True"),
        ({"wheels": [{"name": 3}]}, r"wheels\[0\]\.name must be a string, not 3"),
        ({"wheels": [], "notes": {"a": 1}}, r"notes\.a must be a string, not 1"),
        ({"wheels": [], "notes": 1}, "notes must be a table, not 1"),
        ({"wheels": [], "weight": -1}, "weight must be above 0, not -1"),
    ],
)
def test_errors_name_the_key_and_the_file(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=rf"^bike\.toml: {message}"):
        build(Bicycle, table, path=Path("bike.toml"))


def test_the_whole_must_be_a_table() -> None:
    nothing: Any = []
    with pytest.raises(ConfigError, match="the configuration must be a table"):
        build(Bicycle, nothing)


@pytest.mark.parametrize(
    "settings",
    [
        ModelConfig(),
        ModelConfig(
            language="zh",
            factor=0.9,
            views=(
                ViewConfig("a", "cased", vectors="v.bin", codes=("bag",), scale=2.0),
                ViewConfig("b", "window", 7, dilations=(1, 2)),
            ),
            characters=CharacterConfig(fofe=False, heights=(2,)),
            hidden=(4,),
        ),
        Bicycle((Wheel("front"), Wheel("back", 28, 7.5)), (1, 2), False),
    ],
)
def test_tables_come_back_as_they_were(settings: Any) -> None:
    assert build(type(settings), to_table(settings)) == settings


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


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_a_round_trip_changes_nothing(tmp_path: Path, table: dict[str, Any]) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(to_toml(table).encode())
    assert read_toml(path) == table
