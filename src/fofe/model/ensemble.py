"""Several models as one: the probabilities that they give to a fragment are averaged before decoding.

The directory of an ensemble holds `ensemble.json`, which names the directories of its members relative to
itself, with weights, the decoding of the whole and, where it was calibrated, temperatures of its scores.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import InputError, ModelError
from fofe.base.files import atomic_directory
from fofe.base.settings import require, to_table
from fofe.decode import Decoding
from fofe.features.fragments import Fragments
from fofe.features.schemes import scheme_number
from fofe.model.engine import Scorer, Scores, softmax
from fofe.model.storage import (
    ENSEMBLE,
    FORMAT_VERSION,
    StoredModel,
    check_inside,
    check_replaceable,
    load_model,
    read_description,
    save_model,
)

SMALLEST = 1e-30
"""What a probability of 0 is taken for where its logarithm is needed."""


@dataclass(frozen=True)
class Ensemble:
    """Several models and how they are one."""

    paths: tuple[Path, ...]
    """The directories of the members."""
    members: tuple[StoredModel, ...]
    weights: tuple[float, ...]
    """What each counts; their sum is 1."""
    decoding: Decoding
    temperatures: Mapping[str, float] = field(default_factory=dict)
    """What the log-odds of a label against NONE are divided by after averaging; 1 for labels without."""

    @classmethod
    def of(cls, paths: Sequence[str | Path], weights: Sequence[float] = ()) -> Ensemble:
        """The ensemble of the models in some directories, which must fit together."""
        members = tuple(load_model(path) for path in paths)
        for path, member in zip(paths, members, strict=True):
            labels = [", ".join(sorted(model.labels)) for model in (members[0], member)]
            for what, one, other in (
                ("labels", *labels),
                ("max_words", members[0].config.max_words, member.config.max_words),
                ("language", members[0].config.language, member.config.language),
            ):
                if one != other:
                    raise ModelError(
                        f"has other {what} than {paths[0]}: {other}, not {one}",
                        path=path,
                        remedy="the members of an ensemble must agree in labels, max_words and language",
                    )
        counted = weights or [1.0] * len(members)
        shares = tuple(weight / sum(counted) for weight in counted)
        decoding = _common([member.decoding for member in members])
        return cls(tuple(map(Path, paths)), members, shares, decoding)

    def tempered(self, temperatures: Mapping[str, float]) -> Ensemble:
        """One whose scores, as they are now, are divided by temperatures."""
        factors = {label: value * self.temperatures.get(label, 1.0) for label, value in temperatures.items()}
        return replace(self, temperatures={**self.temperatures, **factors})

    @property
    def as_one(self) -> StoredModel:
        """The first member with what the ensemble has in common: schemes and decoding."""
        first, *others = self.members
        known_to_all = set(first.config.schemes).intersection(*(other.config.schemes for other in others))
        schemes = tuple(filter(known_to_all.__contains__, first.config.schemes))
        # Temperatures change the scores that the decodings of schemes were tuned for.
        decodings = {
            corpus: _common([member.decodings.get(corpus, member.decoding) for member in self.members])
            for corpus in (() if self.temperatures else schemes)
        }
        return replace(
            first,
            model=replace(first.config, schemes=schemes),
            decoding=self.decoding,
            decodings=decodings,
            training={"members": [member.training for member in self.members]},
            card="",
        )


def _common(decodings: Sequence[Decoding]) -> Decoding:
    """The mean of the thresholds that were tuned, and the strategy that most have."""
    strategies = Counter(decoding.strategy for decoding in decodings)
    return Decoding(
        threshold=round(fmean(decoding.threshold for decoding in decodings), 4),
        strategy=strategies.most_common(1)[0][0],
        nested=any(decoding.nested for decoding in decodings),
        agreement=round(fmean(decoding.agreement for decoding in decodings), 4),
    )


class EnsembleEngine:
    """Averages the scores of several engines.

    Behind gates each engine scores other fragments. Those that any of them lets through are scored, and for
    an engine that turned a fragment away it is NONE for certain: that is what its gate said.
    """

    def __init__(self, engines: Sequence[Scorer], ensemble: Ensemble) -> None:
        self._engines = engines
        self._weights = ensemble.weights
        self._config = ensemble.as_one.config
        self._width = self._config.max_words
        labels = ensemble.members[0].labels
        self._temperatures = np.array(
            [ensemble.temperatures.get(label, 1.0) for label in labels], dtype=np.float32
        )
        self._columns = [[member.labels.index(label) for label in labels] for member in ensemble.members]

    def fresh(self) -> EnsembleEngine:
        """One that has seen no text yet."""
        return self._of([engine.fresh() for engine in self._engines])

    def conditioned_on(self, scheme: str) -> EnsembleEngine:
        """One that follows the annotation scheme of a corpus, which all members must know."""
        scheme_number(self._config, scheme)
        return self._of([engine.conditioned_on(scheme) for engine in self._engines])

    def _of(self, engines: Sequence[Scorer]) -> EnsembleEngine:
        other = copy.copy(self)
        other._engines = engines
        return other

    def score(
        self, sentences: Sequence[Sequence[str]], opens: Sequence[bool] | None = None, *, exact: bool = False
    ) -> Scores:
        """Mean label probabilities of the fragments of some sentences, as `Engine.score` gives them."""
        scores = [engine.score(sentences, opens, exact=exact) for engine in self._engines]
        offsets = scores[0].token_offsets
        read = [one.fragments for one in scores]
        # [F] a number for each fragment, in the order of first tokens and lengths.
        numbers = [some.firsts * self._width + some.lasts - some.firsts for some in read]
        together = np.unique(np.concatenate(numbers))
        probabilities = np.zeros((len(together), len(self._columns[0])), dtype=np.float32)
        for one, of_one, weight, columns in zip(scores, numbers, self._weights, self._columns, strict=True):
            scored = np.searchsorted(together, of_one)
            turned_away = np.ones(len(together), dtype=bool)
            turned_away[scored] = False
            probabilities[scored] += np.float32(weight) * one.probabilities[:, columns]
            probabilities[turned_away, 0] += np.float32(weight)
        firsts = together // self._width
        fragments = Fragments(
            np.searchsorted(offsets, firsts, side="right") - 1, firsts, firsts + together % self._width
        )
        return Scores(fragments, offsets, _tempered(probabilities, self._temperatures))


def _tempered(probabilities: FloatArray, temperatures: FloatArray) -> FloatArray:
    """[F, K] with the log-odds of each label against NONE divided by its temperature [K]."""
    if (temperatures == 1).all():
        return probabilities
    logarithms = np.log(np.maximum(probabilities, np.float32(SMALLEST)))
    odds = (logarithms - logarithms[:, :1]) / temperatures
    return softmax(odds)


@dataclass(frozen=True)
class _Description:
    """What ensemble.json says of an ensemble; see `Ensemble`."""

    format: int
    members: tuple[str, ...]
    weights: tuple[float, ...]
    decoding: Decoding = field(default_factory=Decoding)
    temperatures: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(self, "weights", lambda weight: weight >= 0, "must be at least 0")
        if not self.members or len(self.members) != len(self.weights) or not any(self.weights):
            raise ValueError("members must be one or more, with as many weights, not all 0")
        if not all(value > 0 for value in self.temperatures.values()):
            raise ValueError("temperatures must be above 0")


def is_ensemble(path: str | Path) -> bool:
    """Whether a directory is that of an ensemble."""
    return (Path(path) / ENSEMBLE).is_file()


def directories(path: str | Path) -> list[Path]:
    """The directories that a model is made of: its own, and those of the members of an ensemble."""
    stored = load_stored(path)
    return [Path(path), *(stored.paths if isinstance(stored, Ensemble) else ())]


def load_stored(path: str | Path) -> StoredModel | Ensemble:
    """Read the directory of a model, be it one or an ensemble."""
    return load_ensemble(path) if is_ensemble(path) else load_model(path)


def load_ensemble(path: str | Path) -> Ensemble:
    """Read the directory of an ensemble and those of its members."""
    file = Path(path) / ENSEMBLE
    try:
        described = read_description(_Description, file)
    except InputError as error:
        problem = f"is not the description of an ensemble: {error.problem}"
        raise ModelError(problem, path=file, line=error.line, remedy=error.remedy) from None
    members = [Path(path) / name for name in described.members]
    for member in members:
        check_inside(member, Path(path))
    ensemble = Ensemble.of(members, described.weights)
    unknown = set(described.temperatures) - set(ensemble.members[0].labels)
    if unknown:
        raise ModelError(
            f"has temperatures of labels that its members lack: {', '.join(sorted(unknown))}",
            path=file,
            remedy="leave them out, or calibrate again",
        )
    return replace(ensemble, decoding=described.decoding, temperatures=described.temperatures)


def save_stored(model: StoredModel | Ensemble, folder: str | Path) -> None:
    """Write the directory of a model, be it one or an ensemble."""
    if isinstance(model, Ensemble):
        save_ensemble(model, folder)
    else:
        save_model(model, folder)


def save_ensemble(ensemble: Ensemble, folder: str | Path) -> None:
    """Write a directory that holds copies of the members, whole or not at all; it may replace a model."""
    check_replaceable(Path(folder))
    names = [f"member-{number}" for number in range(1, len(ensemble.paths) + 1)]
    with atomic_directory(Path(folder)) as aside:
        for path, name in zip(ensemble.paths, names, strict=True):
            shutil.copytree(path, aside / name, symlinks=True)
        weights = tuple(round(weight, 6) for weight in ensemble.weights)
        temperatures = dict(ensemble.temperatures)
        described = _Description(FORMAT_VERSION, tuple(names), weights, ensemble.decoding, temperatures)
        (aside / ENSEMBLE).write_text(json.dumps(to_table(described), indent=2) + "\n", "utf-8")
