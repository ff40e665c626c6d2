"""What share of a training run's CPU time is spent in matrix products.

    python benchmarks/profile_training.py
    python benchmarks/profile_training.py --config configs/paper.toml

Some steps of the CoNLL-2003 run are timed as they are, with all that prepares their batches; then torch's
profiler measures the time of the matrix products in as many steps. (It makes small operations slower than
they are, so its own total is not the measure.)
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from _conll import CONFIGS, on_conll
from _record import as_command, on_one_thread, record
from torch.profiler import ProfilerActivity, profile

from fofe.cli._io import TerminalCallback
from fofe.training.config import load_config
from fofe.training.run import Run

STEPS = 60
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::mkldnn_convolution")


def main() -> None:
    """Time, profile, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", type=Path, default=CONFIGS / "default.toml")
    args = parser.parse_args()
    on_one_thread()
    settings = on_conll(load_config(args.config), test=False, smoke=False)
    with tempfile.TemporaryDirectory() as folder, open("/dev/null", "w") as nowhere:
        run = Run(settings, folder, TerminalCallback(nowhere), command="")
        _steps(run)
        began = time.process_time()
        _steps(run)
        spent = time.process_time() - began
        with profile(activities=[ProfilerActivity.CPU]) as profiler:
            _steps(run)
    events = sorted(profiler.key_averages(), key=lambda event: -event.self_cpu_time_total)
    for event in events[:15]:
        print(f"{event.key:40} {event.self_cpu_time_total / 1e6:8.2f} s {event.count:8}")
    products = sum(event.self_cpu_time_total for event in events if event.key in PRODUCTS) / 1e6
    metrics = {
        "steps": STEPS,
        "cpu_s": round(spent, 2),
        "matrix_products_s": round(products, 2),
        "matrix_product_share": round(100 * products / spent, 1),
    }
    print(metrics)
    variant = "" if args.config.stem == "default" else f" --config configs/{args.config.name}"
    record("profile_training", metrics, "python benchmarks/profile_training.py" + variant)


def _steps(run: Run) -> None:
    """Train for so many steps of an epoch; the callback ends it."""
    with suppress(StopIteration):
        run.setup.learner.run_epoch(run.setup.sampler, 0, _counting(STEPS))


def _counting(steps: int) -> Callable[[float], None]:
    left = steps

    def step(_: float) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise StopIteration

    return step


if __name__ == "__main__":
    as_command(main)
