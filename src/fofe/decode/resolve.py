"""One door to all strategies, by name."""

from __future__ import annotations

from collections.abc import Iterable

from fofe.base.errors import FofeError
from fofe.decode.candidate import Candidate
from fofe.decode.flat import highest_first, highest_first_by_word, longest_first, longest_first_by_word
from fofe.decode.nested import Flat, non_crossing, recursive

HIGHEST_FIRST = "highest-first"
NON_CROSSING = "non-crossing"

_FLAT: dict[str, Flat] = {
    HIGHEST_FIRST: highest_first,
    "longest-first": longest_first,
    "highest-first-by-word": highest_first_by_word,
    "longest-first-by-word": longest_first_by_word,
}

STRATEGIES = (*_FLAT, NON_CROSSING)


def resolve(
    candidates: Iterable[Candidate], strategy: str = HIGHEST_FIRST, nested: bool = False
) -> list[Candidate]:
    """Choose among the candidates of one sentence; the result is in order of start, then end.

    Without `nested`, no two of the result overlap. With it, the strategy is applied again inside every
    survivor, so mentions may lie in one another but never cross. "non-crossing" is nested by nature:
    the flag changes nothing there.
    """
    if strategy not in STRATEGIES:
        raise FofeError(f"unknown strategy {strategy!r} (choose from {', '.join(STRATEGIES)})")
    pool = list(candidates)
    if len(pool) < 2:
        return pool
    if strategy == NON_CROSSING:
        return non_crossing(pool)
    flat = _FLAT[strategy]
    return recursive(pool, flat) if nested else flat(pool)
