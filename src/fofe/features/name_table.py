"""Which fragments of a text are names that a gazetteer knows.

A name is a key of 64 bits: a hash of its characters without the spaces, so that it does not matter how a text
was cut into words. The hash is a polynomial, and those of all fragments come from one running sum. Keys stand
sorted in an array: a name takes ten bytes whatever its length, nothing needs to be built when a gazetteer is
loaded but a bitmap that turns most fragments away, and a million names take as long to look up as a thousand.
The chance that a fragment is taken for a name that it is not is one in 2^64 for each key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fofe.base.arrays import BoolArray, IntArray, running_sums
from fofe.base.errors import InputError
from fofe.features.fragments import Fragments

Keys = NDArray[np.uint64]

EXACT, FOLDED, LAST = 0, 1, 2
KINDS: Final = ("exact", "folded", "last")
"""How a fragment can match: as the name is written, in any case, or as the last word of a longer name."""

MOST_TYPES = 64

_BASE: Final = 0x9E3779B97F4A7C15
_SALTS: Final = np.array([0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0], dtype=np.uint64)
_SPARE_BITS = 4
"""The bitmap has 16 bits or more for each key: one fragment in 16, or fewer, is looked up in vain."""


class FragmentKeys:
    """The keys of any fragments of some sentences."""

    def __init__(self, words: Sequence[str], token_offsets: IntArray) -> None:
        """`token_offsets` [S + 1] says where the words of each sentence begin."""
        if len("".join(words).split()) > 1:
            words = ["".join(word.split()) for word in words]
        self._cased = _Hashes(words, token_offsets)
        self._folded = _Hashes([word.casefold() for word in words], token_offsets)

    def of(self, kind: int, firsts: IntArray, lasts: IntArray) -> Keys:
        """[F] the keys for one kind of match of the fragments from `firsts` [F] to `lasts` [F]."""
        hashes = self._folded if kind == FOLDED else self._cased
        return _mixed(hashes.of(firsts, lasts) + _SALTS[kind])


def keys_of(names: Sequence[str], kind: int) -> Keys:
    """[N] the keys of whole names."""
    alone = np.arange(len(names))
    return FragmentKeys(names, np.arange(len(names) + 1)).of(kind, alone, alone)


def keys_within(keys: Keys, groups: IntArray) -> Keys:
    """[N] keys that stand for names [N] in one group [N], such as a document, and nowhere else."""
    return _mixed(keys ^ _mixed(groups.astype(np.uint64) + _SALTS[EXACT]))


@dataclass(frozen=True)
class NameBits:
    """What F fragments match: each has a row of the P patterns, and row 0 is that of no match."""

    rows: IntArray
    """[F]"""
    patterns: BoolArray
    """[P, B] for each kind of match, which types."""

    @classmethod
    def of(cls, sets: IntArray, members: BoolArray) -> NameBits:
        """From the sets of types [F, 3] that fragments match in each way, and who is in the sets [N, Y]."""
        count = len(members)
        codes = (sets[:, EXACT] * count + sets[:, FOLDED]) * count + sets[:, LAST]
        matched = np.flatnonzero(codes)
        distinct, places = np.unique(codes[matched], return_inverse=True)
        rows = np.zeros(len(codes), dtype=np.int64)
        rows[matched] = places + 1
        parts = np.unravel_index(np.append(0, distinct), (count, count, count))
        return cls(rows, np.concatenate([members[part] for part in parts], axis=1))

    @classmethod
    def joined(cls, parts: Sequence[NameBits]) -> NameBits:
        """Those of several texts, one after another."""
        before = np.cumsum([0, *(len(part.patterns) for part in parts)])
        rows = [part.rows + moved for part, moved in zip(parts, before, strict=False)]
        return cls(np.concatenate(rows), np.concatenate([part.patterns for part in parts]))

    def take(self, numbers: IntArray) -> NameBits:
        """The names that some of the fragments [F'] match."""
        return NameBits(self.rows[numbers], self.patterns)

    def of_fragments(self) -> BoolArray:
        """[F, B]"""
        return self.patterns[self.rows]


class NameTable:
    """The keys of names and their types."""

    def __init__(self, types: Sequence[str], keys: Keys, sets: IntArray, members: BoolArray) -> None:
        """`keys` [N] are sorted, `sets` [N] are rows of `members` [S, Y], whose row 0 is empty."""
        self.types = tuple(types)
        self.keys = keys
        self.sets = sets
        self.members = members
        self._bits = max(10, len(keys).bit_length() + _SPARE_BITS)
        marks = np.zeros(1 << self._bits, dtype=bool)
        marks[keys >> np.uint64(64 - self._bits)] = True
        self._bitmap = np.packbits(marks, bitorder="little")

    @classmethod
    def from_pairs(cls, types: Sequence[str], keys: Keys, numbers: IntArray) -> NameTable:
        """The table of pairs of a key [P] and the number of a type [P], in any order."""
        if len(types) > MOST_TYPES:
            raise InputError(
                f"{len(types)} types of names are too many", remedy=f"map them to at most {MOST_TYPES}"
            )
        order = np.argsort(keys, kind="stable")
        keys, masks = keys[order], np.left_shift(np.uint64(1), numbers[order].astype(np.uint64))
        firsts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        masks = np.bitwise_or.reduceat(masks, firsts) if len(keys) else masks
        distinct, places = np.unique(masks, return_inverse=True)
        bits = np.append(np.uint64(0), distinct)[:, None] >> np.arange(len(types), dtype=np.uint64)
        return cls(types, keys[firsts], (places + 1).astype(np.int32), (bits & np.uint64(1)).astype(bool))

    def __len__(self) -> int:
        return len(self.keys)

    def merged(self, other: NameTable) -> NameTable:
        """All that both know, with the types of both."""
        types = list(dict.fromkeys([*self.types, *other.types]))
        keys, numbers = [], []
        for table in (self, other):
            rows, of_table = np.nonzero(table.members[table.sets])
            keys.append(table.keys[rows])
            numbers.append(np.array([types.index(type) for type in table.types], dtype=np.int64)[of_table])
        return NameTable.from_pairs(types, np.concatenate(keys), np.concatenate(numbers))

    def find(self, keys: Keys) -> IntArray:
        """[F] the sets of keys [F], 0 for those that are not in the table."""
        found = np.zeros(len(keys), dtype=np.int64)
        places = keys >> np.uint64(64 - self._bits)
        hits = self._bitmap[places >> np.uint64(3)] >> (places & np.uint64(7)).astype(np.uint8)
        maybe = np.flatnonzero(hits & 1)
        nearest = np.minimum(np.searchsorted(self.keys, keys[maybe]), len(self.keys) - 1)
        same = self.keys[nearest] == keys[maybe]
        found[maybe[same]] = self.sets[nearest[same]]
        return found

    def sets_of(self, keys: FragmentKeys, fragments: Fragments) -> IntArray:
        """[F, 3] the sets of types that fragments match in each way.

        Whatever matches exactly matches in any case too: only those fragments are looked up again.
        """
        firsts, lasts = fragments.firsts, fragments.lasts
        sets = np.zeros((len(fragments), len(KINDS)), dtype=np.int64)
        sets[:, FOLDED] = self.find(keys.of(FOLDED, firsts, lasts))
        for kind, possible in ((EXACT, sets[:, FOLDED]), (LAST, firsts == lasts)):
            chosen = np.flatnonzero(possible)
            sets[chosen, kind] = self.find(keys.of(kind, firsts[chosen], lasts[chosen]))
        return sets

    def look_up(self, words: Sequence[str], token_offsets: IntArray, fragments: Fragments) -> NameBits:
        """What the fragments of some sentences match."""
        return NameBits.of(self.sets_of(FragmentKeys(words, token_offsets), fragments), self.members)


class _Hashes:
    """Polynomial hashes, modulo 2^64, of runs of words, from one running sum over the characters."""

    def __init__(self, words: Sequence[str], token_offsets: IntArray) -> None:
        codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        borders = np.append(0, running_sums(lengths))
        of_sentence = borders[token_offsets]
        places = np.arange(len(codes)) - np.repeat(of_sentence[:-1], np.diff(of_sentence))
        self._starts = borders[:-1] - np.repeat(of_sentence[:-1], np.diff(token_offsets))
        longest = int(np.diff(of_sentence).max(initial=0))
        powers, self._inverses = _powers(1 << (longest + 1).bit_length())
        sums = np.zeros(len(codes) + 1, dtype=np.uint64)
        np.add.accumulate(_mixed(codes.astype(np.uint64)) * powers[places], out=sums[1:])
        self._sums = sums[borders]

    def of(self, firsts: IntArray, lasts: IntArray) -> Keys:
        """[F] the hashes of the words from `firsts` [F] to `lasts` [F] of one sentence each."""
        inside = self._sums[lasts + 1] - self._sums[firsts]
        moved: Keys = inside * self._inverses[self._starts[firsts]]
        return moved


@cache
def _powers(count: int) -> tuple[Keys, Keys]:
    """The first powers of the base, and of its inverse, modulo 2^64."""
    powers, inverses = (
        np.cumprod(np.append(np.uint64(1), np.full(count - 1, base, dtype=np.uint64)), dtype=np.uint64)
        for base in (_BASE, pow(_BASE, -1, 1 << 64))
    )
    return powers, inverses


def _mixed(numbers: Keys) -> Keys:
    """Numbers whose bits all depend on all bits of the given ones, one to one (the end of splitmix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Keys = numbers ^ (numbers >> np.uint64(31))
    return mixed
