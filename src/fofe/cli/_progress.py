"""What is shown while a command works: messages, and bars for those who watch a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

from fofe.training.callback import Callback

if TYPE_CHECKING:
    from fofe.base.report import Report


def say(line: str) -> None:
    """Print a message to standard error."""
    print(f"fofe: {line}", file=sys.stderr, flush=True)


def say_report(report: Report, prefix: str = "fofe: ") -> None:
    """Print what was changed or skipped, with counts, to standard error."""
    for line in report.lines():
        print(f"{prefix}{line}", file=sys.stderr)


class Bar:
    """A bar on a terminal, or nothing at all; messages appear above it."""

    def __init__(self, *, shown: bool | None = None, **settings: Any) -> None:
        self._bar: Any = None
        if sys.stderr.isatty() if shown is None else shown:
            from tqdm import tqdm

            self._bar = tqdm(leave=False, file=sys.stderr, **settings)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, done: int) -> None:
        """Advance by so much."""
        if self._bar is not None:
            self._bar.update(done)

    def reach(self, what: str, done: int) -> None:
        """Show how far a phase of the work has come; each phase starts from 0."""
        if self._bar is not None:
            if self._bar.desc != f"{what}: ":
                self._bar.reset()
                self._bar.set_description(what)
            self._bar.update(done - self._bar.n)

    def say(self, line: str) -> None:
        """Print a message, above the bar if there is one."""
        if self._bar is None:
            say(line)
        else:
            self._bar.write(f"fofe: {line}", file=sys.stderr)


class TerminalCallback(Callback):
    """Shows the progress of training: a bar during an epoch, a line after it; in a pipe only the lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bar: Any = None
        self._smooth: float | None = None
        self._dev = ""

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None:
        from tqdm import tqdm

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
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
