"""Fixed-size ordinally forgetting encoding: its definition, its inverse, and the fast scan.

For a sequence e_1 ... e_T and a forgetting factor 0 < a < 1 the code is z_T, where
z_0 = 0 and z_t = a * z_{t-1} + e_t.
"""

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

import numpy as np

from fofe.base.arrays import BoolArray, FloatArray, IntArray, running_sums

Symbol = TypeVar("Symbol", bound=Hashable)
Number = TypeVar("Number", float, Fraction)

FORGOTTEN = 1e-8
"""A factor below this changes no float32 digit of a code; going on would only reach subnormal numbers."""


def memory(factor: float) -> int:
    """After how many positions a code has forgotten a symbol."""
    return math.ceil(math.log(FORGOTTEN) / math.log(factor))


def encode(sequence: Sequence[Symbol], factor: Number) -> dict[Symbol, Number]:
    """The FOFE code of a sequence as the weight of each symbol: the definition, one step at a time.

    `encode("ABCBC", a)` is `{"A": a**4, "B": a + a**3, "C": 1 + a**2}`.
    """
    code: dict[Symbol, Number] = {}
    one = type(factor)(1)
    for symbol in sequence:
        code = {known: factor * weight for known, weight in code.items()}
        code[symbol] = code[symbol] + one if symbol in code else one
    return code


def decode(code: dict[Symbol, Number], factor: Number) -> list[Symbol]:
    """The sequence of a code, for a factor of at most one half.

    The last symbol is the only one with a weight of at least 1: all others together weigh at most
    a + a^2 + ... < a / (1 - a) <= 1. Taking it off and dividing by the factor goes one step back.
    Exact arithmetic (`Fraction`) decodes any length; floats decode as far as their digits reach.
    """
    one = type(factor)(1)
    if not 0 < factor <= one / 2:
        raise ValueError(f"a code is decodable for every sequence only if 0 < factor <= 0.5, not {factor}")
    limit = one / (one - factor)
    remaining = {symbol: weight for symbol, weight in code.items() if weight > 0}
    backwards: list[Symbol] = []
    while remaining:
        if sum(remaining.values()) >= limit:
            raise ValueError(f"not a FOFE code: no sequence weighs {limit} or more in all")
        last = max(remaining, key=lambda symbol: remaining[symbol])
        weight = remaining[last] - 1
        if weight < 0:
            raise ValueError(f"not a FOFE code: no symbol weighs 1 or more after {len(backwards)} steps back")
        if weight:
            remaining[last] = weight
        else:
            del remaining[last]
        backwards.append(last)
        remaining = {symbol: value / factor for symbol, value in remaining.items()}
    return backwards[::-1]


def scan(values: FloatArray, factor: float, starts: BoolArray, *, few_and_long: bool = False) -> FloatArray:
    """All prefix codes [T, D] of several sequences that lie one after another in `values` [T, D].

    `starts` [T] is true where a sequence begins; nothing is carried over such a border. `few_and_long` says
    what to expect of the sequences: the result is the same, another way is faster.
    """
    if few_and_long:
        return _scan_by_doubling(values, factor, starts)
    offsets = np.append(np.flatnonzero(starts), len(values))
    return _scan_side_by_side(values, factor, offsets, backwards=False)


def scan_back(
    values: FloatArray, factor: float, ends: BoolArray, *, few_and_long: bool = False
) -> FloatArray:
    """All suffix codes, read from right to left: [T, D] from [T, D]; `ends` [T] marks the last positions."""
    if few_and_long:
        return _scan_by_doubling(values[::-1], factor, ends[::-1])[::-1]
    offsets = np.append(0, np.flatnonzero(ends) + 1)
    return _scan_side_by_side(values, factor, offsets, backwards=True)


def _scan_by_doubling(values: FloatArray, factor: float, starts: BoolArray) -> FloatArray:
    """After the step of width s every row holds the code of its last 2s positions.

    `carry` is what is left of a row's value s positions later, 0 over a border.
    """
    codes = values.copy()
    carry = np.where(starts, 0.0, factor).astype(values.dtype)
    carried = np.empty_like(codes)
    step = 1
    while step < len(codes) and carry.max() >= FORGOTTEN:
        np.multiply(carry[step:, None], codes[:-step], out=carried[step:])
        codes[step:] += carried[step:]
        carry[step:] *= carry[:-step].copy()
        step *= 2
    return codes


def _scan_side_by_side(
    values: FloatArray, factor: float, offsets: IntArray, *, backwards: bool
) -> FloatArray:
    """One step for each position, that of all sequences at once.

    They are laid out by position, the longest first, so that those which have another position are always
    the first so many of those before.
    """
    lengths = np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    going_on = np.searchsorted(-lengths[longest_first], -np.arange(lengths.max(initial=0)))
    borders = np.append(0, running_sums(going_on))
    sequences = longest_first[np.arange(len(values)) - np.repeat(borders[:-1], going_on)]
    positions = np.repeat(np.arange(len(going_on)), going_on)
    order = offsets[1:][sequences] - 1 - positions if backwards else offsets[sequences] + positions
    codes = values.take(order, axis=0)
    carried = np.empty_like(codes[: len(lengths)])
    before = 0
    for begin, end in pairwise(borders[1:].tolist()):
        count = end - begin
        np.multiply(codes[before : before + count], factor, out=carried[:count])
        codes[begin:end] += carried[:count]
        before = begin
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    ordered: FloatArray = codes.take(places, axis=0)
    return ordered
