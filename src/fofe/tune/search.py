"""The search itself: trials in one or several processes, which may be killed at any moment and resumed.

Optuna keeps the trials in `search.jsonl`, in the directory of the search. A trial that was killed is tried
again with the same values, and in the same directory, where it resumes from its checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fofe.base.errors import FofeError, InputError
from fofe.base.files import lock
from fofe.base.settings import to_table
from fofe.base.workers import in_order
from fofe.training.callback import Callback
from fofe.training.config import RunConfig, load_config
from fofe.tune.space import Choices, Range, Space, check_space
from fofe.tune.trials import Trial

if TYPE_CHECKING:
    import optuna

JOURNAL = "search.jsonl"
LOCK = "search.lock"
TRIALS = "trials"
PARTS = 10
"""Trials are compared at each tenth of their training."""


@dataclass(frozen=True)
class Settings:
    """A search: the configuration, what may change, and how."""

    config: str
    overrides: dict[str, Any]
    space: Space
    folder: str
    sampler: str = "tpe"
    seed: int = 1
    prune: bool = True
    space_path: str | None = None
    """The file of the space, for messages."""

    def fingerprint(self) -> str:
        """Changes with all that makes trials comparable."""
        space = {key: repr(value) for key, value in sorted(self.space.items())}
        base = to_table(load_config(self.config, self.overrides))
        return hashlib.sha256(json.dumps([base, space]).encode()).hexdigest()

    def configured(self, values: dict[str, Any]) -> RunConfig:
        """The configuration with the values of a trial."""
        return load_config(self.config, {**self.overrides, **values})


def search(settings: Settings, trials: int, workers: int, on_trial: Callable[[Trial], None]) -> list[Trial]:
    """Run trials until there are so many; returns all, best first, pruned ones last."""
    folder = Path(settings.folder)
    # A study keeps its space: a mistake in it must be found before there is a study.
    _check(settings)
    folder.mkdir(parents=True, exist_ok=True)
    with _quiet(), _alone_in(folder):
        study = open_study(settings)
        _retry_killed(study)
        if settings.sampler == "grid":
            trials = min(trials, _enqueue_grid(study, settings.space))
        # Each draws from a seed of its own, which no trial of this or an earlier process had.
        first, left = len(study.trials), max(0, trials - len(_finished(study)))
        with closing(in_order(_TrialJob(settings), range(first, first + left), workers)) as results:
            for trial in results:
                on_trial(trial)
        done = _finished(study)
    return sorted(done, key=lambda trial: (trial.state != "complete", -(trial.f1 or 0), trial.number))


def _check(settings: Settings) -> None:
    """Refuse a space that trials could not be drawn from."""
    check_space(settings.space, settings.config, settings.overrides, settings.space_path)
    ranges = [key for key, allowed in settings.space.items() if isinstance(allowed, Range)]
    if settings.sampler == "grid" and ranges:
        raise InputError(
            f"a grid needs values for {ranges[0]}, not a range",
            path=settings.space_path,
            remedy=f"give values = [...] under [{ranges[0]}] in a space",
        )


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Refuse a second search in the directory: it would take the running trials for killed ones."""
    with lock(folder / LOCK, wait=False) as is_ours:
        if not is_ours:
            raise InputError(
                "a search is under way in this directory",
                path=folder,
                remedy="wait until it has ended; --workers N runs several trials at the same time",
            )
        # Optuna's own lock outlives a process that was killed.
        (folder / f"{JOURNAL}.lock").unlink(missing_ok=True)
        yield


def open_study(settings: Settings) -> optuna.Study:
    """The study in the directory of a search; an error if it belongs to another search."""
    import optuna
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    path = str(Path(settings.folder) / JOURNAL)
    study = optuna.create_study(
        storage=optuna.storages.JournalStorage(JournalFileBackend(path, JournalFileOpenLock(path))),
        study_name="fofe",
        load_if_exists=True,
        direction="maximize",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=PARTS // 5),
    )
    fingerprint = settings.fingerprint()
    known = study.user_attrs.get("fingerprint")
    if known is None:
        study.set_user_attr("fingerprint", fingerprint)
    elif known != fingerprint:
        raise InputError(
            "holds a search with another configuration or another space",
            path=settings.folder,
            remedy="go on with the same ones, or choose another directory",
        )
    return study


