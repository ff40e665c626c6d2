"""A whole training run: prepare, train, evaluate, keep the best, resume."""

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from fofe.base.arrays import FloatArray
from fofe.base.errors import ConfigError, FofeError, InputError, os_errors
from fofe.base.files import lock, read_text, write_atomically
from fofe.base.journal import Journal, stamp
from fofe.base.report import counted
from fofe.base.settings import to_table
from fofe.decode import Decoding
from fofe.model.ensemble import Ensemble, is_ensemble, load_ensemble, save_ensemble
from fofe.model.storage import StoredModel, check_replaceable, load_model, save_model
from fofe.training.callback import Callback
from fofe.training.card import PLACE_OF_MODEL, write_card
from fofe.training.checkpoint import Progress, load_checkpoint, load_weights, save_checkpoint, save_weights
from fofe.training.config import RunConfig
from fofe.training.corpora import Fold, read_corpora
from fofe.training.distributed import join
from fofe.training.finetune import (
    REPLAY,
    kept_decoding,
    new_labels,
    tune_new,
    widened,
    with_replay,
    with_thresholds,
)
from fofe.training.gate import fit_gate
from fofe.training.learner import LANGUAGE_MODELS
from fofe.training.plain_text import LABELS, Labelling, PlainText, check_labels, label_text
from fofe.training.recase import copies
from fofe.training.scoring import ScoredCorpus, score_corpus, scores_with, tune, tune_schemes
from fofe.training.self_training import find_missing, self_training_epochs
from fofe.training.setup import prepare

CHECKPOINT = "checkpoint.safetensors"
BEST = "best.safetensors"
METRICS = "metrics.jsonl"
CARD = "README.md"
MODEL = "model"
LOCK = ".lock"


def train(
    config: RunConfig,
    folder: str | Path,
    callback: Callback | None = None,
    *,
    command: str = "from Python",
    start: str | Path | None = None,
    resume: bool = False,
    fold: Fold | None = None,
    plain_text: PlainText | None = None,
    forget: bool = False,
) -> Path:
    """Train a model in a directory and return the directory of the model.

    `callback` receives reports while training goes on; `command` goes into the model's card. With `start`,
    training goes on from that model: its language, views and labels, and new labels. What it knows stays,
    and more units learn what is new; with `forget` all its weights are trained. With `fold`, one part of
    the training sentences is left out. `plain_text` that teachers have labelled is learned too.
    """
    stored = None if start is None else load_model(start)
    if stored is not None:
        try:
            config = replace(config, model=stored.config if forget else widened(stored.config))
            if not forget:
                config = replace(config, decoding=kept_decoding(stored, config.decoding))
        except ValueError as error:
            raise ConfigError(f"this model does not go with the configuration: {error}", path=start) from None
    callback = callback or Callback()
    run = Run(
        config,
        folder,
        callback,
        command=command,
        start=stored,
        growing=not forget,
        fold=fold,
        plain_text=plain_text,
    )
    run.train(resume=resume)
    return run.folder / MODEL


def train_folds(
    config: RunConfig,
    folder: str | Path,
    callback: Callback,
    folds: int,
    *,
    resume: bool = False,
    **options: Any,
) -> Path:
    """Train one model per fold, in directories `fold-1` and so on; returns the directory of their ensemble.

    Each leaves out another part of the training sentences. It is tuned on the dev set, or, where a corpus has
    none, on the part that was left out. With `resume`, models that are finished stay as they are. `options`
    are those of `train`.
    """
    if folds < 2:
        raise FofeError("one fold is no fold: take at least 2, or train without --folds")
    models = [Path(folder) / f"fold-{number + 1}" / MODEL for number in range(folds)]
    for number, model in enumerate(models):
        if not resume or not model.exists():
            callback.say(f"fold {number + 1} of {folds}")
            train(config, model.parent, callback, resume=resume, fold=Fold(number, folds), **options)
    ensemble = Path(folder) / MODEL
    if not is_ensemble(ensemble) or len(load_ensemble(ensemble).members) != folds:
        save_ensemble(Ensemble.of(models), ensemble)
    return ensemble


