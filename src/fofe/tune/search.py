"""The search itself: trials in one or several processes, which can be cut off at any moment and gone on with.

All that is known of the trials stands in a database in the directory of the search. A trial that was cut off
is tried again with the same values: its directory is named after them, and it goes on from its checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
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

if TYPE_CHECKING:
    import optuna

DATABASE = "search.sqlite3"
LOCK = "search.lock"
TRIALS = "trials"
FOLDER = "folder"
"""Under which a trial tells its directory to the one that goes on with it."""
STUDY = "fofe"
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


@dataclass(frozen=True)
class Trial:
    """What came of one set of values."""

    number: int
    values: dict[str, Any]
    f1: float | None
    """The best dev F1, in percent; of a trial that was given up, the last one."""
    state: str
    """complete or pruned."""


def search(settings: Settings, trials: int, workers: int, tell: Callable[[Trial], None]) -> list[Trial]:
    """Run trials until there are so many; returns all, best first."""
    folder = Path(settings.folder)
    # Once there is a study it takes no other space, so a slip in this one must be told before.
    _check(settings)
    folder.mkdir(parents=True, exist_ok=True)
    with _quiet(), _alone_in(folder):
        study = _open_study(settings)
        _take_up_again(study)
        if settings.sampler == "grid":
            trials = min(trials, _enqueue_grid(study, settings.space))
        left = max(0, trials - len(_finished(study)))
        with closing(in_order(_TrialJob(settings), range(left), workers)) as results:
            for trial in results:
                tell(trial)
        return results_of(study)


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
    """Keep a second search out: it would take the trials of the first for ones that were cut off."""
    with lock(folder / LOCK, wait=False) as is_ours:
        if not is_ours:
            raise InputError(
                "a search is under way in this directory",
                path=folder,
                remedy="wait until it has ended; --workers N runs several trials at the same time",
            )
        yield


def results_of(study: optuna.Study) -> list[Trial]:
    """The trials that are done, best first; those that were given up come last."""
    done = [_told(trial) for trial in _finished(study)]
    return sorted(done, key=lambda trial: (trial.state != "complete", -(trial.f1 or 0), trial.number))


def best_config(settings: Settings, best: Trial) -> RunConfig:
    """The configuration with the values of a trial."""
    return load_config(settings.config, {**settings.overrides, **best.values})


@dataclass(frozen=True)
class _TrialJob:
    """Runs one trial after another in a process of its own."""

    settings: Settings

    def start(self) -> Callable[[int], Trial]:
        return self._run

    def _run(self, _: int) -> Trial:
        import optuna

        with _quiet():
            # Opened anew for each trial, so that the values drawn depend on what is known by now.
            study = _open_study(self.settings)
            trial = study.ask()
            # From a seed of its own: neither a process beside this one nor one that goes on draws the same.
            study.sampler = _sampler(self.settings, trial.number)
            values = {key: _suggested(trial, key, allowed) for key, allowed in self.settings.space.items()}
            try:
                f1 = self._train(trial, values)
            except optuna.TrialPruned:
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            except FofeError:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
                raise
            else:
                study.tell(trial, f1)
            return _told(study.trials[trial.number])

    def _train(self, trial: optuna.Trial, values: dict[str, Any]) -> float:
        """Train with some values; returns the best dev F1."""
        import optuna

        from fofe.training.run import Run

        config = _for_trial(load_config(self.settings.config, {**self.settings.overrides, **values}))
        name = trial.user_attrs.get(FOLDER, str(trial.number))
        trial.set_user_attr(FOLDER, name)
        folder = Path(self.settings.folder) / TRIALS / name
        callback = _Callback(trial, config.training.epochs, prune=self.settings.prune)
        run = Run(config, folder, callback, command=f"fofe tune {self.settings.config}")
        try:
            run.train(resume=True)
        except optuna.TrialPruned:
            _drop_weights(folder)
            raise
        _drop_weights(folder)
        assert run.progress.best is not None, "a run that ended was evaluated"
        return run.progress.best.f1


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
    """The configuration of a trial: no gate, no look at the test set, an evaluation at each tenth."""
    every = max(1, config.training.epochs // PARTS)
    data = config.data
    return replace(
        config,
        data=data and replace(data, test=None if data.dev else data.test),
        corpus=tuple(replace(part, test=None if part.dev else part.test) for part in config.corpus),
        training=replace(config.training, evaluate_every=every),
        gate=replace(config.gate, enabled=False),
    )


def _drop_weights(folder: Path) -> None:
    """Of a trial that is done only the metrics are worth their space: the best will be trained again."""
    shutil.rmtree(folder / "model", ignore_errors=True)
    for path in folder.glob("*.safetensors"):
        path.unlink()


def _open_study(settings: Settings) -> optuna.Study:
    import optuna

    study = optuna.create_study(
        storage=_storage((Path(settings.folder) / DATABASE).resolve()),
        study_name=STUDY,
        load_if_exists=True,
        direction="maximize",
        pruner=_pruner(),
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


@cache
def _storage(path: Path) -> optuna.storages.BaseStorage:
    """The database, opened once in a process: that takes longer than all that is asked of it."""
    import optuna

    return optuna.storages.RDBStorage(f"sqlite:///{path}", engine_kwargs={"connect_args": {"timeout": 120}})


def _sampler(settings: Settings, number: int) -> optuna.samplers.BaseSampler:
    import optuna

    seed = settings.seed * 100_003 + number
    if settings.sampler != "tpe":
        return optuna.samplers.RandomSampler(seed=seed)
    return optuna.samplers.TPESampler(seed=seed)


def _pruner() -> optuna.pruners.BasePruner:
    import optuna

    return optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=PARTS // 5)


def _enqueue_grid(study: optuna.Study, space: Space) -> int:
    """Queue the combinations of values that are neither done nor queued; returns how many there are."""
    values = [
        [(key, value) for value in allowed.values]
        for key, allowed in space.items()
        if isinstance(allowed, Choices)
    ]
    combinations = [dict(pairs) for pairs in product(*values)]
    known = [_values(trial) for trial in (*_finished(study), *_waiting(study))]
    for combination in combinations:
        if combination not in known:
            study.enqueue_trial(combination)
    return len(combinations)


def _suggested(trial: optuna.Trial, key: str, allowed: Range | Choices) -> Any:
    if isinstance(allowed, Choices):
        return json.loads(trial.suggest_categorical(key, allowed.values))
    if allowed.whole:
        return trial.suggest_int(key, int(allowed.low), int(allowed.high), log=allowed.log)
    return trial.suggest_float(key, allowed.low, allowed.high, log=allowed.log)


def _finished(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    import optuna

    states = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
    return study.get_trials(deepcopy=False, states=states)


def _waiting(study: optuna.Study) -> list[optuna.trial.FrozenTrial]:
    import optuna

    return study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.WAITING,))


def _values(trial: optuna.trial.FrozenTrial) -> dict[str, Any]:
    """What a trial was or will be tried with, as far as it is known."""
    return {**trial.system_attrs.get("fixed_params", {}), **trial.params}


def _take_up_again(study: optuna.Study) -> None:
    """Put trials that were cut off back into the queue."""
    import optuna

    for trial in study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.RUNNING,)):
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        if _values(trial):
            study.enqueue_trial(_values(trial), user_attrs=trial.user_attrs)


def _told(trial: optuna.trial.FrozenTrial) -> Trial:
    values = {
        key: json.loads(value) if isinstance(value, str) else value for key, value in trial.params.items()
    }
    last = trial.intermediate_values.get(max(trial.intermediate_values, default=0))
    f1 = trial.value if trial.value is not None else last
    return Trial(trial.number, values, f1, trial.state.name.lower())


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what Optuna tells of every step, and of its own experiments."""
    try:
        import optuna
    except ModuleNotFoundError as error:
        if error.name != "optuna":
            raise
        raise FofeError("searching needs Optuna (pip install 'fofe[tune]')") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        before = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        try:
            yield
        finally:
            optuna.logging.set_verbosity(before)
