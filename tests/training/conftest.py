"""Without torch there is no training to test."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

if find_spec("torch"):
    import torch

    torch.set_num_threads(1)
    collect_ignore = []
else:
    collect_ignore = [
        path.name for path in Path(__file__).parent.glob("test_*.py") if path.name != "test_config.py"
    ]