def distil(
    config: RunConfig,
    teachers: Sequence[str],
    sources: Sequence[Path],
    read: Callable[[Path], Iterable[str]],
    folder: str | Path,
    callback: Callback,
    *,
    workers: int = 1,
    resume: bool = False,
    **options: Any,
) -> Path:
    """Let teachers, given by their directories, label plain text, and train a student on it and its corpora.

    `read` gives the texts of a source. The directory of the run holds the labels in `labels/`. `options` are
    those of `train`.
    """
    if config.model.encoders:
        raise ConfigError("a student does without language models: drop its encoder views")
    labels = read_corpora(config).labels()
    check_labels(teachers, labels)
    job = Labelling(tuple(teachers), tuple(labels), config.model.max_words)
    weights = [[str(path), *stamp(path)] for teacher in teachers for path in sorted(Path(teacher).rglob("*"))]
    asked = [labels, job.max_words, config.model.language, weights]
    asked.append([[str(source), *stamp(source)] for source in sources])
    with Journal(Path(folder) / LABELS, asked, resume=resume) as journal:
        texts = (text for source in sources for text in read(source))
        label_text(job, texts, config.model.language, journal, workers, callback)
        return train(config, folder, callback, resume=resume, plain_text=PlainText(journal), **options)


class Run:
    """One training run in a directory of its own.

    The directory holds the checkpoint, `metrics.jsonl`, the card, and at the end `model/`.
    """

    def __init__(
        self,
        config: RunConfig,
        folder: str | Path,
        callback: Callback,
        *,
        command: str,
        start: StoredModel | None = None,
        growing: bool = False,
        fold: Fold | None = None,
        plain_text: PlainText | None = None,
    ) -> None:
        """With `growing`, the start keeps what it knows."""
        self._cpu_at_start = time.process_time()
        self.folder = Path(folder)
        check_replaceable(self.folder / MODEL)  # an error now, not after the training
        self.group = join(config.training.device)
        self.callback = callback = callback if self.group.leads else Callback()
        torch.set_num_threads(config.training.threads)
        self.corpora = read_corpora(config, fold)
        for line in self.corpora.report.lines():
            callback.say(line)
        self.grown_from = start if growing else None
        if self.grown_from is not None:
            self.corpora = with_replay(self.corpora, self.grown_from)
            if not self.grown_from.replay:
                callback.say("the model brings no replay text: new types may appear in text of other kinds")
        if teachers := config.training.teachers:
            callback.say(f"{counted(len(teachers), 'teachers')} read the training text")
        cache = Path(config.training.encoder_cache or self.folder / "encoded")
        self.setup = prepare(
            config,
            self.corpora,
            start=start,
            cache=cache,
            plain_text=plain_text,
            growing=self.grown_from is not None,
        )
        self.config = self.setup.config
        self._identity = self.setup.fingerprint, to_table(self.config)
        self.setup.learner.group = self.group
        self.command = command
        self.progress = Progress()

    def train(self, *, resume: bool = False) -> None:
        """Train to the end, or from where a run was cut off, and write the model that was kept."""
        with ExitStack() as stack:
            if self.group.leads:
                self._lock(stack)
            self._train(resume)

    def _lock(self, stack: ExitStack) -> None:
        """Make the directory, and keep other processes from training there."""
        with os_errors("written", self.folder, "choose another directory"):
            self.folder.mkdir(parents=True, exist_ok=True)
            is_ours = stack.enter_context(lock(self.folder / LOCK, wait=False))
        if not is_ours:
            remedy = "wait until it has ended, or choose another directory"
            raise InputError("another process trains in this directory", path=self.folder, remedy=remedy)

    def _train(self, resume: bool) -> None:
        self._open(resume)
        training = self.config.training
        self_training = self_training_epochs(self.corpora, training.epochs)
        while (epoch := self.progress.epoch) < training.epochs:
            if self.progress.evaluations_since_best >= (training.patience or math.inf):
                break
            if epoch in self_training:
                self._self_train()
            self.callback.begin_epoch(epoch + 1, training.epochs, self.setup.sampler.batches_per_epoch())
            loss = self.setup.learner.run_epoch(self.setup.sampler, epoch, self.callback.step)
            self.progress.epoch += 1
            if not math.isfinite(loss):
                remedy = "lower training.rate or training.word_rate, and choose another directory"
                raise FofeError(f"the loss of epoch {epoch + 1} is {loss}: training has diverged ({remedy})")
            if self.group.leads:
                self._end_epoch(loss)
            self.progress = self.group.agree(self.progress)
        if self.group.leads:
            self._finish()
        self.group.wait()  # for the model to be written, and for the others before any leaves

    def _open(self, resume: bool) -> None:
        checkpoint, metrics = self.folder / CHECKPOINT, self.folder / METRICS
        if checkpoint.exists() and not resume:
            remedy = "resume it by --resume, in Python by resume=True; or choose another directory"
            raise InputError("holds an earlier run", path=self.folder, remedy=remedy)
        lines: list[str] = []
        if checkpoint.exists():
            self.progress = load_checkpoint(checkpoint, self.setup.learner, *self._identity)
            self._cpu_at_start -= self.progress.cpu_seconds
            if found := self.progress.pseudo_labels:
                self.setup.reannotate(found.added_to(self.corpora.train))
            if metrics.exists():  # what was written after the checkpoint will be written again
                lines = read_text(metrics).splitlines(keepends=True)[: self.progress.epoch]
            self.callback.say(f"resuming after epoch {self.progress.epoch}")
        if self.group.leads:
            with write_atomically(metrics) as stream:
                stream.writelines(lines)

    def _self_train(self) -> None:
        """Add the network's findings where the annotation is in doubt."""
        engine = self.setup.engine(self.setup.learner.weights())
        nested = self.config.decoding.nested
        found = find_missing(engine, self.corpora, self.setup.labels, nested=nested)
        self.progress.pseudo_labels = found
        self.setup.reannotate(found.added_to(self.corpora.train))
        counts = f"{counted(len(found.sure), 'mentions added')}, {len(found.likely)} left open"
        self.callback.say(f"where annotation is in doubt: {counts}")

    def _end_epoch(self, loss: float) -> None:
        """Evaluate if it is time, and store how far the run has come."""
        progress, training = self.progress, self.config.training
        metrics: dict[str, Any] = {"epoch": progress.epoch, "loss": round(loss, 6)}
        due = progress.epoch >= training.evaluate_from and progress.epoch % training.evaluate_every == 0
        if due or progress.epoch == training.epochs:
            metrics |= self._evaluate()
        progress.cpu_seconds = time.process_time() - self._cpu_at_start
        metrics["cpu_minutes"] = round(progress.cpu_seconds / 60, 2)
        with open(self.folder / METRICS, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(metrics) + "\n")
        save_checkpoint(self.folder / CHECKPOINT, self.setup.learner, progress, *self._identity)
        self.callback.end_epoch(metrics)

    def _evaluate(self) -> dict[str, Any]:
        """Tune on the dev set; keep the weights if they are the best so far."""
        progress, weights = self.progress, self.setup.learner.weights()
        decoding, scored = self.config.decoding, self._scored(weights, "dev")
        if (base := self.grown_from) is None:
            tuned = tune(scored, decoding)
        else:
            tuned = tune_new(scored, decoding, base.decoding, new_labels(self.corpora, base))
        if progress.evaluated(tuned):
            save_weights(self.folder / BEST, self.setup.learner, weights)
        self._write_card()
        scores = {score: getattr(tuned, score) for score in ("precision", "recall", "f1")}
        scores |= {f"f1_{name}": f1 for name, f1 in tuned.f1_by_corpus.items()}
        how = {name: getattr(tuned, name) for name in ("strategy", "threshold", "agreement")}
        return {f"dev_{name}": round(score, 6) for name, score in scores.items()} | how

    def _scored(self, weights: Mapping[str, FloatArray], part: str) -> list[ScoredCorpus]:
        """The candidates, for any threshold to try or keep, in the dev or test sentences of every corpus."""
        engine = self.setup.engine(weights)
        threshold = min(self.config.decoding.thresholds)
        if self.grown_from is not None:
            kept = self.grown_from.decoding
            threshold = min(threshold, kept.threshold, *kept.thresholds.values())
        return [
            score_corpus(
                corpus.name,
                engine.conditioned_on(corpus.name) if corpus.name in self.config.model.schemes else engine,
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

    def _write_card(self, test_line: str = "") -> str:
        facts = (self.config, self.corpora, self.setup.labels, self.progress)
        card = write_card(*facts, self.command, test_line)
        with write_atomically(self.folder / CARD) as stream:
            stream.write(card.replace(PLACE_OF_MODEL, f"{PLACE_OF_MODEL}/{MODEL}"))
        return card

    def _encoders(self, weights: dict[str, FloatArray]) -> dict[str, Path]:
        """The directories of the language models; of those that were trained, with the best weights."""
        encoders = dict(self.setup.encoders)
        for view, model in self.setup.learner.language_models.items():
            for name, parameter in model.named_parameters():
                parameter.data.copy_(torch.from_numpy(weights.pop(f"{LANGUAGE_MODELS}{view}.{name}")))
            encoders[view] = self.folder / "trained" / view
            encoders[view].mkdir(parents=True, exist_ok=True)
            model.save(encoders[view])
        return encoders

    def _finish(self) -> None:
        """Fit the gate, choose how to decode, score the test set and write the model."""
        config, setup, best = self.config, self.setup, self.progress.best
        assert best is not None, "the last epoch is always evaluated"
        weights = load_weights(self.folder / BEST, setup.learner)
        encoders = self._encoders(weights)
        sentences = [one for copy in copies(self.corpora.train, config.sampling.cases) for one in copy]
        read = config.model, setup.encoder, weights, sentences
        gate, gate_weights = fit_gate(*read, config.gate, config.training.seed, self.grown_from)
        common = best.decoding(nested=config.decoding.nested)
        kept: dict[str, Decoding] = {}
        if (base := self.grown_from) is not None:
            new = new_labels(self.corpora, base)
            common = with_thresholds(base.decoding, new, best.threshold)
            kept = {name: with_thresholds(one, new, best.threshold) for name, one in base.decodings.items()}
        scored = {part: self._scored(weights, part) for part in ("dev", "test")}
        own = tune_schemes(scored["dev"], config.decoding, config.model.schemes)
        training: dict[str, Any] = {
            "seed": config.training.seed,
            "epochs": self.progress.epoch,
            "best_epoch": self.progress.best_epoch,
            "cpu_seconds": round(self.progress.cpu_seconds, 1),
            "dev": asdict(best),
            "scores": {
                part: {one.name: one.evaluation(own.get(one.name, common)).as_dict() for one in corpora}
                for part, corpora in scored.items()
            },
            "corpora": (base.training.get("corpora", {}) if base else {})
            | {part.name: part.scheme() for part in self.corpora.parts if part.name != REPLAY},
            "command": self.command,
            "run": to_table(config),
        }
        line = ""
        if scored["test"]:
            test = scores_with(scored["test"], common, own)
            training["test"] = asdict(test)
            line = f"Test: P {test.precision:.2f} R {test.recall:.2f} F1 {test.f1:.2f}."
        model = StoredModel(
            model=config.model,
            labels=tuple(setup.labels),
            decoding=common,
            decodings=kept | own,
            vocabularies=setup.encoder.vocabularies,
            alphabet=setup.encoder.alphabet,
            names=setup.encoder.names,
            encoders=encoders,
            weights=weights | gate_weights,
            gate=gate,
            ranked_words=setup.ranked_words,
            card=self._write_card(line),
            replay=base.replay if base else "",
            training=training,
        )
        save_model(model, self.folder / MODEL)
        self.callback.say(f"best dev F1 {best.f1:.2f} in epoch {self.progress.best_epoch}. {line}".strip())
        if not best.f1:
            remedy = "give more data, more epochs or another dev set"
            self.callback.say(f"no dev mention was found, so the last epoch is kept, untuned ({remedy})")
