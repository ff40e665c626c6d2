"""From words to rows of an embedding table.

A vocabulary knows one way of looking a word up: cased or uncased, with digits classed by a rule.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from fofe.base.arrays import IntArray
from fofe.text.normalise import digit_rule

CASED_UNKNOWNS = ("<unk-lower>", "<unk-capitalised>", "<unk-caps>", "<unk-mixed>", "<unk-other>")
UNCASED_UNKNOWNS = ("<unk>",)


def shape_of(word: str) -> int:
    """The place in `CASED_UNKNOWNS` for a word: lower-case, Capitalised, ALL CAPS, mixed, other."""
    if not any(character.isalpha() for character in word):
        return 4
    if word.islower():
        return 0
    if word.isupper() and len(word) > 1:
        return 2
    if word[0].isupper() and not any(character.isupper() for character in word[1:]):
        return 1
    return 3 if any(character.isupper() for character in word) else 4


class Vocabulary:
    """The words of one view; the first rows stand for unknown words.

    In the cased view unknown words differ by their shape; the uncased view has one unknown.
    """

    def __init__(self, words: Iterable[str], *, cased: bool, digits: str) -> None:
        self.cased = cased
        self.digits = digits
        self.unknowns = CASED_UNKNOWNS if cased else UNCASED_UNKNOWNS
        self.words: list[str] = list(words)
        self._normalise_digits: Callable[[str], str] = digit_rule(digits)
        self.listed = {word: row for row, word in enumerate(self.words, len(self.unknowns))}
        if len(self.listed) != len(self.words):
            raise ValueError("a vocabulary lists each word once")

    def __len__(self) -> int:
        return len(self.unknowns) + len(self.words)

    def __contains__(self, word: str) -> bool:
        return self.normalise(word) in self.listed

    def normalise(self, word: str) -> str:
        """The form under which a word is looked up."""
        if not word.isalpha():  # most words are, and have no digits
            classed = self._normalise_digits(word)
            if classed is not word:
                return classed
        return word if self.cased else word.lower()

    def unknown_row(self, word: str) -> int:
        """The row of the unknown word that looks like this one."""
        return shape_of(word) if self.cased else 0

    def row(self, word: str) -> int:
        row = self.listed.get(self.normalise(word))
        return self.unknown_row(word) if row is None else row

    def rows(self, words: Sequence[str]) -> IntArray:
        """[T] the rows of some words; each distinct word is looked up once."""
        rows = {word: self.row(word) for word in set(words)}
        return np.fromiter(map(rows.__getitem__, words), dtype=np.int32, count=len(words))


_SPACES = [code for code in range(0x3001) if chr(code).isspace()]
"""The code points of all white space, as `str.isspace` has it."""


class Alphabet:
    """The characters that features read; row 0 is an unknown character, row 1 the space between words."""

    UNKNOWN = 0
    SPACE = 1

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = list(characters)
        known = [ord(character) for character in self.characters]
        # The row of every code point up to the last that is known, and one for those beyond.
        self._rows = np.full(max(known + _SPACES) + 2, self.UNKNOWN, dtype=np.int32)
        self._rows[known] = np.arange(2, len(self))
        self._rows[_SPACES] = self.SPACE

    def __len__(self) -> int:
        return 2 + len(self.characters)

    def rows(self, text: str) -> IntArray:
        """[C] the row of each character of a text; all white space counts as a space."""
        code_points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return self._rows.take(code_points, mode="clip")
