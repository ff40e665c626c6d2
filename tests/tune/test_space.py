"""Spaces of values, from files and by default."""

from __future__ import annotations

from pathlib import Path

import pytest
from optuna.distributions import FloatDistribution, IntDistribution

from fofe.base.errors import ConfigError
from fofe.training.config import load_config
from fofe.tune.space import choices, default_space, read_space


def test_a_file_names_ranges_and_values(tmp_path: Path) -> None:
    path = tmp_path / "space.toml"
    path.write_text(
        "[training.rate]\nlow = 0.001\nhigh = 0.1\nlog = true\n[training.epochs]\nlow = 2\nhigh = 5\n"
        "[model.hidden]\nvalues = [[8], [8, 8]]\n[model.views.cased.dimension]\nvalues = [4, 8]\n",
        "utf-8",
    )
    assert read_space(path) == {
        "training.rate": FloatDistribution(0.001, 0.1, log=True),
        "training.epochs": IntDistribution(2, 5),
        "model.hidden": choices([[8], [8, 8]]),
        "model.views.cased.dimension": choices([4, 8]),
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "names nothing to try"),
        ("training = 3", "training must be a table"),
        ("[training.rate]\nlow = 2\nhigh = 1", "`low <= high` must hold"),
        ("[training.rate]\nlow = 0\nhigh = 1\nlog = true", "log"),
        ("[training.rate]\nlow = 1", "give low and high"),
        ("[training.rate]\nvalues = []", "at least one value"),
        ("[training.rate]\nvalues = [1979-05-27]", "values cannot be tried"),
        ("[training.rate]\nhihg = 1", "did you mean 'high'"),
        ("[training.rate", "not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_space_is_told(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "space.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=problem):
        read_space(path)


def test_by_default_values_around_the_configuration_are_tried(config_path: Path) -> None:
    space = default_space(load_config(config_path))
    assert space["training.rate"] == FloatDistribution(0.01 / 3, 0.03, log=True)
    assert space["training.batch"] == choices([16, 32, 64])
    assert space["training.epochs"] == IntDistribution(2, 4)
    assert "[8]" in space["model.hidden"].choices  # type: ignore[union-attr]
