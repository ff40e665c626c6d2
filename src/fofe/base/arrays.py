"""Array types by kind of number; docstrings state the shapes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.signedinteger[Any]]
BoolArray = NDArray[np.bool_]
