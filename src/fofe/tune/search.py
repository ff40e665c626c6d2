"""The search itself: trials in one or several processes, which may be killed at any moment and resumed.

Optuna keeps the trials in `search.jsonl`, in the directory of the search. A trial that was killed is tried
again with the same values, and in the same directory, where it resumes from its checkpoint.
"""

import hashlib
import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution, distribution_to_json
from optuna.storages import RetryHeartbeatStaleTrialCallback
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.trial import FrozenTrial, TrialState

from fofe.base.errors import ConfigError, InputError, broken_file
from fofe.base.files import lock
from fofe.base.journal import complete_lines
from fofe.base.settings import to_table
from fofe.base.workers import in_order
from fofe.training.callback import Callback
from fofe.training.config import RunConfig, load_config
from fofe.training.run import Run
from fofe.tune.space import Space, value_of
from fofe.tune.trials import Trial

JOURNAL = "search.jsonl"
TRIALS = "trials"
PARTS = 10
"""Trials are compared at each tenth of their training."""


@dataclass(frozen=True)
class Search:
    """A search: the configuration, what may change, and how. As a job it runs a trial for each number."""

    config: str
    overrides: dict[str, Any]
    space: Space
    folder: str
    sampler: str = "tpe"
    seed: int = 1
    prune: bool = True
    space_path: str | None = None
    """The file of the space, for messages."""

    def run(self, trials: int, workers: int, on_trial: Callable[[Trial], None]) -> list[Trial]:
        """Run trials until there are so many; returns all, best first, pruned ones last."""
        self._check_space()  # a study keeps its space: a mistake must be found before there is a study
        grid = self._grid() if self.sampler == "grid" else []
        folder = Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        with _quiet(), lock(folder / JOURNAL, wait=False) as is_ours:
            if not is_ours:  # a second search would take the running trials for killed ones
                remedy = "wait until it has ended; --workers N runs several trials at the same time"
                raise InputError("a search is under way in this directory", path=folder, remedy=remedy)
            # Optuna's own lock, which its processes take in turn, outlives one that was killed.
            (folder / f"{JOURNAL}.lock").unlink(missing_ok=True)
            complete_lines(folder / JOURNAL)
            with broken_file(folder / JOURNAL, "choose another directory"):
                study = self.open_study()
                for trial in study.get_trials(states=(TrialState.RUNNING,)):  # killed: nobody else runs any
                    study.tell(trial.number, state=TrialState.FAIL)
                    RetryHeartbeatStaleTrialCallback()(study, trial)
                _finished(study)
            for combination in grid:
                study.enqueue_trial(combination, skip_if_exists=True)
            trials = min(trials, len(grid)) if grid else trials
            # Each draws from a seed of its own, which no trial of this or an earlier process had.
            first, left = len(study.trials), max(0, trials - len(_finished(study)))
            with closing(in_order(self, range(first, first + left), workers)) as results:
                for result in results:
                    on_trial(result)
            done = _finished(study)
        return sorted(done, key=lambda trial: (trial.state != "complete", -(trial.f1 or 0), trial.number))

    def configured(self, values: dict[str, Any]) -> RunConfig:
        """The configuration with the values of a trial."""
        return load_config(self.config, {**self.overrides, **values})

    def _check_space(self) -> None:
        """Refuse a space with a key or a value that the configuration cannot have.

        A configuration is built for every choice and both ends of every range, each with the first values of
        the other keys: what one trial may draw must be possible together.
        """
        self.configured({})  # what is wrong without the space is not to be blamed on it
        values = {
            key: list(map(value_of, allowed.choices))
            if isinstance(allowed, CategoricalDistribution)
            else [allowed.low, allowed.high]
            for key, allowed in self.space.items()
        }
        first = {key: of_key[0] for key, of_key in values.items()}
        try:
            for key, of_key in values.items():
                for value in of_key:
                    self.configured({**first, key: value})
        except ConfigError as error:
            path = self.space_path or self.config
            raise ConfigError(error.problem, path=path, remedy=error.remedy) from None

    def _grid(self) -> list[dict[str, Any]]:
        """All combinations of the values of the space."""
        choices = []
        for key, allowed in self.space.items():
            if not isinstance(allowed, CategoricalDistribution):
                problem = f"a grid needs values for {key}, not a range"
                remedy = f"give values = [...] under [{key}] in a space"
                raise InputError(problem, path=self.space_path, remedy=remedy)
            choices.append(allowed.choices)
        return [dict(zip(self.space, values, strict=True)) for values in product(*choices)]

    def open_study(self) -> optuna.Study:
        """The study in the directory of the search; an error if it belongs to another search."""
        path = str(Path(self.folder) / JOURNAL)
        study = optuna.create_study(
            storage=optuna.storages.JournalStorage(JournalFileBackend(path, JournalFileOpenLock(path))),
            study_name="fofe",
            load_if_exists=True,
            direction="maximize",
            pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=PARTS // 5),
        )
        # It changes with all that makes trials comparable.
        space = {key: distribution_to_json(allowed) for key, allowed in sorted(self.space.items())}
        compared = json.dumps([to_table(self.configured({})), space])
        fingerprint = hashlib.sha256(compared.encode()).hexdigest()
        if "fingerprint" not in study.user_attrs:
            study.set_user_attr("fingerprint", fingerprint)
        elif study.user_attrs["fingerprint"] != fingerprint:
            problem = "holds a search with another configuration or another space"
            remedy = "go on with the same ones, or choose another directory"
            raise InputError(problem, path=self.folder, remedy=remedy)
        return study

    def start(self) -> Callable[[int], Trial]:
        return self._run_trial

    def _run_trial(self, number: int) -> Trial:
        with _quiet():
            study = self.open_study()
            sampler = optuna.samplers.TPESampler if self.sampler == "tpe" else optuna.samplers.RandomSampler
            study.sampler = sampler(seed=self.seed * 100_003 + number)
            trial = study.ask(dict(self.space))
            # The directory of a trial is named by its first attempt.
            first = trial.user_attrs.get("first_attempt", trial.number)
            trial.set_user_attr("first_attempt", first)
            folder = Path(self.folder) / TRIALS / str(first)
            try:
                done = study.tell(trial, self._train(trial, folder))
            except optuna.TrialPruned:
                done = study.tell(trial, state=TrialState.PRUNED)
        # The metrics stay; the best model will be trained again.
        shutil.rmtree(folder / "model", ignore_errors=True)
        for path in folder.glob("*.safetensors"):
            path.unlink()
        return _result(done)

    def _train(self, trial: optuna.Trial, folder: Path) -> float:
        """Train with the values of a trial; returns the best dev F1."""
        values = {key: value_of(drawn) for key, drawn in trial.params.items()}
        config = _for_trial(self.configured(values))
        callback = _Callback(trial, config.training.epochs, self.prune)
        run = Run(config, folder, callback, command=f"fofe tune {self.config}")
        run.train(resume=True)
        assert run.progress.best is not None, "a run that ended was evaluated"
        return run.progress.best.f1


