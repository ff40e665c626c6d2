"""The settings of decoding: the one place that checks what users give."""

from __future__ import annotations

from typing import Any

import pytest

from fofe.base.errors import FofeError
from fofe.decode import Decoding


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"threshold": 1.5}, "threshold must be a number from 0 to 1, not 1.5"),
        ({"threshold": -0.1}, "threshold must be a number from 0 to 1"),
        ({"threshold": float("nan")}, "threshold must be a number from 0 to 1"),
        ({"threshold": "a"}, "threshold must be a number from 0 to 1, not 'a'"),
        ({"threshold": True}, "threshold must be a number from 0 to 1, not True"),
        ({"agreement": -1}, "agreement must be a number of at least 0, not -1"),
        ({"agreement": float("inf")}, "agreement must be a number of at least 0, not inf"),
        ({"strategy": "best"}, "strategy must be one of highest-first, longest-first"),
        ({"strategy": []}, "strategy must be one of"),
        ({"nested": "yes"}, "nested must be true or false, not 'yes'"),
    ],
)
def test_a_value_that_is_not_allowed_is_an_error_with_a_fix(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(FofeError, match=problem.replace("(", r"\(")):
        Decoding().changed(**changes)
    with pytest.raises(ValueError, match=problem):
        Decoding(**changes)


def test_what_is_not_given_stays() -> None:
    decoding = Decoding(0.4, "longest-first", nested=True, agreement=0.2)
    assert decoding.changed() == decoding
    assert decoding.changed(threshold=0, agreement=0.0) == Decoding(0, "longest-first", True, 0.0)


def test_non_crossing_becomes_highest_first_where_mentions_may_not_nest() -> None:
    decoding = Decoding(strategy="non-crossing", nested=True)
    assert decoding.changed(nested=False) == Decoding(strategy="highest-first")
    assert decoding.changed(nested=False, strategy="non-crossing").strategy == "non-crossing"
    assert decoding.changed(nested=True) == decoding
