"""What a language knows of words that are written with a dot."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Abbreviations:
    """Abbreviations, without their last dot, by what may follow them."""

    before_names: frozenset[str] = frozenset()
    """Titles and the like: more of the sentence follows, whatever it looks like."""
    before_numbers: frozenset[str] = frozenset()
    """Words of their own, and abbreviations only where a number follows (No. 5)."""
    sometimes_last: frozenset[str] = frozenset()
    """The end of a sentence if one of the `openers` follows. Initials and U.S. are treated so too."""
    before_lower: frozenset[str] = frozenset()
    """Like any word, the end of a sentence unless a small letter follows."""
    openers: frozenset[str] = frozenset()
    """Capitalised words that open a sentence and hardly ever are part of a name."""

    @property
    def anywhere_inside(self) -> frozenset[str]:
        """Those that keep their dot whatever follows in the sentence."""
        return self.before_names | self.sometimes_last | self.before_lower
