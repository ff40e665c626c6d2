"""Training on a terminal: a bar while an epoch runs, a line when it is done; only the lines in a pipe."""

from __future__ import annotations

from typing import Any, TextIO

from tqdm import tqdm


class TerminalWatcher:
    """Shows how a training run goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bar: Any = None
        self._smooth: float | None = None
        self._dev = ""

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None:
        self._bar = tqdm(
            total=batches,
            desc=f"epoch {epoch}/{epochs}",
            unit="batch",
            leave=False,
            file=self._stream,
            disable=not self._stream.isatty(),
        )

    def step(self, loss: float) -> None:
        self._smooth = loss if self._smooth is None else 0.95 * self._smooth + 0.05 * loss
        self._bar.set_postfix_str(f"loss {self._smooth:.4f}{self._dev}", refresh=False)
        self._bar.update()

    def end_epoch(self, metrics: dict[str, Any]) -> None:
        self.close()
        parts = [f"epoch {metrics['epoch']}", f"loss {metrics['loss']:.4f}"]
        if "dev_f1" in metrics:
            precision, recall, f1 = (metrics[f"dev_{name}"] for name in ("precision", "recall", "f1"))
            self._dev = f", dev F1 {f1:.2f}"
            decoding = f"{metrics['strategy']}, {metrics['threshold']}"
            if metrics.get("agreement"):
                decoding += f", agreement {metrics['agreement']:g}"
            parts.append(f"dev P {precision:.2f} R {recall:.2f} F1 {f1:.2f} ({decoding})")
        self.say("  ".join([*parts, f"{metrics['cpu_minutes']:.1f} CPU min"]))

    def say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
