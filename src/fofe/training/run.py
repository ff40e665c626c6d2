"""A whole training run: prepare, train, evaluate, keep the best, resume."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import safe_open
from safetensors.numpy import save_file

from fofe.base.arrays import FloatArray
from fofe.base.errors import ConfigError, FofeError, InputError
from fofe.base.files import write_atomically
from fofe.base.settings import to_table
from fofe.decode import Decoding
from fofe.model.engine import Engine
from fofe.model.storage import StoredModel, load_model, save_model
from fofe.training.card import CardFacts, card_facts, write_card
from fofe.training.checkpoint import Progress, load_checkpoint, save_checkpoint
from fofe.training.config import RunConfig
from fofe.training.corpora import Corpora, read_corpora
from fofe.training.distributed import join
from fofe.training.fold import Fold
from fofe.training.gate import fit_gate
from fofe.training.missing import MissingMentions
from fofe.training.names import prepare_names, with_name_types
from fofe.training.setup import Setup, prepare
from fofe.training.tuning import Judged, applied, evaluate, judge, tune, tune_conventions

CHECKPOINT = "checkpoint.safetensors"
BEST = "best.safetensors"
METRICS = "metrics.jsonl"
CARD = "README.md"
MODEL = "model"


class Watcher(Protocol):
    """Hears how a run goes on."""

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None: ...

    def step(self, loss: float) -> None: ...

    def end_epoch(self, metrics: dict[str, Any]) -> None: ...

    def say(self, line: str) -> None: ...


class _Deaf:
    """Hears nothing: for callers who do not want to know, and processes that do not speak for the run."""

    def begin_epoch(self, epoch: int, epochs: int, batches: int) -> None: ...

    def step(self, loss: float) -> None: ...

    def end_epoch(self, metrics: dict[str, Any]) -> None: ...

    def say(self, line: str) -> None: ...


def train(
    config: RunConfig,
    folder: str | Path,
    watcher: Watcher | None = None,
    *,
    command: str = "from Python",
    start: str | Path | None = None,
    resume: bool = False,
    fold: Fold | None = None,
) -> Path:
    """Train a model in a directory and return the directory of the model.

    `watcher` hears how training goes on, and `command` is what the model's card tells of its making.
    With `start`, training goes on from that model: its language, views and layers, its labels and new ones.
    With `fold`, one part of the training sentences is left out.
    """
    stored = None if start is None else load_model(start)
    if stored is not None:
        try:
            config = replace(config, model=stored.config)
        except ValueError as error:
            raise ConfigError(f"this model does not go with the configuration: {error}", path=start) from None
    run = Run(config, folder, watcher or _Deaf(), command=command, start=stored, fold=fold)
    run.train(resume=resume)
    return run.folder / MODEL


class Run:
    """One training run in a directory of its own.

    The directory holds the checkpoint, `metrics.jsonl`, the card, and at the end `model/`.
    """

    def __init__(
        self,
        config: RunConfig,
        folder: str | Path,
        watcher: Watcher,
        *,
        command: str,
        start: StoredModel | None = None,
        fold: Fold | None = None,
    ) -> None:
        self._cpu_at_start = time.process_time()
        self.folder = Path(folder)
        self.crew = join(config.training.device)
        self.watcher = watcher = watcher if self.crew.leads else _Deaf()
        torch.set_num_threads(config.training.threads)
        self.corpora: Corpora = read_corpora(config, fold)
        for line in self.corpora.report.lines():
            watcher.say(line)
        names = prepare_names(config.model.gazetteer, self.corpora.train, start)
        self.config = config = with_name_types(config, names)
        if teachers := config.training.teachers:
            watcher.say(f"read by {len(teachers)} teacher{'s' * (len(teachers) > 1)}: the training text")
        self.setup: Setup = prepare(config, self.corpora, start=start, names=names)
        self.setup.learner.crew = self.crew
        self.missing = MissingMentions(self.corpora, self.setup.labels, config.training.epochs, self.folder)
        self.facts: CardFacts = card_facts(self.corpora, self.setup.labels, command)
        self.progress = Progress()

    def train(self, *, resume: bool = False) -> StoredModel:
        """Train to the end, or from where a run was cut off; returns the model that was kept."""
        self._open(resume)
        training = self.config.training
        spent_before = self.progress.cpu_seconds
        while self.progress.epoch < training.epochs and not self._out_of_patience():
            epoch = self.progress.epoch
            if self.missing.due(epoch):
                self._look_for_missing(epoch)
            self.watcher.begin_epoch(epoch + 1, training.epochs, self.setup.sampler.batches_per_epoch())
            loss = self.setup.learner.run_epoch(self.setup.sampler, epoch, self.watcher.step)
            self.progress.epoch += 1
            if not math.isfinite(loss):
                raise FofeError(
                    f"the loss of epoch {epoch + 1} is {loss}: training has diverged "
                    "(lower training.rate or training.word_rate, and choose another directory)"
                )
            if self.crew.leads:
                self._end_epoch(loss, spent_before)
            self.progress = self.crew.agree(self.progress)
        model = self._finish() if self.crew.leads else None
        self.crew.agree("the model is written")
        return model or load_model(self.folder / MODEL)

    def _end_epoch(self, loss: float, spent_before: float) -> None:
        """Evaluate if it is time, and write down how far the run has come."""
        training = self.config.training
        metrics: dict[str, Any] = {"epoch": self.progress.epoch, "loss": round(loss, 6)}
        last = self.progress.epoch == training.epochs
        if self.progress.epoch % training.evaluate_every == 0 or last:
            metrics |= self._evaluate()
        self.progress.cpu_seconds = spent_before + time.process_time() - self._cpu_at_start
        metrics["cpu_minutes"] = round(self.progress.cpu_seconds / 60, 2)
        self._note(metrics)
        save_checkpoint(self.folder / CHECKPOINT, self.setup.learner, self.progress, self.setup.fingerprint)
        self.watcher.end_epoch(metrics)

    def _open(self, resume: bool) -> None:
        checkpoint = self.folder / CHECKPOINT
        if resume and checkpoint.exists():
            self.progress = load_checkpoint(checkpoint, self.setup.learner, self.setup.fingerprint)
            found = self.missing.remembered(self.progress.epoch)
            if found is not None:
                self.setup = self.setup.annotated_anew(found.added_to(self.corpora.train))
            if self.crew.leads:
                self._drop_metrics_after(self.progress.epoch)
            self.watcher.say(f"resuming after epoch {self.progress.epoch}")
            return
        if checkpoint.exists():
            raise InputError(
                "holds an earlier run", path=self.folder, remedy="add --resume, or choose another directory"
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / METRICS).write_text("", "utf-8")
        except OSError as error:
            raise InputError(
                f"cannot be written: {error.strerror}", path=self.folder, remedy="choose another directory"
            ) from None

    def _look_for_missing(self, epoch: int) -> None:
        """Where annotation is in doubt, add what the network finds."""
        engine = Engine(self.config.model, self.setup.encoder, self.setup.learner.weights())
        found = self.missing.look(engine, epoch, nested=self.config.decoding.nested)
        if self.crew.leads:
            self.missing.remember(found)
        self.setup = self.setup.annotated_anew(found.added_to(self.corpora.train))
        self.watcher.say(
            f"where annotation is in doubt: {len(found.sure)} mentions added, {len(found.likely)} left open"
        )

    def _out_of_patience(self) -> bool:
        patience = self.config.training.patience
        return patience > 0 and self.progress.evaluations_since_best >= patience

    def _evaluate(self) -> dict[str, Any]:
        """Tune on the dev set; keep the weights if they are the best so far."""
        weights = self.setup.learner.weights()
        decoding = self.config.decoding
        tuned = tune(self._judged(weights, "dev", min(decoding.thresholds)), decoding)
        if self.progress.best is None or tuned.f1 > self.progress.best.f1:
            self.progress.best = tuned
            self.progress.best_epoch = self.progress.epoch
            self.progress.evaluations_since_best = 0
            self._keep(weights)
        else:
            self.progress.evaluations_since_best += 1
        with write_atomically(self.folder / CARD) as stream:
            stream.write(write_card(self.config, self.facts, self.progress))
        return {
            "dev_precision": round(tuned.precision, 3),
            "dev_recall": round(tuned.recall, 3),
            "dev_f1": round(tuned.f1, 3),
            **{f"dev_f1_{name}": round(f1, 3) for name, f1 in tuned.f1_by_corpus.items()},
            "strategy": tuned.strategy,
            "threshold": tuned.threshold,
            "agreement": tuned.agreement,
        }

    def _keep(self, weights: dict[str, FloatArray]) -> None:
        """Store the weights that changed; the other rows of the tables can be made again.

        The file carries the epoch, since a run may be killed between this and the checkpoint.
        """
        aside = (self.folder / BEST).with_suffix(".writing")
        changed = dict(weights)
        for name, table in self.setup.learner.tables.items():
            changed[f"tables.{name}"] = weights[f"tables.{name}"][table.trained_rows.numpy()]
        save_file(changed, aside, metadata={"epoch": str(self.progress.epoch)})
        os.replace(aside, self.folder / BEST)

    def _kept(self) -> dict[str, FloatArray]:
        """The weights that were the best, whole again."""
        with safe_open(self.folder / BEST, framework="np") as stored:
            weights: dict[str, FloatArray] = {
                name: stored.get_tensor(name)
                for name in stored.keys()  # noqa: SIM118
            }
        for name, table in self.setup.learner.tables.items():
            whole = table.averages.numpy().copy()
            whole[table.trained_rows.numpy()] = weights[f"tables.{name}"]
            weights[f"tables.{name}"] = whole
        return weights

    def _finish(self) -> StoredModel:
        best = self.progress.best
        assert best is not None, "the last epoch is always evaluated"
        weights = self._kept()
        fitted = fit_gate(
            self.config.model,
            self.setup.encoder,
            weights,
            self.corpora.train,
            self.config.gate,
            self.config.training.seed,
        )
        decoding = self.config.decoding
        common = best.decoding(nested=decoding.nested)
        # A corpus whose conventions are known is decoded in its own way, for which any threshold may be best.
        lowest = min(decoding.thresholds) if self.config.model.conventions else best.threshold
        judged = {part: self._judged(weights, part, lowest) for part in ("dev", "test")}
        own = tune_conventions(judged["dev"], decoding, self.config.model.conventions)
        test = applied(judged["test"], common, own) if judged["test"] else None
        training: dict[str, Any] = {
            "seed": self.config.training.seed,
            "epochs": self.progress.epoch,
            "best_epoch": self.progress.best_epoch,
            "cpu_seconds": round(self.progress.cpu_seconds, 1),
            "dev": asdict(best),
            "scores": {part: _scores(corpora, common, own) for part, corpora in judged.items()},
            "corpora": {part.name: part.scheme() for part in self.corpora.parts},
            "command": self.facts.command,
            "run": to_table(self.config),
        }
        line = ""
        if test is not None:
            training["test"] = asdict(test)
            line = f"Test: P {test.precision:.2f} R {test.recall:.2f} F1 {test.f1:.2f}."
        card = write_card(self.config, self.facts, self.progress, line)
        model = StoredModel(
            config=self.config.model,
            labels=tuple(self.setup.labels),
            decoding=common,
            decodings=own,
            vocabularies=self.setup.vocabularies,
            alphabet=self.setup.alphabet,
            names=self.setup.encoder.names,
            weights=weights if fitted is None else weights | fitted.weights,
            gate=None if fitted is None else fitted.settings,
            ranked_words=self.setup.ranked_words,
            card=card,
            training=training,
        )
        save_model(model, self.folder / MODEL)
        with write_atomically(self.folder / CARD) as stream:
            stream.write(card)
        self.watcher.say(f"best dev F1 {best.f1:.2f} in epoch {self.progress.best_epoch}. {line}".strip())
        return model

    def _judged(self, weights: dict[str, FloatArray], part: str, threshold: float) -> list[Judged]:
        """The candidates in the dev or the test sentences of every corpus that has some."""
        engine = Engine(self.config.model, self.setup.encoder, weights)
        return [
            judge(
                corpus.name,
                engine.following(corpus.name) if corpus.name in self.config.model.conventions else engine,
                corpus.part(part),
                self.setup.labels,
                threshold,
                annotation=corpus.annotation,
                nested=self.config.decoding.nested,
                agreements=self.config.decoding.agreements,
            )
            for corpus in self.corpora.parts
            if corpus.part(part)
        ]

    def _note(self, metrics: dict[str, Any]) -> None:
        with open(self.folder / METRICS, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(metrics) + "\n")

    def _drop_metrics_after(self, epoch: int) -> None:
        """Forget what was noted after the checkpoint: it will be noted again."""
        metrics = self.folder / METRICS
        lines = metrics.read_text("utf-8").splitlines() if metrics.exists() else []
        with write_atomically(self.folder / METRICS) as stream:
            stream.writelines(line + "\n" for line in lines[:epoch])


def _scores(
    corpora: Sequence[Judged], common: Decoding, own: Mapping[str, Decoding]
) -> dict[str, dict[str, object]]:
    """The scores on each corpus, decoded as the dev sets chose."""
    return {corpus.name: evaluate(corpus, own.get(corpus.name, common)).as_dict() for corpus in corpora}
