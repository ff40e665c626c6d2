"""Training text in other cases, so that a model does not rely on capitals.

An epoch shows a sentence as it is written, in lower case, in capitals or in Title Case. Its labels stay. The
copies of the text in other cases stand behind the text itself, so a sentence has the same place in each.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from fofe.training.annotation import Sentences


def _title(word: str) -> str:
    return word[:1].upper() + word[1:].lower()


CASES: Mapping[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "title": _title}


def recased(words: Iterable[str], case: str) -> list[str]:
    """Words in another case."""
    return list(map(CASES[case], words))


def copies(sentences: Sentences, cases: Iterable[str]) -> list[Sentences]:
    """Sentences as they are, then in each of some cases."""
    return [
        sentences,
        *([replace(one, words=recased(one.words, case)) for one in sentences] for case in cases),
    ]
