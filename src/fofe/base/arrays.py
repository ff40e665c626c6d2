"""Array types by kind of number; docstrings state the shapes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.signedinteger[Any]]
BoolArray = NDArray[np.bool_]


def running_sums(values: IntArray | BoolArray) -> IntArray:
    """[N] the sum of the first values, up to each of them.

    `np.cumsum` looks a method up by a new string in each call. Python's cache of attributes keeps hundreds of
    these; they lie all over the memory that a long text took, which can then never be given back.
    """
    return np.add.accumulate(values, dtype=np.intp)
