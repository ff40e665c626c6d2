"""A flat view of nested mentions."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fofe.decode import Candidate, outermost, resolve

spans = st.tuples(st.integers(0, 9), st.integers(1, 5), st.floats(0.1, 1))


def test_only_what_lies_in_no_other_stays() -> None:
    org, gpe, per = Candidate(0, 3, "ORG", 0.5), Candidate(2, 3, "GPE", 0.9), Candidate(4, 5, "PER", 0.7)
    assert outermost([gpe, per, org]) == [org, per]
    assert outermost([]) == []


@given(st.lists(spans, max_size=8))
def test_the_view_of_a_nested_result_is_flat_and_covers_it(drawn: list[tuple[int, int, float]]) -> None:
    candidates = [Candidate(start, start + length, "A", score) for start, length, score in drawn]
    nested = resolve(candidates, "non-crossing")
    kept = outermost(nested)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    for one in nested:
        assert any(other.start <= one.start and one.end <= other.end for other in kept)