def _retry_killed(study: optuna.Study) -> None:
    """Queue the trials again that were killed: no other process runs any."""
    from optuna.storages import RetryHeartbeatStaleTrialCallback
    from optuna.trial import TrialState

    for trial in study.get_trials(states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
        RetryHeartbeatStaleTrialCallback()(study, trial)


def _enqueue_grid(study: optuna.Study, space: Space) -> int:
    """Queue the combinations of values that the study does not know; returns how many there are in all."""
    grid = {key: allowed.values for key, allowed in space.items() if isinstance(allowed, Choices)}
    combinations = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    for combination in combinations:
        study.enqueue_trial(combination, skip_if_exists=True)
    return len(combinations)


def _finished(study: optuna.Study) -> list[Trial]:
    from optuna.trial import TrialState

    done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
    return [_result(trial) for trial in done]


def _result(trial: optuna.trial.FrozenTrial) -> Trial:
    values = {
        key: json.loads(value) if isinstance(value, str) else value for key, value in trial.params.items()
    }
    return Trial(trial.number, values, trial.value, trial.state.name.lower())


@dataclass(frozen=True)
class _TrialJob:
    """Runs one trial after another in a process of its own."""

    settings: Settings

    def start(self) -> Callable[[int], Trial]:
        return self._run

    def _run(self, number: int) -> Trial:
        done: list[optuna.trial.FrozenTrial] = []
        with _quiet():
            study = open_study(self.settings)
            study.sampler = _sampler(self.settings, number)
            study.optimize(self._train, n_trials=1, callbacks=[lambda _, trial: done.append(trial)])
            folder = self._folder(done[0])
        # The metrics stay; the best model will be trained again.
        shutil.rmtree(folder / "model", ignore_errors=True)
        for path in folder.glob("*.safetensors"):
            path.unlink()
        return _result(done[0])

    def _train(self, trial: optuna.Trial) -> float:
        """Train with the values of a trial; returns the best dev F1."""
        from fofe.training.run import Run

        values = {key: _suggested(trial, key, allowed) for key, allowed in self.settings.space.items()}
        config = _for_trial(self.settings.configured(values))
        folder = self._folder(trial.study.get_trials(deepcopy=False)[trial.number])
        callback = _Callback(trial, config.training.epochs, prune=self.settings.prune)
        run = Run(config, folder, callback, command=f"fofe tune {self.settings.config}")
        run.train(resume=True)
        assert run.progress.best is not None, "a run that ended was evaluated"
        return run.progress.best.f1

    def _folder(self, trial: optuna.trial.FrozenTrial) -> Path:
        """The directory of a trial, named by its first attempt."""
        from optuna.storages import RetryHeartbeatStaleTrialCallback

        first = RetryHeartbeatStaleTrialCallback.retried_trial_number(trial)
        return Path(self.settings.folder) / TRIALS / str(trial.number if first is None else first)


class _Callback(Callback):
    """Reports the scores of a trial to the search, and ends a hopeless trial."""

    def __init__(self, trial: optuna.Trial, epochs: int, *, prune: bool) -> None:
        self._trial = trial
        self._epochs = epochs
        self._prune = prune
        self._part = 0

    def end_epoch(self, metrics: dict[str, Any]) -> None:
        import optuna

        part = PARTS * metrics["epoch"] // self._epochs
        if "dev_f1" not in metrics or part <= self._part:
            return
        self._part = part
        self._trial.report(metrics["dev_f1"], part)
        if self._prune and part < PARTS and self._trial.should_prune():
            raise optuna.TrialPruned


def _for_trial(config: RunConfig) -> RunConfig:
    """The configuration of a trial: no gate, no test set, an evaluation at each tenth."""
    every = max(1, config.training.epochs // PARTS)
    data = config.data
    return replace(
        config,
        data=data and replace(data, test=None if data.dev else data.test),
        corpus=tuple(replace(part, test=None if part.dev else part.test) for part in config.corpus),
        training=replace(config.training, evaluate_every=every),
        gate=replace(config.gate, enabled=False),
    )


def _sampler(settings: Settings, number: int) -> optuna.samplers.BaseSampler:
    import optuna

    seed = settings.seed * 100_003 + number
    if settings.sampler != "tpe":
        return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(seed=seed)


def _suggested(trial: optuna.Trial, key: str, allowed: Range | Choices) -> Any:
    if isinstance(allowed, Choices):
        return json.loads(trial.suggest_categorical(key, allowed.values))
    if allowed.whole:
        return trial.suggest_int(key, int(allowed.low), int(allowed.high), log=allowed.log)
    return trial.suggest_float(key, allowed.low, allowed.high, log=allowed.log)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Optuna's log and its warnings about experimental functions."""
    try:
        import optuna
    except ModuleNotFoundError as error:
        if error.name != "optuna":
            raise
        raise FofeError("searching needs Optuna (pip install 'fofe[tune]')") from None
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)
