"""How scores become mentions: the settings that are tuned on a dev set and stored with a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import SettingError
from fofe.decode.resolve import HIGHEST_FIRST, NON_CROSSING, STRATEGIES
from fofe.text.document import NOMINAL, split_label


@dataclass(frozen=True)
class Decoding:
    """How scores become mentions. Every value that a user gives is checked here and nowhere else."""

    threshold: float = 0.5
    """The least score of a mention."""
    strategy: str = HIGHEST_FIRST
    """How overlaps are resolved: one of `STRATEGIES`."""
    nested: bool = False
    """Whether mentions may lie in one another."""
    agreement: float = 0.0
    """What the types of the same text in nearby sentences count beside a mention's own; 0 for nothing."""
    thresholds: dict[str, float] = field(default_factory=dict)
    """The thresholds of labels that have one of their own."""
    names: bool = False
    """Whether only names are mentions."""
    names_threshold: float | None = None
    """The least score of a name if only names are wanted, none in another; without it, the threshold."""

    def __post_init__(self) -> None:
        for name, value, most, fix in (
            ("threshold", self.threshold, 1.0, "must be a number from 0 to 1"),
            *(
                ("thresholds", value, 1.0, "must be numbers from 0 to 1")
                for value in self.thresholds.values()
            ),
            ("names_threshold", self.names_threshold or 0.0, 1.0, "must be a number from 0 to 1"),
            ("agreement", self.agreement, float("inf"), "must be a number of at least 0"),
        ):
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= most or value == float("inf"):
                raise SettingError(f"{name} {fix}, not {value!r}")
        if self.strategy not in STRATEGIES:
            raise SettingError(f"strategy must be one of {', '.join(STRATEGIES)}, not {self.strategy!r}")
        for name, truth in (("nested", self.nested), ("names", self.names)):
            if not isinstance(truth, bool):
                raise SettingError(f"{name} must be true or false, not {truth!r}")

    def thresholds_of(self, labels: Sequence[str]) -> FloatArray:
        """[K] the threshold of each label; no score reaches that of a label which is not wanted."""
        return np.array([self._threshold_of(label) for label in labels])

    def _threshold_of(self, label: str) -> float:
        if self.names and split_label(label)[1] == NOMINAL:
            return float("inf")
        return self.thresholds.get(label, self.threshold)

    def changed(self, **given: float | str | bool | None) -> Decoding:
        """This decoding with the given values of its fields; None keeps a value.

        With `nested` false, the strategy `non-crossing`, which is nested by nature, becomes `highest-first`
        unless a strategy is given. A threshold is that of all labels. With `names`, mentions are flat and
        have the threshold for names or one of their label's own, unless others are given. A value that is
        not allowed is a FofeError.
        """
        changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if changes.get("names") is True and not self.names:
            tuned = {} if self.names_threshold is None else {"threshold": self.names_threshold}
            changes = {"nested": False, **tuned, **changes}
        if given.get("threshold") is not None:
            changes["thresholds"] = {}
        if changes.get("nested") is False and "strategy" not in changes and self.strategy == NON_CROSSING:
            changes["strategy"] = HIGHEST_FIRST
        return replace(self, **changes)
