"""Several models from one corpus, each trained without another part of it, as one ensemble."""

from __future__ import annotations

from pathlib import Path

from fofe.base.errors import FofeError
from fofe.model.ensemble import is_ensemble, load_ensemble, refer_to
from fofe.training.config import RunConfig
from fofe.training.fold import Fold
from fofe.training.run import MODEL, Watcher, train


def train_folds(
    config: RunConfig,
    folder: str | Path,
    watcher: Watcher,
    folds: int,
    *,
    command: str,
    start: str | Path | None = None,
    resume: bool = False,
) -> Path:
    """Train the models in directories `fold-1` and so on, and return the directory of the ensemble.

    Each is tuned on the dev set, or, where a corpus has none, on the part that it was not trained on. With
    `resume`, models that are finished stay as they are.
    """
    if folds < 2:
        raise FofeError("one fold is no fold: take at least 2, or train without --folds")
    models = []
    for number in range(folds):
        own = Path(folder) / f"fold-{number + 1}"
        models.append(own / MODEL)
        if resume and (own / MODEL).exists():
            continue
        watcher.say(f"fold {number + 1} of {folds}")
        train(config, own, watcher, command=command, start=start, resume=resume, fold=Fold(number, folds))
    ensemble = Path(folder) / MODEL
    if not is_ensemble(ensemble) or len(load_ensemble(ensemble).members) != folds:
        refer_to(models, ensemble)
    return ensemble
