"""Rows of different lengths, kept one after another in one array."""

from __future__ import annotations

import numpy as np

from fofe.base.arrays import IntArray


def ragged(offsets: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Indices of the items of some rows of a ragged array, and the offsets of the rows in the result.

    `offsets` is [R + 1], `rows` is [R']; the results are [N'] and [R' + 1].
    """
    lengths = offsets[rows + 1] - offsets[rows]
    new_offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(lengths, out=new_offsets[1:])
    indices = np.arange(new_offsets[-1]) + np.repeat(offsets[rows] - new_offsets[:-1], lengths)
    return indices, new_offsets