def _finished(study: optuna.Study) -> list[Trial]:
    return list(map(_result, study.get_trials(states=(TrialState.COMPLETE, TrialState.PRUNED))))


def _result(trial: FrozenTrial) -> Trial:
    values = {key: value_of(drawn) for key, drawn in trial.params.items()}
    return Trial(trial.number, values, trial.value, trial.state.name.lower())


@dataclass
class _Callback(Callback):
    """Reports the scores of a trial to the search, and ends a hopeless trial."""

    trial: optuna.Trial
    epochs: int
    prune: bool
    part: int = 0

    def end_epoch(self, metrics: dict[str, Any]) -> None:
        part = PARTS * metrics["epoch"] // self.epochs
        if "dev_f1" in metrics and part > self.part:
            self.part = part
            self.trial.report(metrics["dev_f1"], part)
            if self.prune and part < PARTS and self.trial.should_prune():
                raise optuna.TrialPruned


def _for_trial(config: RunConfig) -> RunConfig:
    """The configuration of a trial: no gate, no test set, an evaluation at each tenth."""
    data, every = config.data, max(1, config.training.epochs // PARTS)
    return replace(
        config,
        data=data and replace(data, test=None if data.dev else data.test),
        corpus=tuple(replace(part, test=None if part.dev else part.test) for part in config.corpus),
        training=replace(config.training, evaluate_every=every),
        gate=replace(config.gate, enabled=False),
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Optuna's log and its warnings about experimental functions."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)
