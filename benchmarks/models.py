"""Record what the shipped models reach, as `models/build.py` measured it when it made them.

    python benchmarks/models.py

`en_f1` is the mean over the model's test sets of the F1 of all mentions, in each corpus's own types, as the
model is shipped; `en_f1_uncompressed` the same before it was compressed; `en_mb` the megabytes of its
directory, measured now; `en_f1_CORPUS` the figure of one test set. The same for `es` and `zh`. A model that
has not been built is left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

from _record import HERE, as_command, record

from fofe.model.storage import size_on_disk

MODELS = HERE.parent / "models"
NAMES = ("en", "es", "zh")


def main() -> None:
    """Gather and record."""
    folders = {name: MODELS / name / "src" / f"fofe_{name}" / "model" for name in NAMES}
    built = {name: folder for name, folder in folders.items() if (folder / "config.json").is_file()}
    if not built:
        raise SystemExit("skipped: no model has been built (python models/build.py RECIPE)")
    metrics: dict[str, Any] = {}
    for name, folder in built.items():
        metrics |= {f"{name}_{key}": value for key, value in _metrics(folder).items()}
    print(json.dumps(metrics, indent=2))
    record("models", metrics, "python benchmarks/models.py")


def _metrics(folder: Path) -> dict[str, Any]:
    shipped = json.loads((folder / "config.json").read_text("utf-8"))["training"]["shipped"]
    scores, before = shipped["scores"], shipped["uncompressed"]
    return {
        "f1": round(fmean(of["f1"] for of in scores.values()), 2),
        "f1_uncompressed": round(fmean(of["f1"] for of in before.values()), 2),
        "mb": round(size_on_disk(folder) / 1e6, 2),
        **{f"f1_{corpus}": of["f1"] for corpus, of in scores.items()},
        **{f"f1_uncompressed_{corpus}": of["f1"] for corpus, of in before.items()},
        "tokens_per_second": shipped["tokens_per_second"],
    }


if __name__ == "__main__":
    as_command(main)
