"""The word vectors of a view as they are stored: float32, float16, or int8 with a scale for each row.

Only the rows of words that a text holds are ever made float32, so a large table loads as fast as it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fofe.base.arrays import FloatArray, IntArray

FLOAT_KINDS = ("float32", "float16")
TABLE_KINDS = (*FLOAT_KINDS, "int8")
TABLES = "tables."
SCALES = ".scales"
"""How the names of tables begin among the weights of a model, and how those of their scales end."""
INT8_MAX = 127
SMALLEST = INT8_MAX * float(np.finfo(np.float32).tiny)
"""A row without a larger number is all zeros as int8: its scale would not be a normal float32."""


def table_name(view: str) -> str:
    """The name of a view's table among the weights of a model."""
    return f"{TABLES}{view}"


def scales_name(view: str) -> str:
    """The name of the scales of a view's table, where it has some."""
    return f"{table_name(view)}{SCALES}"


@dataclass(frozen=True)
class Table:
    """A table of V vectors of D numbers."""

    values: NDArray[Any]
    """[V, D], of one of `TABLE_KINDS`."""
    scales: FloatArray | None = None
    """[V] what the values of each row are multiplied by; only int8 has them."""

    @classmethod
    def from_weights(cls, weights: Mapping[str, NDArray[Any]], view: str) -> Table:
        """The table of a view among the weights of a model."""
        return cls(weights[table_name(view)], weights.get(scales_name(view)))

    def to_weights(self, view: str) -> dict[str, NDArray[Any]]:
        """The arrays by the names under which a model stores them."""
        named = {table_name(view): self.values}
        return named if self.scales is None else {**named, scales_name(view): self.scales}

    def rows(self, numbers: IntArray) -> FloatArray:
        """[U, D] float32, the vectors of rows [U]."""
        return self.only(numbers).whole()

    def only(self, numbers: IntArray) -> Table:
        """The table of some rows alone, stored as they were."""
        return Table(self.values[numbers], None if self.scales is None else self.scales[numbers])

    def whole(self) -> FloatArray:
        """[V, D] float32, all vectors."""
        vectors: FloatArray = self.values.astype(np.float32, copy=False)
        return vectors if self.scales is None else vectors * self.scales[:, None]

    def stored_as(self, kind: str) -> Table:
        """The same vectors as float32, float16 or int8, as near as that can hold them.

        A number that is not finite, or beyond the range of float16, is a ValueError.
        """
        if self.values.dtype == kind:
            return self
        vectors = self.whole()
        return _as_int8(vectors) if kind == "int8" else Table(as_float(vectors, kind))


def as_float(array: FloatArray, kind: str) -> FloatArray:
    """An array as float32 or float16; a number that this cannot hold is a ValueError."""
    if array.dtype == kind:
        return array
    with np.errstate(over="ignore"):
        converted: FloatArray = array.astype(kind)
    if not np.isfinite(converted).all():
        raise ValueError(f"holds a number that {kind} cannot hold")
    return converted


def _as_int8(vectors: FloatArray) -> Table:
    """Each row in steps of a 127th of its largest number: an error is at most half a step."""
    largest = np.abs(vectors).max(axis=1)
    if not np.isfinite(largest).all():
        raise ValueError("holds a number that int8 cannot hold")
    scales = np.where(largest > SMALLEST, largest / INT8_MAX, 1).astype(np.float32)
    return Table(np.rint(vectors / scales[:, None]).astype(np.int8), scales)
