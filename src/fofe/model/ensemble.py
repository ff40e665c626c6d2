"""Several models as one: the probabilities that they give to a fragment are averaged before decoding.

The directory of an ensemble holds `ensemble.json`, which names the directories of its members relative to
itself, with weights, the decoding of the whole and, where it was calibrated, temperatures of its scores.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.errors import ModelError
from fofe.base.files import atomic_directory, read_text, write_atomically
from fofe.base.settings import build, to_table
from fofe.decode import Decoding
from fofe.features.fragments import Fragments
from fofe.model.engine import Scorer, Scores
from fofe.model.storage import ENSEMBLE, StoredModel, load_model

FORMAT_VERSION = 1
SMALLEST = 1e-30
"""What a probability of 0 is taken for where its logarithm is needed."""


@dataclass(frozen=True)
class Ensemble:
    """What the directory of an ensemble holds."""

    names: tuple[str, ...]
    """The directories of the members, relative to that of the ensemble."""
    members: tuple[StoredModel, ...]
    weights: tuple[float, ...]
    """What each counts; their sum is 1."""
    decoding: Decoding
    temperatures: Mapping[str, float] = field(default_factory=dict)
    """What the log-odds of a label against NONE are divided by after averaging; 1 for labels without."""

    def tempered(self, temperatures: Mapping[str, float]) -> Ensemble:
        """One whose scores, as they are now, are divided by temperatures."""
        factors = {label: value * self.temperatures.get(label, 1.0) for label, value in temperatures.items()}
        return replace(self, temperatures={**self.temperatures, **factors})

    @property
    def as_one(self) -> StoredModel:
        """The first member with what the ensemble has in common: schemes and decoding."""
        return replace(
            self.members[0],
            config=replace(self.members[0].config, schemes=self._schemes),
            decoding=self.decoding,
            decodings=self._decodings,
            training={"members": [member.training for member in self.members]},
            card="",
        )

    @property
    def _decodings(self) -> dict[str, Decoding]:
        """Those of its schemes; none once temperatures have changed the scores that they were for."""
        corpora = () if self.temperatures else self._schemes
        return {
            corpus: _common([member.decodings.get(corpus, member.decoding) for member in self.members])
            for corpus in corpora
        }

    @property
    def _schemes(self) -> tuple[str, ...]:
        """The corpora whose schemes all members can follow."""
        first, *others = (member.config.schemes for member in self.members)
        return tuple(corpus for corpus in first if all(corpus in known for known in others))


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
        self._config.scheme_number(scheme)
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
        numbers = [self._numbers(one.fragments) for one in scores]
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

    def _numbers(self, fragments: Fragments) -> IntArray:
        """[F] a number for each fragment, in the order of first tokens and lengths."""
        numbers: IntArray = fragments.firsts * self._width + fragments.lasts - fragments.firsts
        return numbers


def _tempered(probabilities: FloatArray, temperatures: FloatArray) -> FloatArray:
    """[F, K] with the log-odds of each label against NONE divided by its temperature [K]."""
    if (temperatures == 1).all():
        return probabilities
    logarithms = np.log(np.maximum(probabilities, np.float32(SMALLEST)))
    odds = (logarithms - logarithms[:, :1]) / temperatures
    powers = np.exp(odds - odds.max(axis=1, keepdims=True))
    tempered: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return tempered


def is_ensemble(path: str | Path) -> bool:
    """Whether a directory is that of an ensemble."""
    return (Path(path) / ENSEMBLE).is_file()


def directories(path: str | Path) -> list[Path]:
    """The directories that a model is made of: its own, and those of the members of an ensemble."""
    if is_ensemble(path):
        return [Path(path), *(Path(path) / name for name in load_ensemble(path).names)]
    load_model(path)  # reports what is wrong with it
    return [Path(path)]


def load_stored(path: str | Path) -> StoredModel | Ensemble:
    """Read the directory of a model, be it one or an ensemble."""
    return load_ensemble(path) if is_ensemble(path) else load_model(path)


def load_ensemble(path: str | Path) -> Ensemble:
    """Read the directory of an ensemble and those of its members."""
    file = Path(path) / ENSEMBLE
    try:
        table = json.loads(read_text(file))
        names, weights, temperatures = table["members"], table["weights"], table.get("temperatures", {})
        fits = table["format"] == FORMAT_VERSION and len(names) == len(weights) > 0
        fits = (
            fits and all(isinstance(name, str) for name in names) and sum(weights) > 0 and min(weights) >= 0
        )
        fits = fits and all(value > 0 for value in temperatures.values())
    except (ValueError, KeyError, TypeError, AttributeError):
        fits = False
    if not fits:
        raise ModelError(
            "is not the description of an ensemble",
            path=file,
            remedy='it has "format": 1, "members", as many "weights", "decoding", and perhaps "temperatures"',
        )
    decoding = build(Decoding, table.get("decoding", {}), path=file)
    ensemble = _joined([Path(path) / name for name in names], names, weights, decoding)
    unknown = set(temperatures) - set(ensemble.members[0].labels)
    if unknown:
        raise ModelError(
            f"has temperatures of labels that its members lack: {_listed(unknown)}",
            path=file,
            remedy="leave them out, or calibrate again",
        )
    return replace(ensemble, temperatures=temperatures)


def _joined(
    paths: Sequence[Path], names: Sequence[str], weights: Sequence[float], decoding: Decoding | None
) -> Ensemble:
    members = tuple(load_model(path) for path in paths)
    for path, member in zip(paths, members, strict=True):
        for what, one, other in (
            ("labels", set(members[0].labels), set(member.labels)),
            ("max_words", members[0].config.max_words, member.config.max_words),
            ("language", members[0].config.language, member.config.language),
        ):
            if one != other:
                raise ModelError(
                    f"has other {what} than {paths[0]}: {_listed(other)}, not {_listed(one)}",
                    path=path,
                    remedy="the members of an ensemble must agree in labels, max_words and language",
                )
    total = sum(weights)
    shares = tuple(weight / total for weight in weights)
    return Ensemble(
        tuple(names), members, shares, decoding or _common([member.decoding for member in members])
    )


def _listed(value: Any) -> str:
    return ", ".join(sorted(value)) if isinstance(value, set) else str(value)


def _common(decodings: Sequence[Decoding]) -> Decoding:
    """The mean of the thresholds that were tuned, and the strategy that most have."""
    strategies = Counter(decoding.strategy for decoding in decodings)
    return Decoding(
        threshold=round(fmean(decoding.threshold for decoding in decodings), 4),
        strategy=strategies.most_common(1)[0][0],
        nested=any(decoding.nested for decoding in decodings),
        agreement=round(fmean(decoding.agreement for decoding in decodings), 4),
    )


def refer_to(members: Sequence[Path], folder: Path) -> None:
    """Make a directory an ensemble of models that stay where they are."""
    names = [os.path.relpath(member, folder) for member in members]
    ensemble = _joined(members, names, [1.0] * len(members), None)
    folder.mkdir(parents=True, exist_ok=True)
    _write(ensemble, folder)


def save_ensemble(
    members: Sequence[str | Path], folder: str | Path, weights: Sequence[float] = ()
) -> Ensemble:
    """Write a directory that holds copies of the members, whole or not at all."""
    target = Path(folder)
    if target.exists():
        raise ModelError("exists", path=target, remedy="choose another directory")
    paths = [Path(member) for member in members]
    ensemble = _joined(paths, _names(len(paths)), weights or [1.0] * len(paths), None)
    _write_with_members(ensemble, paths, target)
    return ensemble


def copy_ensemble(ensemble: Ensemble, source: str | Path, folder: str | Path) -> None:
    """Write an ensemble that was read from `source` and perhaps changed, with copies of its members.

    A model that was there is replaced when the new one is whole.
    """
    target = Path(folder)
    if target.exists() and not any((target / file).is_file() for file in ("config.json", ENSEMBLE)):
        raise ModelError("exists and is not a model directory", path=target, remedy="choose another name")
    paths = [Path(source) / name for name in ensemble.names]
    _write_with_members(replace(ensemble, names=_names(len(paths))), paths, target)


def _names(members: int) -> tuple[str, ...]:
    return tuple(f"member-{number}" for number in range(1, members + 1))


def _write_with_members(ensemble: Ensemble, paths: Sequence[Path], target: Path) -> None:
    with atomic_directory(target) as aside:
        for path, name in zip(paths, ensemble.names, strict=True):
            shutil.copytree(path, aside / name)
        _write(ensemble, aside)


def _write(ensemble: Ensemble, folder: Path) -> None:
    table = {
        "format": FORMAT_VERSION,
        "members": list(ensemble.names),
        "weights": [round(weight, 6) for weight in ensemble.weights],
        "decoding": to_table(ensemble.decoding),
        **({"temperatures": dict(ensemble.temperatures)} if ensemble.temperatures else {}),
    }
    with write_atomically(folder / ENSEMBLE) as stream:
        stream.write(json.dumps(table, indent=2) + "\n")
