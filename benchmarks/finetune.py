"""What fine-tuning with new types costs the old ones: the tutorial's kitchen, 200 sentences and 50 of them.

    python benchmarks/finetune.py

A shipped model learns dishes, ingredients and tools (`fofe train examples/kitchen.toml --from en`). Before
and after it is scored on the test sets of its recipe, as its card reports. `en_loss_CORPUS` is what F1 lost
there, `worst_old_loss` the largest loss; `new_dev_f1` is the F1 of the new types on the dev sentences,
`cpu_seconds` what training took, each of the worse model. The figures of 50
sentences end in `_50`. One thread.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from _mention_runs import with_shared_corpora
from _record import ROOT, as_command, on_one_thread, record

MODELS = ROOT / "models"
sys.path.insert(0, str(MODELS))

from _recipe import read_recipe
from _scores import scores

import fofe
from fofe.model.storage import load_model
from fofe.training.config import load_config
from fofe.training.corpora import Corpora, read_corpora
from fofe.training.run import train

NAMES = ("en", "en-news")
FEW = 50


def main() -> None:
    """Fine-tune, score, print, record."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    on_one_thread()
    metrics: dict[str, Any] = {}
    for name in NAMES:
        recipe = read_recipe(MODELS / "recipes" / f"{name}.toml")
        corpora = read_corpora(with_shared_corpora(Path(recipe.config), {}))
        start = MODELS / name / "src" / recipe.module / "model"
        before = _scores(start, corpora, recipe.tests)
        for suffix, count in (("", None), (f"_{FEW}", FEW)):
            with tempfile.TemporaryDirectory() as folder:
                made, seconds = _trained(start, Path(folder), count)
                after = _scores(made, corpora, recipe.tests)
                dev = load_model(made).training["dev"]["f1"]
            losses = {corpus: round(before[corpus] - f1, 2) for corpus, f1 in after.items()}
            metrics |= {
                f"{name.replace('-', '_')}_loss_{corpus}{suffix}": loss for corpus, loss in losses.items()
            }
            worst = f"worst_old_loss{suffix}"
            metrics[worst] = max(metrics.get(worst, -100.0), *losses.values())
            metrics[f"new_dev_f1{suffix}"] = min(metrics.get(f"new_dev_f1{suffix}", 100.0), round(dev, 2))
            metrics[f"cpu_seconds{suffix}"] = max(metrics.get(f"cpu_seconds{suffix}", 0.0), round(seconds, 1))
            print(name, count or "all", losses, f"new {dev:.2f}", f"{seconds:.1f} CPU seconds", flush=True)
    record("finetune", metrics, "python benchmarks/finetune.py")


def _trained(start: Path, folder: Path, count: int | None) -> tuple[Path, float]:
    """The directory of a model that has learned from so many sentences, and the CPU seconds that it took."""
    config = load_config(ROOT / "examples" / "kitchen.toml")
    assert config.data is not None
    if count is not None:
        lines = Path(config.data.train[0]).read_text("utf-8").splitlines(keepends=True)[:count]
        (folder / "train.jsonl").write_text("".join(lines), "utf-8")
        config = replace(config, data=replace(config.data, train=(str(folder / "train.jsonl"),)))
    begun = time.process_time()
    made = train(config, folder / "run", start=start, command="python benchmarks/finetune.py")
    return made, time.process_time() - begun


def _scores(path: Path, corpora: Corpora, tests: dict[str, str]) -> dict[str, float]:
    """The F1 of a model on the test sets of its recipe."""
    model = fofe.load(path)
    return {one.name: scores(model, one, tests[one.name])["f1"] for one in corpora.parts if one.name in tests}


if __name__ == "__main__":
    as_command(main)
