"""What a training run reports while it goes on."""

from typing import Any


class Callback:
    """Ignores every report; subclasses override those that they want."""

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None:
        """An epoch of about so many batches begins; epochs count from 1."""

    def step(self, loss: float) -> None:
        """A batch is done."""

    def end_epoch(self, metrics: dict[str, Any]) -> None:
        """An epoch is done; the metrics are those of its line in `metrics.jsonl`."""

    def say(self, line: str) -> None:
        """A message for the user."""
