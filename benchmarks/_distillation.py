"""Students of models that are there, over plain text."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from _resources import trained_model

from fofe.base.report import Report
from fofe.cli._io import TerminalCallback
from fofe.training.config import RunConfig
from fofe.training.plain_text import LABELS
from fofe.training.run import distil
from fofe.vectors.train import paragraphs

SEEDS = range(1, 10)


def teachers_of(model_of: Callable[[int], Path], command: str) -> list[Path]:
    """The models of all seeds that are there; the command trains the first, which must be."""
    first, *others = map(model_of, SEEDS)
    return [trained_model(first, command), *(model for model in others if model.exists())]


def distilled(
    config: RunConfig,
    teachers: Sequence[Path],
    text: Path,
    folder: Path,
    others: Iterable[Path],
    command: str,
    workers: int = 1,
) -> Path:
    """Train a student, or go on with it; the labels that other students left for the text serve it too."""
    labelled = next((other / LABELS for other in others if (other / LABELS).exists()), None)
    if labelled is not None and not (folder / LABELS).exists():
        shutil.copytree(labelled, folder / LABELS, copy_function=os.link)
    report = Report()
    return distil(
        config,
        list(map(str, teachers)),
        [text],
        lambda path: paragraphs(path, config.model.language, report),
        folder,
        TerminalCallback(sys.stderr),
        command=command,
        workers=workers,
        resume=True,
    )
