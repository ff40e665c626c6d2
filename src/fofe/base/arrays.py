"""Names for the kinds of arrays that pass through the package; shapes are told in the docstrings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.signedinteger[Any]]
BoolArray = NDArray[np.bool_]
