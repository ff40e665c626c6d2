"""Marks that come in pairs: quotes, brackets and, in Spanish, those of questions and exclamations."""

from collections.abc import Sequence


def _partners(pairs: str) -> dict[str, str]:
    both = [tuple(pair) for pair in pairs.split()]
    return {one: other for pair in both for one, other in (pair, pair[::-1])}


_PAIRS = "«» “” () [] （） 「」 『』 《》"
_OTHERWISE = _partners(_PAIRS)
_PARTNERS = {"es": _partners(f"{_PAIRS} ¿? ¡!")}


def without_lone_marks(words: Sequence[str], language: str) -> tuple[int, int]:
    """The half-open range of a fragment's words but for marks at its ends whose partners it lacks.

    >>> without_lone_marks(["Pedro", "Sánchez", "?"], "es")
    (0, 2)
    """
    partners = _PARTNERS.get(language, _OTHERWISE)
    lone = [partners.get(word, word) not in words for word in words]
    first, last = 0, len(words)
    while first < last and lone[last - 1]:
        last -= 1
    while first < last and lone[first]:
        first += 1
    return first, last
